"""Configuration text as a tree, read so that no line is passed over: what a parser does not know is an error."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

from hier_config import Platform, get_hconfig
from hier_config.child import HConfigChild
from hier_config.exceptions import DuplicateChildError
from ruamel.yaml.error import YAMLError

from fabricgen.running.statements import Path, read_sections

Line: TypeAlias = HConfigChild
Taker: TypeAlias = Callable[..., None]
"""Called with the line and the groups of the pattern that it matched."""


class UnknownTextError(ValueError):
    """A configuration says what the parser was not taught, or leaves out what it needs to make sense of the rest."""


Made = TypeVar("Made")

STUMBLES = (ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What a reader may raise over text that nobody of this house wrote."""

CANNOT_READ = (*STUMBLES, YAMLError, MemoryError)
"""What reading text of any kind may raise."""


@dataclass
class Notes:
    """What is passed over while a device's running configuration is read, which says more than a plan, and less.

    `unknown`: the first word of each line, or the name of a table or field, that no reader knows. `unfit`: what does
    not fit together. `unread`: why a whole part could not be read, by its name.
    """

    unknown: list[str] = field(default_factory=list)
    unfit: list[str] = field(default_factory=list)
    unread: dict[str, str] = field(default_factory=dict)


_NOTES: ContextVar[Notes | None] = ContextVar("notes", default=None)
"""Where to note, None where nothing may be passed over: readers ask each other through many hands."""


@contextmanager
def read_tolerantly() -> Iterator[Notes]:
    """Read what a device runs: what no reader knows is noted, and does not stop the reading."""
    token = _NOTES.set(Notes())
    try:
        yield _NOTES.get() or Notes()
    finally:
        _NOTES.reset(token)


def is_tolerant() -> bool:
    """Whether a device's running configuration is read, in which defaults are left unsaid."""
    return _NOTES.get() is not None


def report_misfit(message: str) -> None:
    """Parts that do not fit together: noted of a running configuration; of any other raises UnknownTextError."""
    notes = _NOTES.get()
    if notes is None:
        raise UnknownTextError(message)
    notes.unfit.append(message)


def report_unknown(word: str, message: str) -> None:
    """What no reader knows: `word` is noted of a running configuration; of any other raises UnknownTextError."""
    notes = _NOTES.get()
    if notes is None:
        raise UnknownTextError(message)
    notes.unknown.append(word)


def read_part(name: str, make: Callable[[], Made], instead: Made) -> Made:
    """What `make` reads; `instead` of a part of a running configuration that cannot be read, which is noted."""
    notes = _NOTES.get()
    if notes is None:
        return make()
    try:
        return make()
    except STUMBLES as error:
        notes.unread[name] = explain_error(error)
        return instead


def explain_error(error: Exception) -> str:
    """Why something was not read, without text of the configuration unless a reader of ours wrote it."""
    if isinstance(error, UnknownTextError):
        return str(error)
    return f"no {error.args[0]!s:.60}" if isinstance(error, KeyError) and error.args else type(error).__name__


@dataclass
class LineRules:
    """Patterns of the lines that may stand in a section, and what takes each; first match wins.

    Raises ValueError where a pattern is stated twice: the later would take the place of the first unseen.
    """

    takers: dict[re.Pattern[str], Taker | None] = field(default_factory=dict)
    needed: list[re.Pattern[str]] = field(default_factory=list)

    def line(self, pattern: str) -> Callable[[Taker], Taker]:
        """Decorate what takes lines that match in whole."""

        def add(taker: Taker) -> Taker:
            self._add_taker(pattern, taker)
            return taker

        return add

    def ignore_lines(self, *patterns: str) -> None:
        """Lines that are known, and say nothing that the model of a switch has."""
        for pattern in patterns:
            self._add_taker(pattern, None)

    def require_lines(self, *patterns: str) -> None:
        """Lines that say nothing that the model has, and that a build writes into every such section."""
        self.ignore_lines(*patterns)
        self.needed += map(re.compile, patterns)

    def _add_taker(self, pattern: str, taker: Taker | None) -> None:
        # enter what takes lines of a pattern; None takes a line alone, without anything below it
        compiled = re.compile(pattern)
        if compiled in self.takers:
            raise ValueError(f"two readers for lines `{pattern}`")
        self.takers[compiled] = taker

    def read(self, section: Iterable[Line], *state: Any) -> None:
        """Take every line; raises UnknownTextError for one that no pattern matches."""
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

    def _take_line(self, line: Line, state: tuple[Any, ...]) -> None:
        # give a line to the first pattern that it matches, or report it as unknown
        for pattern, taker in self.takers.items():
            if match := pattern.fullmatch(line.text):
                if taker is not None:
                    taker(*state, line, *match.groups())
                elif line.children:
                    break
                return
        report_unknown(line.text.split()[0], f"not understood: {' / '.join(line.path())}")


_ENDS = {"", "!", "exit", "exit-address-family", "exit-vni", "exit-vrf", "end"}
"""Lines that end a section, or separate it from the next."""


def parse_tree(text: str) -> Section:
    """A configuration of indented sections; raises UnknownTextError where a line stands twice in one of them.

    The text of a banner becomes part of its line.

    EOS's own driver of the library is for finding what to change on a device, and ten times slower.
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
    if (read := sum(1 for _ in parsed.all_children())) != len(lines):
        report_misfit(f"{len(lines)} lines were read as {read}")
    for line in parsed.children:
        if line.text in banners:  # the library goes through all lines of a section for each whose text is set
            line.text = banners[line.text]
    return Section("", list(parsed.children))


@dataclass(slots=True)
class Section:
    """A line of what a device runs, with the lines below it: the library takes ten times as long to read a hall.

    Its names are those of hier_config's `HConfigChild`, in whose place readers get it.
    """

    text: str
    children: list[Any] = field(default_factory=list)
    above: Section | None = None

    def path(self) -> Iterator[str]:
        """The texts that lead to it."""
        if self.above is not None:
            yield from self.above.path()
            yield self.text


def _make_sections(lines: Iterable[str], banners: Mapping[str, str]) -> Section:
    """Lines without comments, each once in its section: a section that stands twice is one."""
    sections: dict[Path, Section] = {(): Section("")}
    for path in read_sections("\n".join(lines)):
        above = sections[path[:-1]]
        sections[path] = Section(banners.get(path[-1], path[-1]), [], above)
        above.children.append(sections[path])
    return sections[()]


def require_fields(values: Mapping[str, Any], *fields: str) -> None:
    """Raises UnknownTextError where a row has other fields than those named; a device may leave some unsaid."""
    allow_fields(values, *fields)
    if not is_tolerant() and (missing := sorted(set(fields) - set(values))):
        report_misfit(f"fields are missing: {', '.join(missing)}")


def allow_fields(values: Mapping[str, Any], *allowed: str) -> None:
    """Raises UnknownTextError where a row has a field besides those named."""
    if strange := sorted(set(values) - set(allowed)):
        for name in strange:
            report_unknown(name, f"fields not understood: {', '.join(strange)}")
