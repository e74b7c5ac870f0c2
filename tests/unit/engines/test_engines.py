"""What Dyno knows of storage engines lies in app/engines/; what hangs on it elsewhere stays what it was."""

from __future__ import annotations

import ast
import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.catalog import Catalog
from app.core.errors import InputError
from app.engines import DUEL, KNOWN, engine_of
from app.planner.checks.checks import check_plan
from app.planner.estimate.estimate import estimate
from app.planner.resolve.resolve import resolve
from app.planner.resolve.sizes import bytes_per_row
from app.planner.starting.choices import choices
from app.protocol.answers import Survey
from app.protocol.plan import digest
from tests.plans import MARIADB, NOW, request, survey, write

ROOT = Path(__file__).parents[3]
NAMES = {each.lower() for engine in KNOWN.values() for each in (engine.name, engine.title, *engine.aliases)}
CODE = [path for room in ("app", "ui") for path in sorted((ROOT / room).rglob("*.py"))]
FOUR = ["innodb", "rocksdb", "myisam", "aria"]
ALL = [f"{MARIADB}:{name}" for name in FOUR]


def literals(path: Path) -> list[str]:
    """The texts of a file that are the name of an engine, with their lines."""
    return [
        f"{path.relative_to(ROOT)}:{node.lineno}: {node.value}"
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.lower() in NAMES
    ]


def test_no_name_of_an_engine_stands_outside_of_their_folder() -> None:
    found = {path: literals(path) for path in CODE}
    folder = ROOT / "app" / "engines"
    assert any(found[path] for path in found if path.parent == folder)
    assert [each for path in found if path.parent != folder for each in found[path]] == []


def test_an_engine_is_found_by_any_of_its_names() -> None:
    assert list(KNOWN)[:4] == FOUR
    assert engine_of("InnoDB") is KNOWN["innodb"] and engine_of("MyRocks") is KNOWN["rocksdb"]
    assert [each.title for each in DUEL] == ["InnoDB", "MyRocks"]
    assert all(each.has_facts and each.counters for each in KNOWN.values())


def test_the_bytes_of_the_workloads_are_part_of_every_work_key() -> None:
    folder = ROOT / "workloads"
    lines = (ROOT / "tests" / "data" / "workloads.sha256").read_text().splitlines()
    pinned = {name: sha for sha, _, name in (line.partition("  ") for line in lines)}
    files = [path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    found = {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    assert found == pinned


# as they were before engines had a folder, but for the duel, whose writes are shorter since:
# texts of contenders, options; work_key, contender_keys, estimate
PINNED: dict[str, tuple[list[str], dict[str, Any], str, str, str]] = {
    "duel": (ALL, {}, "eeee1a279a11e350", "03dd9c02ceddf030", "8e014eae34d8c5d6"),
    "quick": (
        ALL,
        {"sequence": "quick", "rows": "3x memory"},
        "86cc09ac09c768cc",
        "03dd9c02ceddf030",
        "a1628eff509d699f",
    ),
    "small-datum": (
        ALL[:3],
        {"sequence": "small-datum", "start": "snapshot", "repeats": 2},
        "b8973973783d7a5d",
        "31d81f3311d6a1ab",
        "f928ca489aa4a639",
    ),
    "restarted": (
        [ALL[0], "mysql-5.6.24:myisam", "mysql-9.7.4:innodb"],
        {"start": "restarted"},
        "1eedc11524525a8c",
        "a66a96df90b94af6",
        "cb027fd401bc860f",
    ),
    "bulk": ([ALL[1]], {"load_method": "bulk"}, "e138943c73946b2b", "dac04fb205901fdf", "f81bde9a6a9a8110"),
    "text-search": (
        [ALL[0], ALL[2]],
        {"sequence": "text-search"},
        "96fba34c5c523a94",
        "db106fd0e0b1c38b",
        "b6769726d5c10dd5",
    ),
    "concurrency": (
        ALL,
        {"sequence": "concurrency"},
        "27222fde772abbcd",
        "03dd9c02ceddf030",
        "75ab4013797a8829",
    ),
}


def with_first_build(machine: Survey, **changes: Any) -> Survey:
    first, *rest = machine.builds
    return replace(machine, builds=[replace(first, **changes), *rest])


@pytest.mark.parametrize("name", PINNED)
def test_keys_and_estimates_of_plans_stay(name: str) -> None:
    texts, options, work, keys, taken = PINNED[name]
    machine = with_first_build(survey(topology=[[[0], [1]], [[2], [3]]]), engines=list(KNOWN))
    plan = resolve(request(*texts, **options), machine, Catalog())
    guess = estimate(plan, machine)
    assert plan.work_key[:16] == work
    assert digest([each.key for each in plan.contenders])[:16] == keys
    assert digest([round(guess.seconds, 3), guess.disk_bytes, guess.seconds_text])[:16] == taken


# engines of which Dyno has no facts


def others(**engines: str) -> Survey:
    """A target whose MariaDB has them, each with its plugin."""
    return with_first_build(survey(), other_engines=engines)


def test_any_engine_that_a_build_has_can_be_planned_for() -> None:
    machine = others(example="", oqgraph="ha_oqgraph.so")
    texts = [f"{MARIADB}:example:stock", f"{MARIADB}:OQGraph:stock", f"{MARIADB}:innodb"]
    plan = resolve(request(*texts), machine, Catalog())
    example, oqgraph, _ = plan.contenders
    assert (example.cnf, oqgraph.cnf) == ("[mysqld]\n", "[mysqld]\nplugin_load_add=ha_oqgraph.so\n")
    assert plan.files["presets/example/stock.cnf"].startswith("# title: The build's own settings\n")
    guess = estimate(plan, machine)
    assert guess.disk_bytes > 0 and [each.cache_bytes for each in guess.contenders[:2]] == [0, 0]
    said = [check for check in check_plan(plan, machine, guess, lambda: NOW) if check.name == "engine"]
    assert [check.text.partition(":")[0] for check in said] == ["Dyno does not know example, oqgraph"]
    parity = [check.text for check in check_plan(plan, machine, guess, lambda: NOW) if "commit" in check.text]
    assert f"{MARIADB}-example, {MARIADB}-oqgraph: unknown to Dyno" in parity[0]


def test_a_plugin_that_a_preset_loads_is_loaded_once(dyno_home: Path) -> None:
    write(dyno_home / "presets/oqgraph/own.cnf", "[mysqld]\nplugin_load_add=ha_oqgraph\n")
    found = resolve(request(f"{MARIADB}:oqgraph:own"), others(oqgraph="ha_oqgraph.so"), Catalog())
    assert found.contenders[0].cnf == "[mysqld]\nplugin_load_add=ha_oqgraph\n"


def test_an_engine_that_no_build_has_is_refused_with_those_it_has() -> None:
    with pytest.raises(
        InputError,
        match=r"the engine inodb \(did you mean innodb\?\); it has innodb, rocksdb, myisam, example",
    ):
        resolve(request(f"{MARIADB}:inodb"), others(example=""), Catalog())
    with pytest.raises(
        InputError, match=f"load method bulk: not for {MARIADB}-example: Dyno knows of nothing"
    ):
        resolve(request(f"{MARIADB}:example", load_method="bulk"), others(example=""), Catalog())


def test_a_target_cannot_put_lines_into_a_my_cnf() -> None:
    hostile = {"oqgraph": "ha_x.so\ninit_file=/tmp/x", "../../x": "", "x y": "ha_x.so", "s3": "ha_s3.so"}
    machine = others(**hostile)
    with pytest.raises(InputError, match="the engine oqgraph; it has innodb, rocksdb, myisam, s3"):
        resolve(request(f"{MARIADB}:oqgraph"), machine, Catalog())
    assert {each.engine for each in choices(machine, Catalog()).presets} == {*KNOWN, "s3"}


def test_workloads_that_name_other_engines_are_guessed_by_the_worst() -> None:
    said = [{"innodb": 900.0, "myisam": 1100.0}]
    plan = resolve(request(f"{MARIADB}:example"), others(example=""), Catalog())
    assert bytes_per_row(plan.contenders[0], said) == 1100.0


def test_the_grid_offers_them_behind_all_others() -> None:
    found = choices(others(example="", federated="ha_federated.so"), Catalog())
    assert [(each.engine, each.name) for each in found.presets[-4:]] == [
        ("example", "baseline"), ("federated", "baseline"), ("example", "stock"), ("federated", "stock"),
    ]  # fmt: skip
    assert found.refusal(MARIADB, "example", "baseline") == ""
    assert "lacks the engine example" in found.refusal("mysql-5.6.24", "example", "baseline")
