"""A configuration as statements in one normal spelling, and the differences between two configurations.

Every NOS, and FRR, has a module `fabricgen/nos/NAME/statements.py` with

- `read_statements(files)`: returns the statements of the files that its reader takes, by name (`switch.cfg`);
- `files_of(statements)`: returns the same files again, written plainly enough for that reader;
- `FILES`: patterns of the names of the files that a build writes for it (FRR, which is no NOS by itself, has none);
- `default_of(path)`, if the data model of the NOS has defaults: returns the value that holds if nothing is stated at a
  path, or None.

What a NOS can print in several ways has one path and one value: numbers without leading zeros, lists sorted. Stated
defaults are kept (the rules of `differences.py` say whether they matter).
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
"""The place of a statement: (table, key, field), (section, ..., line), or the keys that lead to a leaf."""

Statements: TypeAlias = dict[Path, str]
"""The value at each path; "" for a row or line that has no value."""

Side: TypeAlias = Literal["missing", "extra", "changed"]

UNREADABLE = "(cannot be read)"
"""The last step of a path at which something could not be read; its value says why. No rule can pardon it."""


MOST_DEEP = 8
"""The deepest nesting of sections that is read, far more than any NOS has."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One path at which a device runs something else than planned; None if nothing is stated there."""

    path: Path
    running: str | None
    planned: str | None

    @property
    def side(self) -> Side:
        """Whether the statement is missing on the device, extra, or there with another value."""
        return "missing" if self.running is None else "extra" if self.planned is None else "changed"


def compare_statements(running: Statements, planned: Statements) -> list[Difference]:
    """Return all differences: of planned statements in their order, then extra ones in the order of the device."""
    differing = [
        Difference(path, running.get(path), value) for path, value in planned.items() if running.get(path) != value
    ]
    return differing + [Difference(path, value, None) for path, value in running.items() if path not in planned]


def read_sections(text: str, comments: tuple[str, ...] = ("!", "#")) -> Statements:
    """Read a configuration of indented sections as statements, with "" for the value of each.

    The path of a line has the lines of its sections, from the outermost, and the line itself. Sections that occur twice
    are merged; beyond MOST_DEEP levels, a line takes the place of the one above it. Lines keep their spelling apart
    from spaces; blank lines and `comments` are left out. Different spellings of one statement are for the module of the
    NOS to normalize.
    """
    statements: Statements = {}
    open_sections: list[tuple[int, str]] = []
    for line in text.splitlines():
        statement, indent = " ".join(line.split()), len(line) - len(line.lstrip())
        if not statement or statement.startswith(comments):
            continue
        while open_sections and (open_sections[-1][0] >= indent or len(open_sections) > MOST_DEEP):
            open_sections.pop()
        open_sections.append((indent, statement))
        statements[tuple(open_line for _, open_line in open_sections)] = ""
    return statements


def write_sections(statements: Statements, ends: Callable[[Path], str] = lambda _: "") -> str:
    """Write statements as text: each line below its section, followed by its value.

    `ends` returns the line that closes the section of a path, such as `exit-address-family`, or "".
    """
    paths_below: dict[Path, list[Path]] = {}
    known_paths: set[Path] = set()
    for path in statements:
        for depth in range(1, len(path) + 1):
            prefix = path[:depth]
            if prefix not in known_paths:
                known_paths.add(prefix)
                paths_below.setdefault(prefix[:-1], []).append(prefix)
    return "".join(f"{line}\n" for line in _write_lines(paths_below, statements, (), ends))


def _write_lines(
    paths_below: Mapping[Path, list[Path]], statements: Statements, section: Path, ends: Callable[[Path], str]
) -> Iterator[str]:
    """Yield the lines of a section and of the sections in it, indented by depth.

    `paths_below` has the paths of the lines in each section, in order; the closing line of a section (`ends`) follows
    its lines, unless it has none.
    """
    for path in paths_below.get(section, ()):
        indent = " " * len(section)
        yield f"{indent}{path[-1]} {statements.get(path, '')}".rstrip()
        yield from _write_lines(paths_below, statements, path, ends)
        if path in paths_below and (closing_line := ends(path)):
            yield f"{indent}{closing_line}"


@dataclass(frozen=True, slots=True)
class Spelling:
    """The functions by which the files of a NOS become statements and statements files (see the head of the module)."""

    read_statements: Callable[[Mapping[str, str]], Statements]
    files_of: Callable[[Statements], dict[str, str]]
    default_of: Callable[[Path], str | None] | None = None
    parts: Mapping[str, str] = field(default_factory=dict)
    """Rooms whose statements are below a first step of paths, by that step: `frr` below `frr.conf`."""


@cache
def load_spelling(nos: str) -> Spelling:
    """Load the functions for statements of a NOS, or of FRR (`frr`)."""
    module = load_part(nos, "statements")
    default_of, parts = getattr(module, "default_of", None), getattr(module, "PARTS", {})
    return Spelling(module.read_statements, module.files_of, default_of, parts)


def find_nos(names: Iterable[str]) -> str:
    """Return the NOS whose builds have files with one of these names in a device's folder; "" for none."""
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


# The configuration as a device shows it: text, or JSON, which is parsed once for all NOSes that try to recognise it.


class ShownConfiguration(NamedTuple):
    """The configuration in a dump: NOS, files by the names that the NOS's reader expects, and host name or ""."""

    nos: str
    files: Mapping[str, str]
    hostname: str


@dataclass(frozen=True)
class ShownText:
    """A text of a device's configuration, without the prompts of a terminal."""

    text: str

    @cached_property
    def is_json(self) -> bool:
        """Whether the text starts like JSON."""
        return self.text.lstrip()[:1] in ("{", "[")

    @cached_property
    def data(self) -> Any:
        """The value of the text if it is JSON, else None."""
        try:
            return json.loads(self.text) if self.is_json else None
        except (ValueError, RecursionError):
            return None


def find_text(records: Any, *keys: str) -> str:
    """Return the text at a path of keys in the first record that has one; "" if none has."""
    for record in records:
        value = record
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        if isinstance(value, str):
            return value
    return ""
