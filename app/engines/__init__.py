"""All that Dyno knows of storage engines: one file each, and what it does with any other one.

Desktop and agent share this folder: standard library, Python 3.8, nothing else of Dyno. A server is asked
by the function that is passed in. A file of this folder with an `ENGINE` is all the Python it takes to
add one.
Start with `engine` (the general one), then `innodb`; `server` holds for every server. Others ask
`engine_of`.
"""

from __future__ import annotations

import pkgutil
import re
from functools import lru_cache
from importlib import import_module
from typing import Dict, Iterator, Tuple

from .cause import CAUSES, Cause
from .engine import Engine, generic_engine
from .panel import EngineFigure
from .server import THREADS

_ORDER = ("innodb", "rocksdb", "myisam", "aria")  # in which people see them; others follow by their names


def _found() -> Iterator[Engine]:
    for module in pkgutil.iter_modules(__path__, __name__ + "."):
        engine = getattr(import_module(module.name), "ENGINE", None)
        if engine is not None:
            yield engine


def _place(engine: Engine) -> Tuple[bool, int, str]:
    is_first = engine.name in _ORDER
    return not is_first, _ORDER.index(engine.name) if is_first else 0, engine.name


KNOWN: Dict[str, Engine] = {each.name: each for each in sorted(_found(), key=_place)}
FIRST = KNOWN["innodb"]  # of what is offered and estimated before anybody has chosen
DUEL = (FIRST, KNOWN["rocksdb"])
IN_EVERY_SERVER = (FIRST, KNOWN["myisam"])  # every server takes memory for their caches


def engine_of(name: str) -> Engine:
    """The engine of this name or alias; a general one if Dyno does not know it."""
    wanted = name.lower()
    found = (each for each in KNOWN.values() if wanted == each.name or wanted in each.aliases)
    return next(found, None) or generic_engine(wanted)


def all_figures() -> Tuple[EngineFigure, ...]:
    """One figure of each name that the panels have, in the order of the engines."""
    found: Dict[str, EngineFigure] = {}
    for engine in KNOWN.values():
        for figure in engine.panel:
            found.setdefault(figure.name, figure)
    return tuple(found.values())


def all_causes() -> Tuple[Cause, ...]:
    """The causes of every engine, and those of each."""
    return (*CAUSES, *(cause for engine in KNOWN.values() for cause in engine.causes))


def engines_with_caches(engine: Engine) -> Tuple[Engine, ...]:
    """The engines whose caches a server allocates while this one is driven."""
    return tuple(dict.fromkeys((*IN_EVERY_SERVER, engine)))


@lru_cache(maxsize=256)
def kind_of_thread(name: str) -> str:
    """The kind of a thread of a server, by the name that kernel or server has for it."""
    rules = (rule for each in KNOWN.values() for rule in each.threads)
    return next((kind for kind, begin in (*rules, *THREADS) if re.match(begin, name)), "other")
