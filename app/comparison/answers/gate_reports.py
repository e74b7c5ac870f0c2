"""The answer of a gate for the pages of a CI: Markdown, and JUnit's XML."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from app.core.harmless import harmless
from app.core.table import Table, to_markdown
from app.core.units import unit_text

from .claims import FAILS, ClaimLine, ClaimsEntry
from .gate import UNTOLD, WORSE, GateEntry, GateLine, interval_text

HEADERS = ("step", "unit", "ratio", "interval", "n", "verdict")
CLAIM_HEADERS = ("claim", *HEADERS[1:])
_TAGS = {WORSE: "failure", FAILS: "failure", UNTOLD: "skipped"}
_PASSED = "system-out"


def gate_row(line: GateLine) -> tuple[str, ...]:
    """A step as a row of HEADERS."""
    less = " (less is better)" if line["direction"] == "lower" else ""
    ratio = "-" if line["ratio"] is None else f"{line['ratio']:.3f}"
    verdict = ": ".join(filter(None, (line["verdict"], line["why"])))
    return line["step"], unit_text(line["unit"]) + less, ratio, interval_text(line), str(line["n"]), verdict


def claim_row(line: ClaimLine) -> tuple[str, ...]:
    """A claim as a row of CLAIM_HEADERS."""
    return line["claim"], *gate_row(line)[1:]


def gate_table(found: GateEntry) -> Table:
    """A line for each step, titled with the answer."""
    lines = tuple(gate_row(line) for line in found["steps"])
    return Table(found["sentence"], HEADERS, lines, 2, tuple(found["remarks"]))


def claims_table(found: ClaimsEntry) -> Table:
    """A line for each claim, titled with the answer."""
    lines = tuple(map(claim_row, found["claims"]))
    return Table(found["sentence"], CLAIM_HEADERS, lines, 2, tuple(found["remarks"]))


def gate_markdown(found: GateEntry) -> str:
    return to_markdown(gate_table(found))


def gate_junit(found: GateEntry) -> bytes:
    """A test case for each step, and one for the answer."""
    return _junit(found, [(line, gate_row(line)) for line in found["steps"]])


def claims_junit(found: ClaimsEntry) -> bytes:
    """A test case for each claim, and one for all of them."""
    return _junit(found, [(line, claim_row(line)) for line in found["claims"]])


def _junit(found: GateEntry | ClaimsEntry, lines: Sequence[tuple[GateLine, tuple[str, ...]]]) -> bytes:
    suite = ElementTree.Element("testsuite", name="dyno gate")
    for line, (name, unit, ratio, interval, n, text) in lines:
        details = f"ratio {ratio}, interval {interval}, n {n}, {unit}"
        _add_case(suite, name, _TAGS.get(line["verdict"], _PASSED), text, details)
    # skipped steps alone would look like an answer
    tag = "error" if found["verdict"] == UNTOLD else _TAGS.get(found["verdict"], _PASSED)
    _add_case(suite, "gate", tag, found["sentence"], "\n".join(found["remarks"]))
    suite.set("tests", str(len(suite)))
    for tag, name in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        suite.set(name, str(len(suite.findall(f"testcase/{tag}"))))
    suites = ElementTree.Element("testsuites")
    suites.append(suite)
    ElementTree.indent(suites)
    xml: str = ElementTree.tostring(suites, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{xml}\n'.encode()


def _add_case(suite: ElementTree.Element, name: str, tag: str, text: str, details: str) -> None:
    case = ElementTree.SubElement(suite, "testcase", classname="dyno.gate", name=_xml(name))
    found = ElementTree.SubElement(case, tag)
    if tag != _PASSED:
        found.set("message", _xml(text))
        text = ""
    found.text = _xml("\n".join(filter(None, (text, details))))


def _xml(text: str) -> str:
    """Without the characters that XML cannot hold."""
    lines = (harmless(line) for line in text.split("\n"))
    return "\n".join(lines).encode("utf-8", "replace").decode()
