"""Forms in which devices tell their configuration, known by their content, as the files that readers take.

EOS: `show running-config`, as text or JSON (`| json`: commands with those below them under `cmds`). SONiC:
/etc/sonic/config_db.json, or `show runningconfiguration all` (sonic-utilities, show/main.py: the same tables, and
FRR's configuration under `bgpraw`); FRR: `show running-config` of vtysh. Cumulus Linux: `nv config show`, as YAML,
JSON or commands, and startup.yaml.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

_PROMPTS = re.compile(
    r"\A\s*[\w.-]{1,64}(?:@[\w.-]{1,64}(?::[^\n#$>]{0,200})?)?[#$>] ?(?:sudo |vtysh |cat |nv |sh)[^\n]*\n"
    r"|\n[\w.-]{1,64}(?:@[\w.-]{1,64}(?::[^\n#$>]{0,200})?)?[#$>][ \t]*\s*\Z"
)
"""The prompt of a terminal with the command that was typed, before all else; and the prompt alone, after all else."""

MOST_DEEP = 20
"""More sections within sections than EOS has."""


class Told(NamedTuple):
    """What one file tells: the NOS, and the files of its reader by name; `hostname` as it stands there, or ""."""

    nos: str
    files: Mapping[str, str]
    hostname: str


def told_by(text: str) -> Told | None:
    """What a text tells; None where it is no configuration of these forms. Raises nothing for any text."""
    text = _PROMPTS.sub("", text)
    start = text.lstrip()[:1]
    if start in ("{", "["):
        try:
            return _of_json(text)
        except (ValueError, RecursionError):
            return None
    if re.search(r"^(?:- (?:header|set):|nv set )", text[:4096], re.M):
        found = re.search(r"^(?: {2,8}hostname:|nv set system hostname) *'?\"?([\w.-]+)", text, re.M)
        return Told("cumulus", {"startup.yaml": text}, found[1] if found else "")
    hostname = re.search(r"^ ?hostname (\S+)", text, re.M)
    name = hostname[1] if hostname else ""
    if re.search(r"^(?:frr version|frr defaults|Building configuration|service integrated-vtysh)", text, re.M):
        return Told("sonic", {"frr.conf": _of_frr(text)}, name)
    if re.search(
        r"^(?:interface (?:Ethernet|Management|Loopback|Port-Channel|Vlan)\S|! Command: show run)", text, re.M
    ):
        return Told("eos", {"switch.cfg": text}, name)
    return None


def _of_json(text: str) -> Told | None:
    value = json.loads(text)
    if isinstance(value, list) and any(isinstance(item, dict) and "set" in item for item in value):
        return Told("cumulus", {"startup.yaml": text}, _text_at(value, "set", "system", "hostname"))
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("cmds"), dict):
        lines = "\n".join(_of_commands(value["cmds"], ""))
        hostname = re.search(r"^hostname (\S+)", lines, re.M)
        return Told("eos", {"switch.cfg": f"{lines}\n"}, hostname[1] if hostname else "")
    if "DEVICE_METADATA" in value or "PORT" in value:
        raw = value.pop("bgpraw", None)
        files = {"config_db.json": text if raw is None else json.dumps(value)}
        if isinstance(raw, str) and raw.strip():
            files["frr.conf"] = _of_frr(raw)
        return Told("sonic", files, _text_at([value], "DEVICE_METADATA", "localhost", "hostname"))
    return None


def _text_at(items: list[Any], *keys: str) -> str:
    """The text below some keys of the first item that has them."""
    for item in items:
        value = item
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        if isinstance(value, str):
            return value
    return ""


def _of_commands(commands: Mapping[str, Any], indent: str) -> Iterator[str]:
    for command, below in commands.items():
        yield f"{indent}{command}"
        inner = below.get("cmds") if isinstance(below, dict) else None
        if isinstance(inner, dict) and len(indent) < MOST_DEEP:
            yield from _of_commands(inner, f"{indent} ")


def _of_frr(text: str) -> str:
    """FRR's text without what vtysh says before it; `hostname` may stand indented below `frr defaults`."""
    said = r"(?:Building configuration\.\.\.|Current configuration:.*|frr version .*)"
    lines = (line for line in text.splitlines() if not re.fullmatch(said, line))
    return "\n".join(line.strip() if line.startswith(" hostname ") else line for line in lines) + "\n"
