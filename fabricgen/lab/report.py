"""What `lab check` tells: for people, and for programs."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from fabricgen.kernel.diagnostics import make_printable
from fabricgen.lab.breaking import broken_links
from fabricgen.lab.check import Check, Finding, ask, findings
from fabricgen.lab.fabric import Lab
from fabricgen.lab.files import Link

FORMATS = ("text", "json")

LOOKS, SAME, PAUSE_S = 20, 5, 0.5
"""A lab is looked at until it is found the same so many times in a row, at most so often: routes take a moment."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What is found in a lab: links that are broken, sessions that are up of those that should be, and findings."""

    broken: Sequence[Link]
    up: int
    sessions: int
    findings: Sequence[Finding]


def judge(lab: Lab) -> Judged:
    """Look at a lab until nothing is wrong or it stays as it is; raises InputError (FG175) where it does not answer."""
    looks = [_look(lab)]
    while looks[-1].findings and len(looks) < LOOKS and not (len(looks) >= SAME and _same(looks[-SAME:])):
        time.sleep(PAUSE_S)
        looks.append(_look(lab))
    return looks[-1]


def _same(looks: Sequence[Judged]) -> bool:
    return all(look == looks[0] for look in looks)


def _look(lab: Lab) -> Judged:
    broken = broken_links(lab)
    up, sessions = Check(lab, lab.build, ask(lab, lab.build)).count()
    return Judged(sorted(broken, key=str), up, sessions, findings(lab, lab.build, broken))


def write(form: str, name: str, lab: Lab, found: Judged) -> str:
    """The report in a format by name: text or json."""
    return _json(name, lab, found) if form == "json" else _text(name, lab, found)


def _text(name: str, lab: Lab, found: Judged) -> str:
    lines = [make_printable(str(each)) for each in found.findings]
    count = len(found.findings)
    verdict = f"{count} finding{'s' * (count != 1)}" if count else "all is as planned"
    return "\n".join([*lines, f"{name}: {size(lab)}, {found.up} of {found.sessions} sessions up: {verdict}"])


def size(lab: Lab) -> str:
    """Switches, hosts and links of a lab in words."""
    build = lab.build
    return f"{len(build.switches)} switches, {len(build.hosts)} hosts, {len(build.links)} links"


def _json(name: str, lab: Lab, found: Judged) -> str:
    value = {
        "lab": name,
        "switches": len(lab.build.switches),
        "hosts": len(lab.build.hosts),
        "links": len(lab.build.links),
        "broken": [{"a": str(link.a), "b": str(link.b)} for link in found.broken],
        "sessions": {"up": found.up, "planned": found.sessions},
        "findings": [asdict(each) for each in found.findings],
    }
    return json.dumps(value, indent=2)
