"""A SONiC switch's files beside planned ones: FRR's are a plan's only where FRR is not left to bgpcfgd.

Where bgpcfgd makes FRR's lines of config_db.json, they are compared with what it makes of the planned tables: those of
planned neighbours, and those that cut off or send elsewhere whatever the tables say. Other lines differ from image to
image, and are not judged.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from fabricgen.kernel.diagnostics import Severity
from fabricgen.nos.frr.statements import read_statements
from fabricgen.nos.sonic.routing_daemon import make_frr_text
from fabricgen.running.differences import Prepared, load_rules
from fabricgen.running.statements import Path
from fabricgen.running.tree import CANNOT_READ

CONFIG, FRR = "config_db.json", "frr.conf"

CUTS_OFF = frozenset(("shutdown", "bgp shutdown", "bgp graceful-shutdown"))
"""Last steps of lines that stop sessions or drain the switch, of a peer group, interface or instance."""

ROUTES = ("ip route ", "ipv6 route ")


def prepare_files(running: Mapping[str, str], planned: Mapping[str, str]) -> Prepared:
    """Return a switch's files for comparison with planned ones, both by name.

    If bgpcfgd writes FRR's file, verdicts on its sessions replace it. If the file is planned and was not collected, the
    planned one is taken, with a note. `lack` is set if config_db.json was not collected.
    """
    if CONFIG not in running:
        return Prepared({}, lack="only FRR's configuration was collected; config_db.json is needed too")
    files = dict(running)
    if FRR in files and FRR not in planned:
        return _compare_sessions(files.pop(FRR), planned[CONFIG], files)
    if FRR in planned and FRR not in files:
        # as planned, or each line of it would be told as missing beside the one note
        files[FRR] = planned[FRR]
        text = "no configuration of FRR was collected (`vtysh -c 'show running-config'`): sessions are not compared"
        return Prepared(files, notes=(("BGP", text, Severity.ERROR),))
    return Prepared(files)


def _compare_sessions(frr: str, config_db: str, files: dict[str, str]) -> Prepared:
    """Return files with verdicts on the lines of FRR that bgpcfgd does not make from the planned `config_db` (JSON).

    `frr` is the text of FRR's configuration, `files` are the other files.
    """
    planned = read_statements({FRR: make_frr_text(json.loads(config_db))})
    neighbors = {step for path in planned for step in path if step.startswith("neighbor ")}
    text = "of what FRR runs, sessions and static routes were compared; bgpcfgd makes it of config_db.json, which was"
    compared = ("BGP", text, Severity.WARNING)
    try:
        errors = load_rules("frr").judge(read_statements({FRR: frr}), planned).errors
    except CANNOT_READ:
        return Prepared(files, notes=(("BGP", "what FRR runs cannot be understood", Severity.ERROR), compared))
    judged = (verdict for verdict in errors if _is_judged(verdict.difference.path, neighbors))
    return Prepared(files, verdicts=tuple(judged), notes=(compared,))


def _is_judged(path: Path, neighbors: set[str]) -> bool:
    """Whether a statement of FRR is judged.

    It is if it is of one of the planned `neighbors`, is a static route, or stops or drains sessions.
    """
    return bool(neighbors.intersection(path)) or path[-1] in CUTS_OFF or path[0].startswith(ROUTES)
