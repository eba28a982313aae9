"""A configuration as statements in one normal spelling, and what two configurations say differently.

Every NOS, and FRR, has a module `fabricgen/nos/NAME/statements.py` with

- `read_statements(files)`: the statements of the files that its reader takes, by their names (`switch.cfg`);
- `files_of(statements)`: the same files again, written plainly enough for that reader;
- `FILES`: patterns of the names of the files that a build writes for it, but for what is no NOS by itself;
- `default_of(path)`, where a model of the NOS has defaults: the value that it takes where nothing stands at a path, or
  None.

What a NOS prints in several ways has one path and one value: numbers without leading zeros, lists sorted, defaults
that stand for nothing left as they stand (whether they matter is said by the rules of `differences.py`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache, cached_property
from typing import Any, Literal, NamedTuple, TypeAlias

from fabricgen.kernel.nos_rooms import list_nos, load_part

Path: TypeAlias = tuple[str, ...]
"""Where a statement stands: (table, key, field), (section, ..., line), or the keys that lead to a leaf."""

Statements: TypeAlias = dict[Path, str]
"""What is stated at each path; "" for a row or line that has no value."""

Side: TypeAlias = Literal["missing", "extra", "changed"]

UNREADABLE = "(cannot be read)"
"""The last step of a path at which something could not be read; its value says why. No rule can pardon it."""


MOST_DEEP = 8
"""Sections within sections, far more than any NOS has."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One path at which a device runs something else than planned; None where nothing stands."""

    path: Path
    running: str | None
    planned: str | None

    @property
    def side(self) -> Side:
        """Whether the statement is missing on the device, extra, or there with another value."""
        return "missing" if self.running is None else "extra" if self.planned is None else "changed"


def compare_statements(running: Statements, planned: Statements) -> list[Difference]:
    """All differences: of what is planned in its order, then what is extra in the order of the device."""
    differing = [
        Difference(path, running.get(path), value) for path, value in planned.items() if running.get(path) != value
    ]
    return differing + [Difference(path, value, None) for path, value in running.items() if path not in planned]


def read_sections(text: str, comments: tuple[str, ...] = ("!", "#")) -> Statements:
    """Statements of a configuration of indented sections: the path of a line are the lines above it, and itself.

    A section that stands twice is one. Lines keep their spelling but for spaces; a line that starts as a comment does
    is left out. What a NOS spells in several ways is for its own module to make one.
    """
    statements: Statements = {}
    above: list[tuple[int, str]] = []
    for line in text.splitlines():
        words, indent = " ".join(line.split()), len(line) - len(line.lstrip())
        if not words or words.startswith(comments):
            continue
        while above and (above[-1][0] >= indent or len(above) > MOST_DEEP):
            above.pop()
        above.append((indent, words))
        statements[tuple(step for _, step in above)] = ""
    return statements


def write_sections(statements: Statements, ends: Callable[[Path], str] = lambda _: "") -> str:
    """The text of statements: each line below its section, its value behind it.

    `ends` gives the line that closes a section of a path, such as `exit-address-family`, or "".
    """
    below: dict[Path, list[Path]] = {}
    known_paths: set[Path] = set()
    for path in statements:
        for depth in range(1, len(path) + 1):
            step = path[:depth]
            if step not in known_paths:
                known_paths.add(step)
                below.setdefault(step[:-1], []).append(step)
    return "".join(f"{line}\n" for line in _write_lines(below, statements, (), ends))


def _write_lines(
    below: Mapping[Path, list[Path]], statements: Statements, section: Path, ends: Callable[[Path], str]
) -> Iterator[str]:
    # the lines below a section and of the sections in it, indented by depth
    for path in below.get(section, ()):
        indent = " " * len(section)
        yield f"{indent}{path[-1]} {statements.get(path, '')}".rstrip()
        yield from _write_lines(below, statements, path, ends)
        if path in below and (end := ends(path)):
            yield f"{indent}{end}"


@dataclass(frozen=True, slots=True)
class Spelling:
    """How the files of a NOS become statements, and statements become files."""

    read_statements: Callable[[Mapping[str, str]], Statements]
    files_of: Callable[[Statements], dict[str, str]]
    default_of: Callable[[Path], str | None] | None = None
    parts: Mapping[str, str] = field(default_factory=dict)
    """First steps of paths below which statements of another room lie, and that room: `frr.conf`, `frr`."""


@cache
def load_spelling(nos: str) -> Spelling:
    """The normal form of a NOS, or of FRR (`frr`)."""
    module = load_part(nos, "statements")
    default_of, parts = getattr(module, "default_of", None), getattr(module, "PARTS", {})
    return Spelling(module.read_statements, module.files_of, default_of, parts)


def find_nos(names: Iterable[str]) -> str:
    """The NOS that takes files of these names in a device's folder of a build; "" for none."""
    patterns_of_nos = {nos: load_part(nos, "statements").FILES for nos in list_nos("reader")}
    return next(
        (
            nos
            for name in names
            for nos, patterns in patterns_of_nos.items()
            if any(fnmatchcase(name, p) for p in patterns)
        ),
        "",
    )


# What a device was asked to show of its configuration: text, or JSON, which is parsed once for all who look at it.


class ShownConfiguration(NamedTuple):
    """The configuration in a dump: the NOS, the files of its reader by name, and the host name in them, or ""."""

    nos: str
    files: Mapping[str, str]
    hostname: str


@dataclass(frozen=True)
class ShownText:
    """A text that a device or a file of it shows, without the prompts of a terminal."""

    text: str

    @cached_property
    def is_json(self) -> bool:
        """Whether it starts as JSON does."""
        return self.text.lstrip()[:1] in ("{", "[")

    @cached_property
    def data(self) -> Any:
        """Its value where it is JSON, else None."""
        try:
            return json.loads(self.text) if self.is_json else None
        except (ValueError, RecursionError):
            return None


def find_text(records: Any, *keys: str) -> str:
    """The text below some keys of the first record of a list that has one; "" for none."""
    for record in records:
        value = record
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        if isinstance(value, str):
            return value
    return ""
