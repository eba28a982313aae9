"""Junos: `show configuration`, in braces, as `display set` and as `display json`."""

from __future__ import annotations

import re

from fabricgen.nos.junos.statements import FILE
from fabricgen.running.statements import ShownConfiguration, ShownText, find_text

_IN_BRACES = re.compile(r"^(?:version \S+;|system \{|interfaces \{)\s*$", re.M)
_AS_LINES = re.compile(r"^set (?:version|system|interfaces) ", re.M)
_HOST = re.compile(r"^(?:set system|    )\s*host-name \"?([\w.-]+)", re.M)
_PROMPT = re.compile(r"^(?:\{\w+(?::\d+)?\}|\[edit[^\]]*\]|[\w.@-]+[>#] .*)\s*$", re.M)
"""Lines of a terminal's log that are not part of the configuration."""


def recognize_configuration(dump: ShownText) -> ShownConfiguration | None:
    """Return the configuration that a dump shows; None if it is not Junos's."""
    if isinstance(dump.data, dict) and isinstance(dump.data.get("configuration"), dict | list):
        records = dump.data["configuration"]
        hostname = find_text(records if isinstance(records, list) else [records], "system", "host-name")
        return ShownConfiguration("junos", {FILE: dump.text}, hostname)
    if dump.is_json or not (_IN_BRACES.search(dump.text) or _AS_LINES.search(dump.text)):
        return None
    match = _HOST.search(dump.text)
    return ShownConfiguration("junos", {FILE: _PROMPT.sub("", dump.text)}, match[1] if match else "")
