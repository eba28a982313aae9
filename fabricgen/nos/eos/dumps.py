"""EOS: `show running-config`, as text or JSON (`| json`: commands with those below them under `cmds`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from fabricgen.running.statements import ShownConfiguration, ShownText

MOST_DEEP = 20
"""More sections within sections than EOS has."""

_ITS_OWN = re.compile(
    r"^(?:interface (?:Ethernet|Management|Loopback|Port-Channel|Vlan)\S|! Command: show run)", re.MULTILINE
)

_OF_VTYSH = re.compile(r"^(?:frr version|frr defaults|Building configuration|service integrated-vtysh)", re.MULTILINE)
"""FRR's shell shows interfaces of the same names."""


def recognize_configuration(dump: ShownText) -> ShownConfiguration | None:
    """Return the configuration that a dump shows; None if it is not EOS's."""
    text = dump.text
    if isinstance(dump.data, dict) and isinstance(dump.data.get("cmds"), dict):
        text = "".join(f"{line}\n" for line in _list_commands(dump.data["cmds"], ""))
    elif dump.is_json or _OF_VTYSH.search(text) or not _ITS_OWN.search(text):
        return None
    hostname = re.search(r"^ ?hostname (\S+)", text, re.M)
    return ShownConfiguration("eos", {"switch.cfg": text}, hostname[1] if hostname else "")


def find_model(files: Mapping[str, str]) -> str:
    """Return the model of a switch by the head of its configuration: `! device: leaf-1
    (DCS-7060X6-64PE, EOS-4.32.1F)`.
    """
    match = re.search(r"^! device: \S+ \(([\w-]+),", files["switch.cfg"], re.MULTILINE)
    return match[1] if match else ""


def _list_commands(commands: Mapping[str, Any], indent: str) -> Iterator[str]:
    """Yield the lines of commands in JSON, those of a section indented below it."""
    for command, below in commands.items():
        yield f"{indent}{command}"
        inner = below.get("cmds") if isinstance(below, dict) else None
        # a section is indented by one space, so that the indent counts how deep it lies
        if isinstance(inner, dict) and len(indent) < MOST_DEEP:
            yield from _list_commands(inner, f"{indent} ")
