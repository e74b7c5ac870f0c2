"""What the workloads of orders draw, without a server."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.integration.generated import WORKLOADS

# counts how often each number is drawn, and prints the share of the hottest hundredth
LUA = """
local dyno = require("dyno")
local orders = require("dyno-orders")
dyno.declare(orders.options({draws = {"", 0}, client = {"", 0}}))
function thread_init() end
function thread_done() end

local function hottest(draw, many)
   local counts = {}
   for number = 1, many do
      counts[number] = 0
   end
   for _ = 1, sysbench.opt.draws do
      local number = draw()
      counts[number] = counts[number] + 1
   end
   table.sort(counts, function(a, b) return a > b end)
   local hot = 0
   for number = 1, many / 100 do
      hot = hot + counts[number]
   end
   return hot / sysbench.opt.draws
end

function event()
   dyno.seed(sysbench.opt.client)
   if orders.is_specified() then
      orders.fix_constants()
   end
   local first = {orders.any_item(), orders.any_customer(), orders.any_last_name()}
   local items = hottest(orders.any_item, sysbench.opt.table_size)
   local customers = hottest(orders.any_customer, orders.customers())
   local names = {orders.last_name(0), orders.last_name(371), orders.last_name(999)}
   io.write(('{"items":%.4f,"customers":%.4f,"first":"%s","names":"%s"}\\n'):format(
      items, customers, table.concat(first, " "), table.concat(names, " ")))
   return true
end
"""


def drawn(folder: Path, form: str, seed: int = 1, draws: int = 1000, client: int = 0) -> dict[str, Any]:
    (folder / "draws.lua").write_text(LUA)
    line = [
        "sysbench",
        "draws.lua",
        "--threads=1",
        "--time=0",
        "--events=1",
        "--verbosity=1",
        "--report-fd=2",
    ]
    line += [f"--form={form}", f"--rand-seed={seed}", f"--draws={draws}", f"--client={client}"]
    environment = {**os.environ, "LUA_PATH": f"{WORKLOADS}/?.lua;;"}
    done = subprocess.run(
        [*line, "--table-size=100000", "run"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[0])
    return found


@pytest.mark.parametrize(("form", "items", "customers"), [("common", 2.0, 1.3), ("specified", 30.7, 22.3)])
def test_the_hottest_hundredth_is_drawn_as_often_as_published(
    tmp_path: Path, form: str, items: float, customers: float
) -> None:
    for seed in (1, 2):
        found = drawn(tmp_path, form, seed, 1_000_000)
        assert found["items"] * 100 == pytest.approx(items, abs=1)
        assert found["customers"] * 100 == pytest.approx(customers, abs=1)


def test_names_have_a_syllable_for_each_digit(tmp_path: Path) -> None:
    assert drawn(tmp_path, "common")["names"] == "BARBARBAR PRICALLYOUGHT EINGEINGEING"


def test_the_constants_of_a_run_are_those_of_its_seed_for_all_clients(tmp_path: Path) -> None:
    first, other_client, other_seed = (
        drawn(tmp_path, "specified", seed, client=client)["first"]
        for seed, client in ((5, 0), (5, 7), (6, 0))
    )
    assert first == other_client != other_seed
