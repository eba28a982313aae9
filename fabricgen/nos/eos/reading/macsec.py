"""MACsec in an EOS configuration, read back."""

from __future__ import annotations

from typing import Protocol

from fabricgen.running.tree import Line, LineRules
from fabricgen.switch.interfaces import LinkMacsec


class HasMacsec(Protocol):
    """Where profiles are kept, by name, while a configuration is read."""

    macsecs: dict[str, LinkMacsec]


_SECURITY, _PROFILE = LineRules(), LineRules()


def add_macsec_rules(top: LineRules) -> None:
    """Add the section of MACsec to those of a whole configuration."""
    top.line("mac security")(_read_security)


def _read_security(box: HasMacsec, line: Line) -> None:
    _SECURITY.read(line.children, box)


@_SECURITY.line(r"profile (\S+)")
def _read_profile(box: HasMacsec, line: Line, name: str) -> None:
    words: dict[str, str] = {}
    _PROFILE.read(line.children, words)
    box.macsecs[name] = LinkMacsec(words.get("cipher", ""), words.get("ckn", ""), words.get("cak", ""))


@_PROFILE.line(r"cipher (\S+)")
def _read_cipher(words: dict[str, str], line: Line, cipher: str) -> None:
    words["cipher"] = cipher


@_PROFILE.line(r"key ([0-9a-f]+) 7 (\S+)")
def _read_key(words: dict[str, str], line: Line, ckn: str, cak: str) -> None:
    words.update(ckn=ckn, cak=cak)
