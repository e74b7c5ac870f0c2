"""`dyno server`: the servers that run already which a person has, and what is found there."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from app.core.errors import InputError
from app.remote.reach import reached
from app.targets.server_login import (
    LoggedInServer,
    UnknownServerCertificateError,
    check_usable,
    found_lines,
    log_in,
    offered_certificate,
)
from app.targets.servers import (
    FORM,
    MOST_QUERIES,
    NamedServer,
    Servers,
    fingerprint_text,
    parse_fingerprint,
    parse_server_url,
    setting_names,
)
from app.targets.store import Targets

from .parser import add_json, add_noun, add_verb, split_word_list, whole_number
from .screen import ask_secret, confirmed, entered, print_json, print_table, say, say_wrapped

if TYPE_CHECKING:
    from app.remote.agent import RemoteAgent


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
    parser.add_argument("--confirm", metavar="HOST", help="the host once more, where it is not loopback")


def _given(arguments: argparse.Namespace) -> dict[str, Any]:
    names = ("target", "tls", "max_queries", "price", "replica_of")
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
    with _agent_for(server) as agent:
        if server.tls:
            server = _with_accepted_certificate(agent, server)
        looked = log_in(agent, server, ask_secret)
    Servers().keep(looked.server)
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
    Servers().keep(changed)


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
    server, accepted = Servers().get(arguments.name), parse_fingerprint(arguments.fingerprint)
    if not server.tls:
        raise InputError(f"server {server.name} is used without TLS: it has no certificate to accept")
    with _agent_for(server) as agent:
        offered = offered_certificate(agent, server)
    if offered != accepted:
        raise InputError(
            f"{server.place} shows {fingerprint_text(offered)}: that is not the fingerprint you gave"
        )
    Servers().keep(replace(server, certificate=offered))
    fingerprint = fingerprint_text(offered)
    say(f"{server.name}: certificate {fingerprint} accepted; next: dyno server show {server.name}")


def show_server(arguments: argparse.Namespace) -> None:
    server = Servers().get(arguments.name)
    with _agent_for(server) as agent:
        if server.tls and not server.certificate:
            server = _with_accepted_certificate(agent, server)
        check_usable(server)
        looked = log_in(agent, server, ask_secret)
    Servers().keep(looked.server)
    if arguments.json:
        print_json(_entry(looked))
    else:
        _show(looked)


def clean_server(arguments: argparse.Namespace) -> None:
    server = Servers().get(arguments.name)
    if server.replica_of:
        what = f"server {server.name} is a replica, where Dyno makes nothing"
        raise InputError(f"{what}: write dyno server clean {server.replica_of}")
    check_usable(server)
    with _agent_for(server) as agent:
        removed = agent.clean_server(server.asked(log_in(agent, server, ask_secret).password))
    for each in removed:
        say(f"removed {each}")
    if not removed:
        say(f"nothing is left in the schema {server.schema} of {server.place}")


@contextmanager
def _agent_for(server: NamedServer) -> Iterator[RemoteAgent]:
    """The agent of the target that drives it."""
    with reached(Targets().get(server.target), ask_secret) as agent:
        yield agent


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


def _with_accepted_certificate(agent: RemoteAgent, server: NamedServer) -> NamedServer:
    """Ask a person whether the certificate is right; without a terminal the server is kept without it."""
    offered = offered_certificate(agent, server)
    fingerprint = fingerprint_text(offered)
    answer = confirmed(f"the certificate of {server.place} is {fingerprint}: accept it?")
    if answer is None:
        Servers().keep(server)
        raise UnknownServerCertificateError(server, fingerprint)
    if not answer:
        raise InputError(f"the certificate of {server.place} is not accepted: nothing was sent to it")
    return replace(server, certificate=offered)


def _entry(looked: LoggedInServer) -> dict[str, Any]:
    from app.protocol.answers import to_json

    return {**asdict(looked.server), "found": to_json(looked.found)}


def _show(looked: LoggedInServer) -> None:
    say_wrapped(*found_lines(looked))
