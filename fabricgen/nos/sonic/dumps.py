"""SONiC: /etc/sonic/config_db.json, or `show runningconfiguration all` (sonic-utilities, show/main.py: the same tables,
and FRR's configuration under `bgpraw`); and what FRR shows by itself (`show running-config` of vtysh).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from fabricgen.running.statements import ShownConfiguration, ShownText, find_text

_OF_FRR = re.compile(r"^(?:frr version|frr defaults|Building configuration|service integrated-vtysh)", re.MULTILINE)

_SAID_BEFORE = r"(?:Building configuration\.\.\.|Current configuration:.*|frr version .*)"


def recognize_configuration(dump: ShownText) -> ShownConfiguration | None:
    """Return the configuration that a dump shows; None if it is not SONiC's or FRR's."""
    tables = dump.data
    if isinstance(tables, dict) and ("DEVICE_METADATA" in tables or "PORT" in tables):
        raw = tables.get("bgpraw")
        without = {name: table for name, table in tables.items() if name != "bgpraw"}
        files = {"config_db.json": dump.text if raw is None else json.dumps(without)}
        if isinstance(raw, str) and raw.strip():
            files["frr.conf"] = _strip_head(raw)
        return ShownConfiguration("sonic", files, find_text([tables], "DEVICE_METADATA", "localhost", "hostname"))
    if dump.is_json or not _OF_FRR.search(dump.text):
        return None
    hostname = re.search(r"^ ?hostname (\S+)", dump.text, re.M)
    return ShownConfiguration("sonic", {"frr.conf": _strip_head(dump.text)}, hostname[1] if hostname else "")


def find_model(files: Mapping[str, str]) -> str:
    """Return the HwSKU of a switch by its configuration; "" if it does not tell."""
    try:
        return find_text([json.loads(files["config_db.json"])], "DEVICE_METADATA", "localhost", "hwsku")
    except (KeyError, ValueError):
        return ""


def _strip_head(text: str) -> str:
    """Return FRR's text without what vtysh says before it; `hostname` may stand indented below `frr defaults`."""
    lines = (line for line in text.splitlines() if not re.fullmatch(_SAID_BEFORE, line))
    return "\n".join(line.strip() if line.startswith(" hostname ") else line for line in lines) + "\n"
