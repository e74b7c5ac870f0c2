"""`dyno server`: the servers that run already which a person has, and what is found there."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any, TypeVar

from app.core.errors import InputError
from app.remote.target import Ask
from app.targets.server_actions import clean_schema, look_anew, look_at_server, trust_certificate
from app.targets.server_address import FORM, fingerprint_text, parse_server_url, setting_names
from app.targets.server_login import (
    CertificateNotAcceptedError,
    LoggedInServer,
    UnknownServerCertificateError,
    found_lines,
)
from app.targets.servers import MOST_QUERIES, NamedServer, Servers
from app.targets.store import Targets

from .parser import add_json, add_noun, add_verb, split_word_list, whole_number
from .screen import ask_secret, confirmed, entered, print_json, print_table, say, say_wrapped

T = TypeVar("T")


def add_words(words: Any) -> None:
    verbs = add_noun(
        words, "server", "servers that run already: Dyno drives them, and neither starts nor ends them"
    )
    adding = add_verb(verbs, add_server, "add a server: look at its certificate, log in, keep its address")
    adding.add_argument("name", help="name of the server; a contender is @NAME or @NAME:ENGINE")
    adding.add_argument("url", help=f"{FORM}; the schema is empty, or was used by Dyno before")
    adding.add_argument("-t", "--target", help="target that drives (default: local, this computer)")
    adding.add_argument(
        "--no-tls", dest="tls", action="store_false", default=None, help="plain text, without TLS"
    )
    _add_fields(adding)
    editing = add_verb(verbs, edit_server, "change a server", _add_name)
    editing.add_argument("--url", help=f"another address: {FORM}")
    editing.add_argument("-t", "--target", help="target that drives")
    editing.add_argument("--tls", action=argparse.BooleanOptionalAction, help="with TLS, or in plain text")
    _add_fields(editing)
    add_verb(verbs, list_servers, "list the servers", add_json)
    add_verb(
        verbs,
        show_server,
        "look at a server now: version, engines, what cannot be known",
        _add_name,
        add_json,
    )
    trust = add_verb(verbs, trust_server, "accept the certificate with this fingerprint", _add_name)
    trust.add_argument("fingerprint", help="SHA256:..., as the error message shows it")
    text = "drop what Dyno made in its schema, if a plan that was killed has left it there"
    add_verb(verbs, clean_server, text, _add_name)
    text = "remove a server from the list; nothing on the server changes"
    add_verb(verbs, remove_server, text, _add_name)


def _add_name(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", help="server, as dyno server list names it")


def _add_fields(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--settings", type=str, metavar="NAME,...", help="variables whose values belong to the contender: a,b"
    )
    parser.add_argument(
        "--max-queries", type=whole_number(0, MOST_QUERIES), metavar="N",
        help="the most queries a second that Dyno may send (default: 0, any)",
    )  # fmt: skip
    parser.add_argument("--price", type=str, help="price of an hour: '0.52 USD'")
    parser.add_argument(
        "--replica-of", type=str, metavar="NAME", help="the server that it replicates; it takes only reads"
    )
    parser.add_argument(
        "--remember", action=argparse.BooleanOptionalAction, help="store its password in the system keyring"
    )
    parser.add_argument("--confirm", metavar="HOST", help="the host once more, where it is not loopback")


def _given(arguments: argparse.Namespace) -> dict[str, Any]:
    names = ("target", "tls", "max_queries", "price", "replica_of", "remember")
    found = {name: getattr(arguments, name) for name in names if getattr(arguments, name) is not None}
    if arguments.settings is not None:
        listed = split_word_list("settings", arguments.settings) if arguments.settings.strip() else []
        found["settings"] = setting_names(listed)
    if "target" in found:
        Targets().get(found["target"])
    return found


def add_server(arguments: argparse.Namespace) -> None:
    server = replace(parse_server_url(arguments.name, arguments.url), **_given(arguments))
    Servers().check_new(server)
    server = _with_confirmed_host(server, arguments.confirm)
    try:
        looked = look_at_server(server, ask_secret)
    except UnknownServerCertificateError as error:
        if not _accepts(error):  # nobody can be asked: it is accepted by its fingerprint later
            Servers().add(server)
            raise
        looked = look_at_server(replace(server, certificate=error.offered), ask_secret)
    Servers().add(looked.server)
    _show(looked)
    say(f"{server.name} is added; next: dyno run @{server.name} ...")


def edit_server(arguments: argparse.Namespace) -> None:
    changes = _given(arguments)
    if arguments.url:
        named = parse_server_url(arguments.name, arguments.url)
        changes |= {each: getattr(named, each) for each in ("host", "port", "schema", "user")}
    changed = Servers().changed(arguments.name, **changes)
    if arguments.confirm or changed.needs_confirmation:
        changed = _with_confirmed_host(changed, arguments.confirm)
    Servers().update(changed)


def remove_server(arguments: argparse.Namespace) -> None:
    Servers().remove(arguments.name)


def list_servers(arguments: argparse.Namespace) -> None:
    servers = Servers().all()
    if arguments.json:
        print_json([asdict(server) for server in servers])
        return
    rows = [
        (
            each.name,
            each.url,
            each.target,
            f"{each.family} {each.version}".strip(),
            " ".join(each.engines),
            each.price,
            each.replica_of,
        )
        for each in servers
    ]
    heads = ("name", "address", "driven by", "server", "engines", "price of an hour", "replica of")
    print_table(heads, rows, least=("price of an hour", "engines", "driven by", "replica of"))


def trust_server(arguments: argparse.Namespace) -> None:
    trusted = trust_certificate(arguments.name, arguments.fingerprint, ask_secret)
    fingerprint = fingerprint_text(trusted.certificate)
    say(f"{trusted.name}: certificate {fingerprint} accepted; next: dyno server show {trusted.name}")


def show_server(arguments: argparse.Namespace) -> None:
    looked = _past_certificate(look_anew, arguments.name)
    if arguments.json:
        print_json(_entry(looked))
    else:
        _show(looked)


def clean_server(arguments: argparse.Namespace) -> None:
    for line in _past_certificate(clean_schema, arguments.name):
        say(line)


def _past_certificate(do: Callable[[str, Ask, str], T], name: str) -> T:
    """Do it, once a person has accepted a certificate that nobody has seen before."""
    try:
        return do(name, ask_secret, "")
    except UnknownServerCertificateError as error:
        if not _accepts(error):
            raise
        return do(name, ask_secret, error.offered)


def _accepts(error: UnknownServerCertificateError) -> bool:
    """Ask a person whether the certificate is right; False where nobody is there."""
    answer = confirmed(f"the certificate of {error.server.place} is {error.fingerprint}: accept it?")
    if answer is False:
        raise CertificateNotAcceptedError(error.server)
    return bool(answer)


def _with_confirmed_host(server: NamedServer, given: str | None) -> NamedServer:
    """A server that is elsewhere is confirmed by typing its host: nobody drives another one by mistake."""
    if not given and not server.needs_confirmation:
        return server
    typed = given or entered(
        f"Dyno fills tables there and reads and writes them. Type the host {server.host} to confirm it"
    )
    if typed is None:
        raise InputError(
            f"server {server.name} is on {server.host}, which is not loopback:"
            f" confirm it with --confirm {server.host}"
        )
    return server.with_confirmed_host(typed)


def _entry(looked: LoggedInServer) -> dict[str, Any]:
    from app.protocol.answers import to_json

    return {**asdict(looked.server), "found": to_json(looked.found)}


def _show(looked: LoggedInServer) -> None:
    say_wrapped(*found_lines(looked))
