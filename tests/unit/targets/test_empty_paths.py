"""Search paths that lead to no build."""

from __future__ import annotations

from app.targets.builds import paths_without_builds
from tests.plans import build, survey


def test_a_path_is_the_directory_of_a_build_or_of_several() -> None:
    builds = survey(builds=[build("mysql-5.6.24", "MySQL", "5.6.24", ["innodb"])]).builds
    base = builds[0].base
    folder = base.rpartition("/")[0]
    paths = [base, f"{base}/", folder, f"{folder}/*", "~/builds", "/opt/nothing*", f"{folder}/other*"]
    assert paths_without_builds(paths, builds) == ["/opt/nothing*", f"{folder}/other*"]
    assert paths_without_builds(["/opt/*"], []) == ["/opt/*"]
