"""The shipped presets against the versions they are for: what each knows, and what none may leave open."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from app.catalog import Catalog
from app.engines import KNOWN as KNOWN_ENGINES
from app.engines import engine_of
from app.variables import MachineSize, Preset, RenderedPreset, option_values, render
from app.variables.mycnf import HEADERS
from app.variables.names import BASELINE, STOCK
from tests.plans import VERSION

MACHINE = MachineSize(16 << 30, 4)
KNOWN = Path(__file__).parents[2] / "data/known_options.tsv"
LINES = [line for line in KNOWN.read_text().splitlines() if not line.startswith("#")]
ROWS = list(csv.DictReader(LINES, delimiter="\t"))
DEBIAN_12 = next(column for column in ROWS[0] if column.startswith("mariadb-10.11."))
# column of the table: family, version
VERSIONS = {
    "mysql-5.1.x(builtin-innodb)": ("MySQL", "5.1.54"),
    "mysql-5.1.x(innodb_plugin)": ("MySQL", "5.1.54"),
    "mysql-5.5.9": ("MySQL", "5.5.9"),
    "mysql-5.6.14": ("MySQL", "5.6.14"),
    "mysql-5.7.18": ("MySQL", "5.7.18"),
    "mysql-8.0.41": ("MySQL", "8.0.41"),
    "mysql-9.7.4": ("MySQL", "9.7.4"),
    DEBIAN_12: ("MariaDB", DEBIAN_12.removeprefix("mariadb-")),
    "mariadb-11.4.5": ("MariaDB", "11.4.5"),
    "fbmysql-5.6.27-myrocks-2016-10": ("FB MySQL", "5.6.27"),
}
HAVING = {  # engines that not all of them have
    "rocksdb": (DEBIAN_12, "fbmysql-5.6.27-myrocks-2016-10"),
    "aria": (DEBIAN_12, "mariadb-11.4.5"),
}
# options of all of them that the table does not list
EVERYWHERE = {
    "innodb_lock_wait_timeout", "innodb_table_locks", "interactive_timeout", "join_buffer_size",
    "max_allowed_packet", "max_binlog_size", "max_connect_errors", "name_resolve", "rocksdb",
    "sort_buffer_size",
}  # fmt: skip
NOT_LISTED = {"binlog_row_image"}  # MySQL has it from 5.6 on, MariaDB from 10.1 on
# of Facebook's builds after October 2016, by the files of the studies
LATER = {
    "rocksdb", "rocksdb_cache_high_pri_pool_ratio", "rocksdb_cache_index_and_filter_with_high_priority",
    "rocksdb_max_subcompactions", "rocksdb_merge_combine_read_size",
}  # fmt: skip
# what a preset that leaves all else to the build may set
ASIDE = {"innodb_buffer_pool_size", "plugin_load_add", "rocksdb"}
# what a preset says it is not for
FROM_5_6 = {"innodb/c8r32": ("mysql-5.1.x(builtin-innodb)", "mysql-5.1.x(innodb_plugin)", "mysql-5.5.9")}

OTHERS = Catalog().presets("example")[0]  # those of every engine without facts
LIBRARY = [each for each in (*Catalog().presets()[0], *OTHERS) if each.shipped]
PAIRS = [
    pytest.param(preset, column, id=f"{preset.engine}/{preset.name} {column}")
    for preset in LIBRARY
    for column in VERSIONS
    if column in HAVING.get(preset.engine, VERSIONS)
    and column not in FROM_5_6.get(f"{preset.engine}/{preset.name}", ())
]
SETTLED = [pair for pair in PAIRS if pair.values[0].name != STOCK]  # what is compared is set in all others
OF_STOCK = [pair for pair in PAIRS if pair.values[0].name == STOCK]
OF_STUDIES = ("innodb", "rocksdb", "myisam", "aria")
PER_PRESET = [pytest.param(each, id=f"{each.engine}/{each.name}") for each in LIBRARY]


# by column, then by option
TABLE = {column: {row["variable"]: row[column] == "1" for row in ROWS} for column in VERSIONS}


def rendered(preset: Preset, column: str) -> RenderedPreset:
    return render(preset, *VERSIONS[column], MACHINE)


def test_what_the_studies_used_is_there() -> None:
    names = {f"{each.engine}/{each.name}" for each in LIBRARY}
    for engine in ("innodb", "rocksdb", "myisam"):
        assert {f"{engine}/{name}" for name in ("baseline", "optimized", "nuc-i3")} <= names
    for engine in ("innodb", "rocksdb"):
        assert {f"{engine}/{name}" for name in ("optimized-zlib", "tencent", "c8r32")} <= names
    for engine in ("innodb", "myisam"):
        assert {f"{engine}/{name}" for name in ("read-only", "read-only-pfs")} <= names
    assert "rocksdb/optimized-zstd" in names


@pytest.mark.parametrize(("preset", "column"), PAIRS)
def test_no_version_is_given_what_it_does_not_know(preset: Preset, column: str) -> None:
    found = rendered(preset, column)
    assert (found.options or preset.name == STOCK) and not found.dropped
    strict = [each.key for each in found.options if not each.name.startswith("loose_")]
    everywhere = {*EVERYWHERE, engine_of(preset.engine).cache}
    assert [key for key in strict if not TABLE[column].get(key, key in everywhere)] == []


@pytest.mark.parametrize("preset", PER_PRESET)
def test_what_may_be_ignored_is_known_to_some_version(preset: Preset) -> None:
    """Else it is misspelt, and nobody would ever say so."""
    loose = {each.key for each in preset.options if each.name.startswith("loose_")}
    known = {key for column in TABLE.values() for key, is_known in column.items() if is_known}
    assert loose <= known | LATER | NOT_LISTED


@pytest.mark.parametrize(("preset", "column"), SETTLED)
def test_what_differs_between_versions_is_set_in_every_preset(preset: Preset, column: str) -> None:
    values = option_values(rendered(preset, column).text)
    assert values["character_set_server"] == "latin1"
    assert values["collation_server"].startswith("latin1")
    assert (values["ssl"], values["tls_version"]) == ("0", "")
    assert values["sync_binlog"] in ("0", "1")
    assert ("server_id" in values) == (values["log_bin"] != "OFF")
    assert "performance_schema" in values
    if TABLE[column]["query_cache_size"]:
        assert (values["query_cache_size"], values["query_cache_type"]) == ("0", "0")
    _check_innodb(values, column)
    if preset.engine == "innodb":
        assert values["innodb_flush_log_at_trx_commit"] in ("0", "1", "2")
    if preset.engine == "rocksdb":
        assert {"rocksdb_flush_log_at_trx_commit", "rocksdb_write_disable_wal"} & set(values)


def _check_innodb(values: dict[str, str], column: str) -> None:
    """It is there whichever engine is driven."""
    assert values["innodb_flush_method"] in ("O_DIRECT", "O_DIRECT_NO_FSYNC", "O_DSYNC")
    assert values["innodb_doublewrite"] in ("ON", "1")
    assert values["innodb_buffer_pool_dump_at_shutdown"] == "OFF"
    assert values["innodb_buffer_pool_load_at_startup"] == "OFF"
    capacity = int(values["innodb_redo_log_capacity"])
    if not TABLE[column]["innodb_redo_log_capacity"]:
        files = 1 if column.startswith("mariadb") else int(values["innodb_log_files_in_group"])
        assert int(values["innodb_log_file_size"]) * files == capacity, "one size under every name"


@pytest.mark.parametrize("preset", PER_PRESET)
def test_headers_tell_what_a_preset_is_and_how_safe(preset: Preset) -> None:
    assert all(preset.header[each] for each in HEADERS)


@pytest.mark.parametrize(("preset", "column"), OF_STOCK)
def test_stock_sets_memory_and_loads_the_engine(preset: Preset, column: str) -> None:
    """The same memory as the baseline, so that nothing else differs between them but what the build does."""
    values = option_values(rendered(preset, column).text)
    baseline = option_values(rendered(Catalog().preset(preset.engine, BASELINE), column).text)
    assert values.keys() <= {engine_of(preset.engine).cache, *ASIDE}
    assert values.items() <= baseline.items()
    assert engine_of(preset.engine).cache in {*values, ""}


@pytest.mark.parametrize("engine", [*KNOWN_ENGINES, "example"])
def test_every_engine_has_a_baseline_and_stock_first(engine: str) -> None:
    found = Catalog().presets(engine)[0][:2]
    assert [each.name for each in found] == [BASELINE, STOCK]
    assert all(each.shipped and 20 < len(each.title) < 46 for each in found)
    assert found[1].title.startswith("The build's own settings")


@pytest.mark.parametrize("preset", [each for each in PER_PRESET if each.values[0].engine in OF_STUDIES])
def test_the_header_promises_what_the_options_keep(preset: Preset) -> None:
    values = option_values(rendered(preset, DEBIAN_12).text)
    said = preset.header["durability"]
    flushed = values.get(f"{preset.engine}_flush_log_at_trx_commit")
    if values.get("rocksdb_write_disable_wal") == "1" or preset.engine == "myisam":
        assert said.startswith("none: ")
    elif flushed == "1" or preset.engine == "aria":
        assert said.startswith("full: ")
    elif preset.name == STOCK:
        assert said.startswith("full")  # what servers do by themselves: test_stock.py asks them
    else:
        assert said.startswith("loses up to a second of commits")
    if preset.name != STOCK:
        assert ("no binary log" in said) == (values["log_bin"] == "OFF")


@pytest.mark.parametrize("preset", [each for each in PER_PRESET if each.values[0] not in OTHERS])
@pytest.mark.parametrize("ram", [1 << 30, 8 << 30, 256 << 30])
def test_caches_fit_into_small_and_large_machines(preset: Preset, ram: int) -> None:
    values = option_values(render(preset, "MariaDB", VERSION, MachineSize(ram, 2)).text)
    caches = {each.cache for each in KNOWN_ENGINES.values() if each.cache}
    taken = sum(int(values.get(name, 0)) for name in caches)
    assert (taken > 0 or not engine_of(preset.engine).cache) and taken < 0.8 * ram


@pytest.mark.parametrize("engine", ["innodb", "rocksdb"])
def test_compression_is_all_that_optimized_presets_differ_in(engine: str) -> None:
    plain, *others = (
        option_values(render(each, "MariaDB", VERSION, MACHINE).text)
        for each in LIBRARY
        if each.engine == engine and each.name.startswith("optimized")
    )
    for other in others:
        differing = {key for key in plain | other if plain.get(key) != other.get(key)}
        assert len(differing) == 1
        assert differing <= {"innodb_compression_level", "rocksdb_default_cf_options"}
