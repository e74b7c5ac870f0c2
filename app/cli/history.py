"""`dyno history`: the team's history, if there is one, and who did what in it."""

from __future__ import annotations

import argparse
from contextlib import closing
from typing import TYPE_CHECKING, Any

from app.core.errors import InputError
from app.core.units import count_text

from .parser import add_json, add_json_only, add_noun, add_verb, whole_number
from .screen import complain, print_json, print_table, say, secret_asker, status_line
from .session import HEADERS, LEAST, SESSION, opened_history, session_list_cells
from .written import say_written

if TYPE_CHECKING:
    from app.team.edits import Edit

LOCAL = "local"


def add_words(words: Any) -> None:
    verbs = add_noun(words, "history", "the history: of this computer alone, or shared with a team")
    use = add_verb(verbs, use_history, "share the history with a team, through a MySQL or MariaDB server")
    use.add_argument(
        "address", help="mysql://USER@HOST[:PORT]/DATABASE, or local: this computer's own history alone"
    )
    use.add_argument("--as", dest="person", default="", help="your name for the others (default: USER)")
    use.add_argument(
        "--certificate", default="", help="accept the certificate with this fingerprint, SHA256:..."
    )
    use.add_argument(
        "--auth-plugin",
        choices=("caching_sha2_password", "sha256_password"),
        default="",
        help="accept that the server asks for the password as plain text within TLS, by this plugin",
    )
    use.add_argument("--no-tls", action="store_true", help="without TLS; only to a server of this computer")
    use.add_argument(
        "--merge", action="store_true", help="leave another team and give this one everything that is here"
    )
    use.add_argument(
        "--fetch",
        choices=("all", "chosen"),
        default="all",
        help="sessions of others that come to this computer: all, or those of dyno history fetch",
    )
    add_verb(verbs, sync_history, "exchange sessions and edits with the team now")
    listing = add_verb(verbs, list_history, "list the team's sessions on its server, the newest first")
    listing.add_argument("--text", default="", help="words that occur in its names, tags, notes")
    listing.add_argument("-t", "--target", default="", help="only sessions of this target")
    listing.add_argument("--engine", default="", help="only sessions of this engine")
    listing.add_argument(
        "--page", type=whole_number(1, 100_000), default=1, help="100 sessions a page (default: 1)"
    )
    add_json(listing)
    fetch = add_verb(verbs, fetch_history, "fetch whole sessions from the team's server")
    fetch.add_argument(
        "sessions",
        nargs="+",
        metavar="SESSION",
        help="its id, the last 6 characters of that, or the id of a plan",
    )
    export = add_verb(
        verbs, export_history, "write sessions, steps, figures and seconds for analysis elsewhere"
    )
    export.add_argument("--parquet", required=True, metavar="FOLDER", help="a new folder for Parquet files")
    export.add_argument("sessions", nargs="*", metavar="SESSION", help="sessions or plans (default: all)")
    add_json_only(export)
    add_verb(
        verbs, show_history_choice, "show which history is in use, and what waits to be shared", add_json
    )
    edits = add_verb(
        verbs, edits_history, "show who named, tagged, noted, cut or deleted a session", add_json
    )
    edits.add_argument("session", help=SESSION)


def export_history(arguments: argparse.Namespace) -> None:
    from pathlib import Path

    from app.history.exchange.parquet import export_parquet

    folder = Path(arguments.parquet)
    with opened_history() as history:
        ids = export_parquet(history, folder, arguments.sessions)
    text = f"{count_text(len(ids), 'session')} in {folder}: sessions, steps, figures, series"
    say_written(arguments, folder, "parquet", ids, text)


def use_history(arguments: argparse.Namespace) -> None:
    from app.core.settings import home
    from app.team.address import TeamHistoryChoice, check_person, keep_history_choice, parse_team_address
    from app.team.login import join_team_history

    if arguments.address == LOCAL:
        keep_history_choice(home(), None)
        say("this computer's own history is in use; what came from a team stays in it")
        return
    address = parse_team_address(arguments.address)
    person = check_person(arguments.person or address.user)
    choice = TeamHistoryChoice(
        str(address), person, not arguments.no_tls, arguments.certificate, arguments.fetch == "all",
        arguments.auth_plugin,
    )  # fmt: skip
    join_team_history(home(), choice, secret_asker(), arguments.merge)
    say(f"the history is shared through {address} from now on")
    _exchange(arguments.merge)


def sync_history(arguments: argparse.Namespace) -> int:  # noqa: ARG001 - as all verbs
    return _exchange(merge_teams=False)


def _exchange(merge_teams: bool) -> int:
    from app.core.settings import home
    from app.team.exchange import Exchanger, chosen_team_history

    choice = chosen_team_history(home())
    with opened_history() as history, closing(Exchanger()) as exchanger, status_line("connecting") as shown:
        done = exchanger.exchange(history, choice, secret_asker(), shown, merge_teams)
    say(done.text)
    return complain(*(f"dyno: {problem}" for problem in done.problems))


def list_history(arguments: argparse.Namespace) -> None:
    from app.core.settings import home
    from app.history.lists.browsing import Filter
    from app.team.exchange import Exchanger, chosen_team_history
    from app.team.listing import PAGE, team_session_page

    named = {name: getattr(arguments, name) for name in ("target", "engine")}
    wanted = Filter(arguments.text, {name: (value,) for name, value in named.items() if value})
    with closing(Exchanger()) as exchanger:
        found = team_session_page(
            exchanger.lists(chosen_team_history(home()), secret_asker()), wanted, (arguments.page - 1) * PAGE
        )
    if arguments.json:
        print_json(found)
    else:
        print_table(
            (*HEADERS, "who"), [(*session_list_cells(each), each["person"]) for each in found], least=LEAST
        )


def fetch_history(arguments: argparse.Namespace) -> int:
    from app.core.settings import home
    from app.team.exchange import Exchanger, chosen_team_history
    from app.team.listing import find_team_sessions

    choice = chosen_team_history(home())
    with opened_history() as history, closing(Exchanger()) as exchanger:
        lists = exchanger.lists(choice, secret_asker())
        sessions = [id_ for each in arguments.sessions for id_ in find_team_sessions(lists, each)]
        done = exchanger.fetch(history, choice, secret_asker(), sessions)
    say(done.text)
    return complain(*(f"dyno: {problem}" for problem in done.problems))


def show_history_choice(arguments: argparse.Namespace) -> None:
    from app.core.settings import home
    from app.team.address import read_team_history
    from app.team.exchange import waiting_for_team

    choice = read_team_history(home())
    with opened_history() as history:
        waiting = waiting_for_team(history, choice) if choice else None
    if arguments.json:
        shown = (
            {"address": choice.address, "person": choice.person}
            if choice
            else {"address": LOCAL, "person": ""}
        )
        print_json(
            {**shown, "sessions_waiting": waiting and waiting[0], "edits_waiting": waiting and waiting[1]}
        )
    elif choice is None or waiting is None:
        say("this computer's own history; to share it with a team: dyno history use ADDRESS")
    else:
        say(f"shared through {choice.address} as {choice.person}")
        sessions, edits = count_text(waiting[0], "session"), count_text(waiting[1], "edit")
        say(f"waiting to be shared: {sessions}, {edits}")


def edits_history(arguments: argparse.Namespace) -> None:
    from app.history.lists.sessions import find
    from app.team.local_edits import edits_of, overruled_edits

    with opened_history() as history:
        session = find(history, arguments.session)
        found, lost = edits_of(history, session), overruled_edits(history, session)
    if not found:
        raise InputError(f"session {session} has no edits that a team shares")
    if arguments.json:
        print_json([_entry(each, each in lost) for each in found])
    else:
        print_table(("when", "who", "what", "of the team"), [_row(each, each in lost) for each in found])


def _entry(edit: Edit, is_lost: bool) -> dict[str, Any]:
    import json

    value = None if edit.value is None else json.loads(edit.value)
    return {"at": edit.at, "person": edit.person, "kind": edit.kind, "item": edit.item, "value": value,
            "lost": is_lost}  # fmt: skip


def _row(edit: Edit, is_lost: bool) -> tuple[str, ...]:
    from app.core.units import date_text
    from app.team.edit_text import edit_text

    return date_text(edit.at), edit.person, edit_text(edit), "overruled by a later one" if is_lost else ""
