"""Slurm's hostlists and topology files as its sources read them.

Written after github.com/SchedMD/slurm@284c3b95: src/common/hostlist.c (_hostlist_create_bracketed: names between commas
outside brackets; _parse_single_range: the width is that of the text of the lower end), src/common/parse_config.c
(`#` begins a comment, Key=Value between blanks, names of keys in any case).
"""

from __future__ import annotations

import re


def expanded(text: str) -> list[str]:
    """All names of a hostlist, in order; AssertionError for what Slurm 22.05 refuses."""
    found: list[str] = []
    for part in re.findall(r"(?:[^,\[]|\[[^\]]*\])+", text):
        prefix, bracket, ranges = part.partition("[")
        if not bracket:
            found.append(part)
            continue
        assert ranges.endswith("]"), f"{part}: something follows the bracket"
        assert "[" not in ranges, part
        for piece in ranges[:-1].split(","):
            low, dash, high = piece.partition("-")
            assert low.isdigit(), part
            assert not dash or int(high) > int(low), part
            assert not dash or int(high) - int(low) < 65_536, part
            found += [f"{prefix}{number:0{len(low)}d}" for number in range(int(low), int(high or low) + 1)]
    return found


def lines(content: bytes, key: str) -> list[dict[str, str]]:
    """The lines of a configuration that begin with a key, and the values in them by key."""
    told = [line.partition("#")[0].split() for line in content.decode().splitlines()]
    rows = [dict(word.split("=", 1) for word in words) for words in told if words]
    return [row for row in rows if key in row]
