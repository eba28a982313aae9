"""Junos: `show configuration`, in braces, as `display set` and as `display json`."""

from __future__ import annotations

import re

from fabricgen.nos.junos.statements import FILE
from fabricgen.running.statements import ShownConfiguration, ShownText, find_text

_IN_BRACES = re.compile(r"^(?:version \S+;|system \{|interfaces \{)\s*$", re.M)
_AS_LINES = re.compile(r"^set (?:version|system|interfaces) ", re.M)
_HOST = re.compile(r"^(?:set system|    )\s*host-name \"?([\w.-]+)", re.M)
_PROMPT = re.compile(r"^(?:\{\w+(?::\d+)?\}|\[edit[^\]]*\]|[\w.@-]+[>#] .*)\s*$", re.M)
"""Lines of a terminal's log that are not the configuration's."""


def recognize_configuration(dump: ShownText) -> ShownConfiguration | None:
    """The configuration that a dump shows; None where it is none of Junos."""
    if isinstance(dump.data, dict) and isinstance(dump.data.get("configuration"), dict | list):
        is_whole = dump.data["configuration"]
        hostname = find_text(is_whole if isinstance(is_whole, list) else [is_whole], "system", "host-name")
        return ShownConfiguration("junos", {FILE: dump.text}, hostname)
    if dump.is_json or not (_IN_BRACES.search(dump.text) or _AS_LINES.search(dump.text)):
        return None
    statements = _HOST.search(dump.text)
    return ShownConfiguration("junos", {FILE: _PROMPT.sub("", dump.text)}, statements[1] if statements else "")
