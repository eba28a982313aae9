"""FRR's lines of a SONiC switch whose bgpcfgd makes them of config_db.json: what they say of the plan's sessions.

Compared with what bgpcfgd makes of the planned tables are the lines of planned neighbours, and those that cut off or
send elsewhere whatever the tables say. Other lines differ from image to image, and are not judged.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from fabricgen.kernel.diagnostics import Severity
from fabricgen.running.bgpcfgd import frr_of
from fabricgen.running.differences import rules_of
from fabricgen.running.frr.statements import read_statements
from fabricgen.running.statements import Path
from fabricgen.verify.drift.finding import Finding
from fabricgen.verify.drift.wording import CANNOT_READ, by_path

CUTS_OFF = frozenset(("shutdown", "bgp shutdown", "bgp graceful-shutdown"))
"""Last steps of lines that stop sessions or drain the switch, of a peer group, interface or instance."""

ROUTES = ("ip route ", "ipv6 route ")


def compare_sessions(device: str, frr: str, config_db: str) -> Iterator[Finding]:
    """Yield an error for each line of FRR (`frr`) that is not as bgpcfgd makes it of the planned `config_db`, JSON."""
    planned = read_statements({"frr.conf": frr_of(json.loads(config_db))})
    neighbors = {step for path in planned for step in path if step.startswith("neighbor ")}
    try:
        verdicts = rules_of("frr").judge(read_statements({"frr.conf": frr}), planned)
    except CANNOT_READ:
        yield Finding(device, "BGP", "what FRR runs cannot be understood")
        return
    for verdict in verdicts.errors:
        path = verdict.difference.path
        if neighbors.intersection(path) or _acts_on_its_own(path):
            yield by_path(device, verdict, Severity.ERROR)


def _acts_on_its_own(path: Path) -> bool:
    return path[-1] in CUTS_OFF or path[0].startswith(ROUTES)
