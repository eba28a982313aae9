"""Configuration text as a tree, read so that no line is skipped: a line that the reader does not know is an error."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter
from typing import Any, TypeAlias, TypeVar

from hier_config import Platform, get_hconfig
from hier_config.child import HConfigChild
from hier_config.exceptions import DuplicateChildError
from ruamel.yaml.error import YAMLError

from fabricgen.running.statements import Path, read_sections

Line: TypeAlias = HConfigChild
State: TypeAlias = tuple[Any, ...]
"""What a section is read into: the objects that `LineRules.read` was given besides the section."""

Taker: TypeAlias = Callable[[State, Line, tuple[Any, ...]], None]
"""A function that is called with a state, a line, and the groups of the pattern that the line matched."""

LineFunction = TypeVar("LineFunction", bound=Callable[..., None])

FieldLines: TypeAlias = Mapping[str, tuple[str, Callable[..., Any]]]
"""By pattern of a line: the path of a field for `put_value`, and a function that makes the value from the groups."""


class UnknownTextError(ValueError):
    """A configuration has text that no reader knows, lacks text that a reader needs, or contradicts itself."""


Made = TypeVar("Made")

STUMBLES = (ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""Exceptions that a reader may raise over text that fabricgen did not write."""

CANNOT_READ = (*STUMBLES, YAMLError, MemoryError)
"""Exceptions that reading any kind of text may raise."""


@dataclass
class Notes:
    """What was not understood in a running configuration, which contains more than a plan, and less.

    `unknown`: the first word of each line, or the name of a table or field, that no reader knows. `unfit`: sentences
    about what does not fit together. `unread`: why a whole part could not be read, by the name of the part.
    """

    unknown: list[str] = field(default_factory=list)
    unfit: list[str] = field(default_factory=list)
    unread: dict[str, str] = field(default_factory=dict)


_NOTES: ContextVar[Notes | None] = ContextVar("notes", default=None)
"""The notes of the current `tolerate_unknown_text`, None outside; a context variable, as many calls are between."""


@contextmanager
def tolerate_unknown_text() -> Iterator[Notes]:
    """Within this context, text that no reader understands is recorded in the yielded Notes instead of raising."""
    token = _NOTES.set(Notes())
    try:
        yield _NOTES.get() or Notes()
    finally:
        _NOTES.reset(token)


def is_tolerant() -> bool:
    """Whether a running configuration is being read (`tolerate_unknown_text`), which need not state defaults."""
    return _NOTES.get() is not None


def report_misfit(message: str) -> None:
    """Report parts that do not fit together: note them if `is_tolerant`, else raise UnknownTextError.

    It returns if `is_tolerant`, so that the caller goes on, and must give the nearest sensible value.
    """
    notes = _NOTES.get()
    if notes is None:
        raise UnknownTextError(message)
    notes.unfit.append(message)


def report_unknown(word: str, message: str) -> None:
    """Report text that no reader knows: note `word` if `is_tolerant`, and return; else raise UnknownTextError."""
    notes = _NOTES.get()
    if notes is None:
        raise UnknownTextError(message)
    notes.unknown.append(word)


def read_part(name: str, make: Callable[[], Made], instead: Made) -> Made:
    """Return what `make` reads; if `is_tolerant` and it cannot be read, note why under `name` and return `instead`."""
    notes = _NOTES.get()
    if notes is None:
        return make()
    try:
        return make()
    except STUMBLES as error:
        notes.unread[name] = explain_error(error)
        return instead


def explain_error(error: Exception) -> str:
    """Say why something was not read, without text of the configuration except in messages of our own readers."""
    if isinstance(error, UnknownTextError):
        return str(error)
    return f"no {error.args[0]!s:.60}" if isinstance(error, KeyError) and error.args else type(error).__name__


@dataclass
class LineRules:
    """Patterns of the lines that a section may have, each with the function that takes it; the first match counts.

    Raises ValueError if a pattern is added twice, since the second one would silently replace the first.
    """

    takers: dict[re.Pattern[str], Taker | None] = field(default_factory=dict)
    needed: list[re.Pattern[str]] = field(default_factory=list)

    def line(self, pattern: str) -> Callable[[LineFunction], LineFunction]:
        """Decorate a function that takes lines which match a pattern in full.

        The function is called with the objects of the state, the line, and the groups of the pattern.
        """

        def add(function: LineFunction) -> LineFunction:
            self.add_taker(pattern, lambda state, line, groups: function(*state, line, *groups))
            return function

        return add

    def store_fields(self, fields: FieldLines) -> None:
        """Add lines that each give a value to a field of the first object of the state, as `put_value` does."""
        for pattern, (path, convert) in fields.items():
            self.add_taker(pattern, partial(_store_field, path, convert))

    def read_below(self, sections: Mapping[str, tuple[LineRules, str]]) -> None:
        """Add lines with others below them: `sections` maps a pattern to (rules, path).

        The rules read the lines below into the part of the state's first object that the path leads to (`qos.trim`), or
        into the whole state if the path is "".
        """
        for pattern, (rules, path) in sections.items():
            self.add_taker(pattern, partial(_read_lines_below, rules, path))

    def ignore_lines(self, *patterns: str) -> None:
        """Add patterns of lines that are known and have no counterpart in the switch model; they are accepted and do
        nothing.
        """
        for pattern in patterns:
            self.add_taker(pattern, None)

    def require_lines(self, *patterns: str) -> None:
        """Add patterns of lines that do nothing, as in `ignore_lines`, but that a section must have; `read` reports a
        missing one.
        """
        self.ignore_lines(*patterns)
        self.needed += map(re.compile, patterns)

    def add_taker(self, pattern: str, taker: Taker | None) -> None:
        """Add the function that takes lines of a pattern; None accepts a line only if it has no lines below it.

        Raises ValueError for a pattern that was added before.
        """
        compiled = re.compile(pattern)
        if compiled in self.takers:
            raise ValueError(f"two readers for lines `{pattern}`")
        self.takers[compiled] = taker

    def read(self, section: Iterable[Line], *state: Any) -> None:
        """Pass every line of a section, with `state`, to its function; raises UnknownTextError for unknown lines."""
        notes = _NOTES.get()
        for line in section:
            try:
                self._take_line(line, state)
            except STUMBLES as error:
                if notes is None:
                    raise
                notes.unfit.append(f"a line `{line.text.split()[0]} ...` is not understood: {explain_error(error)}")
        if notes is None:
            for pattern in self.needed:
                if not any(pattern.fullmatch(line.text) for line in section):
                    report_misfit(f"a line is missing: {pattern.pattern}")

    def _take_line(self, line: Line, state: State) -> None:
        """Pass a line to the function of the first pattern that it matches, or report it as unknown."""
        for pattern, taker in self.takers.items():
            if match := pattern.fullmatch(line.text):
                if taker is not None:
                    taker(state, line, match.groups())
                elif line.children:
                    break
                return
        report_unknown(line.text.split()[0], f"not understood: {' / '.join(line.path())}")


def mark_present(*groups: str) -> bool:  # noqa: ARG001 - of any line
    """Return True, the value of a field that says that a line is there."""
    return True


def mark_absent(*groups: str) -> bool:  # noqa: ARG001 - of any line
    """Return False, the value of a field that a line turns off."""
    return False


def make_item(key: str, value: str) -> dict[str, str]:
    """Return the entry that a line with a key and a value adds to a field that is a mapping."""
    return {key: value}


def put_value(target: Any, path: str, value: Any) -> None:
    """Put a value into the field at a path below an object, such as `mlag` or `routing.policies`.

    The path "" is the object itself. A set or list gains the value, a dict is updated with it, and a field of any other
    type is replaced.
    """
    holder, present_value, name = None, target, ""
    for name in path.split(".") if path else ():
        holder, present_value = present_value, getattr(present_value, name)
    match present_value:
        case set():
            present_value.add(value)
        case list():
            present_value.append(value)
        case dict():
            present_value.update(value)
        case _:
            setattr(holder, name, value)


def _store_field(path: str, convert: Callable[..., Any], state: State, line: Line, groups: tuple[Any, ...]) -> None:  # noqa: ARG001 - a Taker
    put_value(state[0], path, convert(*groups))


def _read_lines_below(rules: LineRules, path: str, state: State, line: Line, groups: tuple[Any, ...]) -> None:  # noqa: ARG001 - a Taker
    rules.read(line.children, *((attrgetter(path)(state[0]),) if path else state))


_ENDS = {"", "!", "exit", "exit-address-family", "exit-vni", "exit-vrf", "end"}
"""Lines that end a section, or separate it from the next."""


def parse_tree(text: str) -> Section:
    """Parse a configuration of indented sections into its root section.

    Sections and lines that occur twice are merged if a running configuration is read (`is_tolerant`). Else
    UnknownTextError is raised if a line occurs twice in a section, or if lines are lost. The text of a banner becomes
    part of its line. The library's driver for EOS is not used: it serves to find what to change on a device, and is ten
    times slower.
    """
    banners: dict[str, str] = {}

    def fold_banner(match: re.Match[str]) -> str:
        banners[f"text-of {match[1]}"] = f"banner {match[1]}\n{match[2]}"
        return f"text-of {match[1]}\n"  # a word that means nothing to the library

    text = re.sub(r"^banner (login|motd)\n(.*?)\nEOF\n", fold_banner, text, flags=re.M | re.S)
    lines = [line for line in text.splitlines() if line.strip() not in _ENDS]
    if is_tolerant():
        return _make_sections(lines, banners)
    try:
        parsed = get_hconfig(Platform.GENERIC, "\n".join(lines))
    except DuplicateChildError as error:
        raise UnknownTextError(str(error)) from error
    if (read_count := sum(1 for _ in parsed.all_children())) != len(lines):
        report_misfit(f"{len(lines)} lines were read as {read_count}")
    for line in parsed.children:
        if line.text in banners:  # only these: whenever a text is set, the library walks all lines of the section
            line.text = banners[line.text]
    return Section("", list(parsed.children))


@dataclass(slots=True)
class Section:
    """A line of a running configuration, with the lines below it.

    It is used in place of hier_config's `HConfigChild`, which takes ten times as long for the dumps of a hall; both
    have `text`, `children` and `path()`. `children` are of either class. `above` is None for a section without text,
    the root.
    """

    text: str
    children: list[Any] = field(default_factory=list)
    above: Section | None = None

    def path(self) -> Iterator[str]:
        """Yield the texts of the lines that lead to this one, and its own."""
        if self.above is not None:
            yield from self.above.path()
            yield self.text


def _make_sections(lines: Iterable[str], banners: Mapping[str, str]) -> Section:
    """Make sections from lines without comments; sections and lines that occur twice are merged.

    `banners` are the texts of banners, by the line that stands for each.
    """
    sections: dict[Path, Section] = {(): Section("")}
    for path in read_sections("\n".join(lines)):
        above = sections[path[:-1]]
        sections[path] = Section(banners.get(path[-1], path[-1]), [], above)
        above.children.append(sections[path])
    return sections[()]


def require_fields(row: Mapping[str, Any], *fields: str) -> None:
    """Report fields of a row that are not among `fields`, and fields that the row lacks.

    Both raise UnknownTextError, unless reading is tolerant (`is_tolerant`): then unknown fields are noted, and missing
    ones are no fault, since a running configuration need not state all.
    """
    allow_fields(row, *fields)
    if not is_tolerant() and (missing_fields := sorted(set(fields) - set(row))):
        report_misfit(f"fields are missing: {', '.join(missing_fields)}")


def allow_fields(row: Mapping[str, Any], *allowed: str) -> None:
    """Report fields of a row that are not among `allowed`: raise UnknownTextError, or note them if `is_tolerant`."""
    if unknown_fields := sorted(set(row) - set(allowed)):
        for name in unknown_fields:
            report_unknown(name, f"fields not understood: {', '.join(unknown_fields)}")
