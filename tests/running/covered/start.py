"""What a measured Python process does first: it starts coverage, and lets agent files do the same."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import os
import sys
import sysconfig
from collections.abc import Sequence
from types import ModuleType

import coverage

# Only this Python can use the environment's coverage; the agent's other ones go unmeasured.
BEFORE_AGENT = """\
import sys
if sys.version_info[:2] == {version}:
    import os
    os.environ["COVERAGE_PROCESS_START"] = {settings!r}
    sys.path.append({site!r})
    try:
        import coverage
    except (ImportError, OSError):
        pass  # another user may not read it
    else:
        coverage.process_startup(force=True)
    del os.environ["COVERAGE_PROCESS_START"]
    sys.path.pop()
"""


class BundleFinder(importlib.abc.MetaPathFinder):
    """Lets `app.remote.bundle` be found as ever, and gives its agent file a first line."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != "app.remote.bundle":
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is not None and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = BundleLoader(name, spec.loader.path)
        return spec


class BundleLoader(importlib.machinery.SourceFileLoader):
    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        first = BEFORE_AGENT.format(
            version=tuple(sys.version_info[:2]),
            settings=os.environ["COVERAGE_PROCESS_START"],
            site=sysconfig.get_path("purelib"),
        )
        module.MAIN = first.encode() + module.MAIN  # type: ignore[attr-defined]


coverage.process_startup()
sys.meta_path.insert(0, BundleFinder())
