"""The way to a target, from what the person has written in Dyno and in ~/.ssh/config."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.core.errors import InputError
from app.remote.route import Hop, find_route
from app.remote.target import Target

ME = "me"


@pytest.fixture(autouse=True)
def _me(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.setenv(name, ME)


def route(folder: Path, config: str = "", **fields: object) -> list[Hop]:
    (folder / "config").write_text(config)
    target = Target("t", **{"host": "nuc", "directories": ["/d"], **fields})  # type: ignore[arg-type]
    return find_route(target, folder / "config")


def places(hops: list[Hop]) -> list[str]:
    return [f"{hop.user}@{hop.host}:{hop.port}" for hop in hops]


def test_without_a_config(tmp_path: Path) -> None:
    target = Target("t", host="nuc", directories=["/d"])
    assert find_route(target, tmp_path / "missing") == [Hop("nuc", 22, ME)]


def test_what_dyno_was_told_comes_before_the_config(tmp_path: Path) -> None:
    config = "Host nuc\n HostName nuc.lan\n User bench\n Port 2200\n"
    assert places(route(tmp_path, config)) == ["bench@nuc.lan:2200"]
    assert places(route(tmp_path, config, user="root", port=22)) == ["root@nuc.lan:22"]


def test_jumps_in_their_order(tmp_path: Path) -> None:
    config = "Host nuc\n ProxyJump a,bench@b:2200\nHost a\n HostName a.lan\n"
    assert places(route(tmp_path, config)) == ["me@a.lan:22", "bench@b:2200", "me@nuc:22"]
    assert places(route(tmp_path, config, jump="c")) == ["me@c:22", "me@nuc:22"]
    assert places(route(tmp_path, config, jump="none")) == ["me@nuc:22"]
    assert places(route(tmp_path, jump="ssh://x@[fe80::1]:22")) == ["x@fe80::1:22", "me@nuc:22"]


def test_the_first_jump_may_have_jumps_of_its_own(tmp_path: Path) -> None:
    config = "Host nuc\n ProxyJump a,b\nHost a\n ProxyJump c\nHost b\n ProxyJump d\n"
    assert places(route(tmp_path, config)) == ["me@c:22", "me@a:22", "me@b:22", "me@nuc:22"]


def test_a_way_without_end(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="more than 8 hosts"):
        route(tmp_path, "Host *\n ProxyJump gate\n")


@pytest.mark.parametrize("jump", ["a:port", "a b", "-oProxyCommand=x", "@", "a,,b", "x@y@z"])
def test_what_is_no_jump(tmp_path: Path, jump: str) -> None:
    with pytest.raises(InputError, match="is no host to jump over"):
        route(tmp_path, jump=jump)


def test_a_proxy_command_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="ProxyCommand, which Dyno cannot use"):
        route(tmp_path, "Host nuc\n ProxyCommand nc %h %p\n")


def test_identities(tmp_path: Path) -> None:
    for name in ("id_rsa", "id_ed25519", "mine"):
        (tmp_path / name).write_text("")
    assert route(tmp_path)[0].identities == (tmp_path / "id_ed25519", tmp_path / "id_rsa")
    config = f"Host nuc\n IdentityFile {tmp_path}/mine\n IdentityFile {tmp_path}/gone\n IdentitiesOnly yes\n"
    hop = route(tmp_path, config)[0]
    assert hop.identities == (tmp_path / "mine",) and hop.identities_only
    assert route(tmp_path, config, identity=f"{tmp_path}/id_rsa")[0].identities == (tmp_path / "id_rsa",)
    with pytest.raises(InputError, match=r"key file .* does not exist"):
        route(tmp_path, identity=f"{tmp_path}/gone")


@pytest.mark.parametrize(
    "text", ["ssh-ed25519 AAAA me@here", "ecdsa-sha2-nistp256 AAAA", "sk-ssh-ed25519@openssh.com AAAA"]
)
def test_a_public_key_is_not_the_one_to_log_in_with(tmp_path: Path, text: str) -> None:
    (tmp_path / "id.pub").write_text(text)
    with pytest.raises(InputError, match=r"id\.pub is a public key: choose the private key"):
        route(tmp_path, identity=f"{tmp_path}/id.pub")


def test_included_files_are_read_where_they_stand(tmp_path: Path) -> None:
    (tmp_path / "config.d").mkdir()
    (tmp_path / "config.d" / "1").write_text("Host nuc\n Port 2201\n")
    (tmp_path / "config.d" / "2").write_text("Host other\n Port 2202\n")
    config = "Include config.d/*\nUser bench\nHost *\n Port 2203\n"
    assert places(route(tmp_path, config)) == ["bench@nuc:2201"]
    assert places(route(tmp_path, config, host="third")) == ["bench@third:2203"]


def test_a_config_that_includes_itself_ends(tmp_path: Path) -> None:
    assert places(route(tmp_path, "Include config\nHost nuc\n Port 2201\n")) == ["me@nuc:2201"]


def test_a_config_that_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        route(tmp_path, "no separator here?\nHost")
    with pytest.raises(InputError, match="says of nuc what cannot be used"):
        route(tmp_path, "Host nuc\n Port many\n")
