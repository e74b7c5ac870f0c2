"""Core sets: a number of cores, or CPUs, as the CPUs of a server and of its load on a surveyed target."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest

from app.catalog.amounts import CoreSets
from app.core.errors import InputError
from app.core.ranges import as_listed, cpus_of
from app.protocol.cpus import as_text

CPUS = SHARED_CPUS, OWN_CPUS = "shared", "own"  # of server and load, where a step has no core set

Nodes = list[list[list[int]]]  # of each node its cores, of each core its CPUs


@dataclass(frozen=True)
class CoreSet:
    """The CPUs of a server, and those left for the load."""

    server: str = ""  # as taskset -c takes them; empty: all
    load: str = ""
    shared: bool = False  # the load runs on cores of the server

    @classmethod
    def of(cls, wanted: int | str, nodes: Nodes) -> CoreSet:
        """The core set of a number (whole cores node by node, then siblings) or of listed CPUs.

        Raises InputError beyond the machine.
        """
        if not nodes:
            raise InputError("the CPU topology of the target is unknown: survey it again")
        if not _fits(wanted, nodes):
            raise InputError(_beyond(wanted, nodes), "cores")
        server = set(cpus_of(wanted) if isinstance(wanted, str) else cpus_in_server_order(nodes)[:wanted])
        load, shared = _left_to_the_load(nodes, server)
        return cls(as_text(server), as_text(load), shared)

    @classmethod
    def apart(cls, nodes: Nodes) -> CoreSet:
        """Separate cores for server and load, half each; raises InputError for a single core."""
        cores = [core for node in nodes for core in node]
        if len(cores) < 2:
            raise InputError(f"server and client cannot get separate CPUs: {_there(nodes)}", "cpus")
        server = {cpu for core in cores[: (len(cores) + 1) // 2] for cpu in core}
        return cls(as_text(server), as_text(_left_to_the_load(nodes, server)[0]))


ALL_CORES = CoreSet()


def as_far_as_it_goes(sets: CoreSets, nodes: Nodes) -> CoreSets:
    """The core sets of a sequence that the target has room for; raises InputError where it has for none."""
    found = tuple(each for each in sets if _fits(each, nodes))
    if sets and nodes and not found:
        text = f"the sequence sets cores {as_listed(sets)}: {_there(nodes)}"
        raise InputError(f"{text}; choose fewer cores", "cores")
    return found if nodes else sets


def _fits(wanted: int | str, nodes: Nodes) -> bool:
    there = cpus_in_server_order(nodes)
    return cpus_of(wanted).issubset(there) if isinstance(wanted, str) else wanted <= len(there)


def cpus_in_server_order(nodes: Nodes) -> list[int]:
    """The CPUs in the order in which a server gets them."""
    cores = [core for node in nodes for core in node]
    rounds = zip_longest(*cores)  # the first CPU of each core, then the second of each, ...
    return [cpu for each in rounds for cpu in each if cpu is not None]


def _left_to_the_load(nodes: Nodes, server: set[int]) -> tuple[set[int], bool]:
    """CPUs for the load: cores without the server, else the rest of its cores, else all (then shared)."""
    cores = [core for node in nodes for core in node]
    untouched = {cpu for core in cores if not server & set(core) for cpu in core}
    everything = {cpu for core in cores for cpu in core}
    return (untouched, False) if untouched else (everything - server or everything, True)


def _beyond(wanted: int | str, nodes: Nodes) -> str:
    if isinstance(wanted, str):
        there = as_text(cpus_in_server_order(nodes))
        return f"a server on CPUs {wanted}: the target has {there}; choose other CPUs"
    return f"a server with {wanted} cores: {_there(nodes)}; choose fewer cores"


def _there(nodes: Nodes) -> str:
    cores = sum(map(len, nodes))
    cpus = len(cpus_in_server_order(nodes))
    return f"the target has {cores}" if cores == cpus else f"the target has {cores} with {cpus} CPUs"
