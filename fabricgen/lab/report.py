"""What `lab check` tells: for people, and for programs."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from fabricgen.kernel.diagnostics import make_printable
from fabricgen.lab.breaking import find_broken_links
from fabricgen.lab.check import Check, LabFinding, ask_neighbours, check_lab
from fabricgen.lab.fabric import Lab
from fabricgen.lab.files import Link

LOOKS, SAME, PAUSE_S = 20, 5, 0.5
"""A lab is looked at until it is found the same so many times in a row, at most so often: routes take a moment."""


@dataclass(frozen=True, slots=True)
class JudgedLab:
    """What was seen in a lab: links broken on purpose, findings, and how many sessions are up and should be.

    `up` is the number of sessions that are up, `sessions` the number that should be.
    """

    broken: Sequence[Link]
    up: int
    sessions: int
    findings: Sequence[LabFinding]


def judge_lab(lab: Lab) -> JudgedLab:
    """Return what is wrong in a lab, after it had time to settle.

    Looks again until nothing is wrong, or several looks in a row are the same, `LOOKS` times at most. Raises InputError
    (FG175) if the lab does not answer.
    """
    looks = [_look_once(lab)]
    while looks[-1].findings and len(looks) < LOOKS and not (len(looks) >= SAME and _is_stable(looks[-SAME:])):
        time.sleep(PAUSE_S)
        looks.append(_look_once(lab))
    return looks[-1]


def _is_stable(looks: Sequence[JudgedLab]) -> bool:
    """Whether several looks at a lab found the same."""
    return all(look == looks[0] for look in looks)


def _look_once(lab: Lab) -> JudgedLab:
    """Return what is found in a lab now."""
    broken = find_broken_links(lab)
    up, sessions = Check(lab, lab.build, ask_neighbours(lab, lab.build)).count_sessions()
    return JudgedLab(sorted(broken, key=str), up, sessions, check_lab(lab, lab.build, broken))


def write_report(form: str, name: str, lab: Lab, judged: JudgedLab) -> str:
    """Return the report on the lab of a name in a format: `text` or `json`."""
    return _write_json(name, lab, judged) if form == "json" else _write_text(name, lab, judged)


def _write_text(name: str, lab: Lab, judged: JudgedLab) -> str:
    """Return the report for people: a line for each finding, then the verdict on the lab."""
    lines = [make_printable(str(finding)) for finding in judged.findings]
    count = len(judged.findings)
    verdict = f"{count} finding{'s' * (count != 1)}" if count else "all is as planned"
    return "\n".join([*lines, f"{name}: {describe_size(lab)}, {judged.up} of {judged.sessions} sessions up: {verdict}"])


def describe_size(lab: Lab) -> str:
    """Return how many switches, hosts and links a lab has, in words."""
    build = lab.build
    return f"{len(build.switches)} switches, {len(build.hosts)} hosts, {len(build.links)} links"


def _write_json(name: str, lab: Lab, judged: JudgedLab) -> str:
    """Return the report for programs: an object with all findings."""
    value = {
        "lab": name,
        "switches": len(lab.build.switches),
        "hosts": len(lab.build.hosts),
        "links": len(lab.build.links),
        "broken": [{"a": str(link.a), "b": str(link.b)} for link in judged.broken],
        "sessions": {"up": judged.up, "planned": judged.sessions},
        "findings": [asdict(finding) for finding in judged.findings],
    }
    return json.dumps(value, indent=2)
