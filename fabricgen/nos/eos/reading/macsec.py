"""MACsec in an EOS configuration, read back."""

from __future__ import annotations

from typing import Protocol

from fabricgen.running.tree import Line, Rules
from fabricgen.switch.interfaces import Macsec


class HasMacsec(Protocol):
    """Where profiles are kept, by name, while a configuration is read."""

    macsecs: dict[str, Macsec]


_SECURITY, _PROFILE = Rules(), Rules()


def macsec_rules(top: Rules) -> None:
    """Add the section of MACsec to those of a whole configuration."""
    top.line("mac security")(_security)


def _security(box: HasMacsec, line: Line) -> None:
    _SECURITY.read(line.children, box)


@_SECURITY.line(r"profile (\S+)")
def _profile(box: HasMacsec, line: Line, name: str) -> None:
    said: dict[str, str] = {}
    _PROFILE.read(line.children, said)
    box.macsecs[name] = Macsec(said.get("cipher", ""), said.get("ckn", ""), said.get("cak", ""))


@_PROFILE.line(r"cipher (\S+)")
def _cipher(said: dict[str, str], line: Line, cipher: str) -> None:
    said["cipher"] = cipher


@_PROFILE.line(r"key ([0-9a-f]+) 7 (\S+)")
def _key(said: dict[str, str], line: Line, ckn: str, cak: str) -> None:
    said.update(ckn=ckn, cak=cak)
