"""A configuration in blocks by indentation, as a tree: what two texts must have in common whatever their order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias

Tree: TypeAlias = dict[str, "Tree"]

INDENT = 3
"""Spaces a level, in EOS."""

_HERE_DOCUMENT = re.compile(r"banner (login|motd)")


def tree_of(text: str) -> Tree:
    """The tree of an EOS configuration; lines that only separate blocks are left out.

    Fails where a line is there twice in a block, or stands deeper than a line can.
    """
    root: Tree = {}
    path: list[Tree] = [root]
    lines = iter(text.splitlines())
    for line in lines:
        words = line.strip()
        if not words or words == "!":
            continue
        depth, rest = divmod(len(line) - len(line.lstrip(" ")), INDENT)
        assert rest == 0, f"{line!r} is indented by no whole level"
        assert depth < len(path), f"{line!r} stands in no block"
        del path[depth + 1 :]
        if _HERE_DOCUMENT.fullmatch(words):
            words = "\n".join([words, *_until_end(lines)])
        for single in singles(words):
            assert single not in path[depth], f"{single!r} is there twice"
            path[depth][single] = {}
        path.append(path[depth][single])  # blocks begin with lines that say one thing
    return root


def _until_end(lines: Iterator[str]) -> list[str]:
    """The lines of a banner, which runs until EOF stands alone."""
    found: list[str] = []
    for line in lines:
        if line == "EOF":
            return found
        found.append(line)
    raise AssertionError("a banner without an end")


def singles(words: str) -> list[str]:
    """What a line says, one thing each: EOS takes several interfaces, or several DSCPs, in one line."""
    if found := re.fullmatch(r"(neighbor interface Ethernet)(\S+)( .*)", words):
        before, names, after = found.groups()
        return [f"{before}{name}{after}" for name in names.split(",")]
    if found := re.fullmatch(r"(qos map dscp )([\d ]+)( to .*)", words):
        before, dscps, after = found.groups()
        return [f"{before}{dscp}{after}" for dscp in dscps.split()]
    return [words]


def differences(one: Tree, other: Tree, path: tuple[str, ...] = ()) -> list[str]:
    """What only one of two trees says, as lines with the blocks that they stand in; `-` the first, `+` the second."""
    found: list[str] = []
    for key in sorted(one.keys() | other.keys()):
        place = (*path, key)
        if key not in other:
            found.append("- " + " / ".join(place))
        elif key not in one:
            found.append("+ " + " / ".join(place))
        else:
            found += differences(one[key], other[key], place)
    return found
