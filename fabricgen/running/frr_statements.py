"""FRR's running configuration as statements: sections as vtysh writes them, and the lines in them."""

from __future__ import annotations

from collections.abc import Mapping

from fabricgen.running.statements import Path, Statements, section_statements, sections_text

_ENDS = {"exit", "exit-address-family", "exit-vni", "exit-vrf", "end"}


def statements(files: Mapping[str, str]) -> Statements:
    """The statements of `frr.conf`."""
    stated = section_statements(files["frr.conf"])
    return {path: value for path, value in stated.items() if path[-1] not in _ENDS}


def files_of(stated: Statements) -> dict[str, str]:
    """`frr.conf` with these statements."""
    return {"frr.conf": sections_text(stated, _end)}


def _end(section: Path) -> str:
    return "exit-address-family" if section[-1].startswith("address-family ") else "exit"
