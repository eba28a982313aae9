"""Recognize configurations of Cumulus Linux: `nv config show`, as YAML, JSON or commands, and startup.yaml."""

from __future__ import annotations

import re

from fabricgen.running.statements import ShownConfiguration, ShownText, find_text


def recognize_configuration(dump: ShownText) -> ShownConfiguration | None:
    """Return the configuration that a dump shows; None if it is not Cumulus Linux's."""
    if isinstance(dump.data, list) and any(isinstance(step, dict) and "set" in step for step in dump.data):
        hostname = find_text(dump.data, "set", "system", "hostname")
    # a whole configuration has megabytes, and its first lines say what it is
    elif not dump.is_json and re.search(r"^(?:- (?:header|set):|nv set )", dump.text[:4096], re.M):
        named = re.search(r"^(?: {2,8}hostname:|nv set system hostname) *'?\"?([\w.-]+)", dump.text, re.M)
        hostname = named[1] if named else ""
    else:
        return None
    return ShownConfiguration("cumulus", {"startup.yaml": dump.text}, hostname)
