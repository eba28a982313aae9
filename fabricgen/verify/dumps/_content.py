"""The content of a dump, as formats read it, and what they find wrong with it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from fabricgen.kernel.diagnostics import Diagnostic, Severity, Span
from fabricgen.verify.dumps import _json
from fabricgen.verify.dumps.sighting import Box

CODE = "FG065"

MOST_FAULTS = 50
"""The most faults that are told; a truncated list has one in every row."""

MOST_CHARACTERS = 500
"""The longest message that is told: it may repeat a name of a dump."""

FEW_FAULTS, LARGE = 4, 4 * 1024 * 1024
"""The most faults of JSON with so many characters: each is found by reading it again."""

Json: TypeAlias = Any
"""A value of JSON; numbers are text, as they stand there."""

Path: TypeAlias = tuple[str | int, ...]


class WrongValueError(Exception):
    """A value of JSON that cannot be read, by the object or list that holds it; the rest of its dump is read on."""

    def __init__(self, holder: Json, key: str | int | None, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.holder, self.key, self.message, self.hint = holder, key, message, hint


class TooManyFaultsError(Exception):
    """Enough of a dump is wrong: it is read no further."""


@dataclass
class DumpContent:
    """The text of a dump, or its value where that is JSON; `path` leads to the value in its file.

    `shown` is the file as people know it; `device` whose output it is, where a key of the JSON or a prompt of a
    terminal says so. `first_line` is where the text begins in its file, from 1.
    """

    shown: str
    text: str
    value: Json = None
    is_json: bool = False
    path: Path = ()
    device: str = ""
    within: str = ""
    first_line: int = 1
    faults: list[Diagnostic] = field(default_factory=list)

    def read_lines(self) -> Iterator[tuple[int, str]]:
        """The lines of the text, numbered from 1, one by one: a list of them may take ten times the text."""
        return split_lines(self.text)

    def find_box(self) -> Box:
        """The device that a dump is of, for formats that do not say it."""
        return Box(name=self.device, file="" if self.path else self.shown) if self.device else Box(file=self.shown)

    def make_child(self, key: str, value: Json) -> DumpContent:
        """A dump that stands below a key, the name of its device."""
        path = (*self.path, key)
        if isinstance(value, str):
            return DumpContent(self.shown, value, None, False, path, key, self.text, self.first_line, self.faults)
        return DumpContent(self.shown, self.text, value, True, path, key, "", self.first_line, self.faults)

    def add_fault(self, line: int, column: int, message: str, hint: str = "") -> None:
        """Note a fault at a place of a text; raises TooManyFaultsError where enough are noted."""
        if self.within:
            message = f"{message} (line {line} of the text)"
            # the text lies in a string of a JSON file, of which no line is that of the text
            line, column = _json.locate_value(self.within, self.path)
        line += self.first_line - 1
        if len(message) > MOST_CHARACTERS:
            message = f"{message[:MOST_CHARACTERS]}..."
        self.faults.append(Diagnostic(CODE, Severity.ERROR, message, (), hint, Span(self.shown, line, column)))
        # to locate a fault in JSON, all before it is parsed again
        searched = max(len(self.within), len(self.text) if self.is_json else 0)
        if len(self.faults) >= (MOST_FAULTS if searched < LARGE else FEW_FAULTS):
            raise TooManyFaultsError

    def add_value_fault(self, error: WrongValueError) -> None:
        """Note a fault at a value of JSON; raises TooManyFaultsError where enough are noted."""
        path = [*self.path, *(_json.find_path(self.value, error.holder) or ())]
        line, column = _json.locate_value(self.text, path if error.key is None else [*path, error.key])
        self.add_fault(line, column, error.message, error.hint)

    @contextmanager
    def note_faults(self) -> Iterator[None]:
        """Note what is wrong in a part of a dump, and leave out the rest of that part."""
        try:
            yield
        except WrongValueError as error:
            self.add_value_fault(error)


def split_lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a text, numbered from 1."""
    start, number = 0, 1
    while (end := text.find("\n", start)) >= 0:
        yield number, text[start:end]
        start, number = end + 1, number + 1
    if start < len(text):
        yield number, text[start:]


def read_mapping(holder: Json, key: str | int) -> dict[str, Json]:
    """The object below a key, or of a list; an empty one where there is none. Raises WrongValueError for another."""
    value = _read_key(holder, key)
    if type(value) is dict:
        return value
    if value is None:
        return {}
    raise WrongValueError(holder, key, f"{_describe_key(key)} is {_json.describe_kind(value)}, not an object")


def read_sequence(holder: Json, key: str | int) -> list[Json]:
    """The list below a key; an empty one where there is none. Raises WrongValueError for another value."""
    value = _read_key(holder, key)
    if type(value) is list:
        return value
    if value is None:
        return []
    raise WrongValueError(holder, key, f"{_describe_key(key)} is {_json.describe_kind(value)}, not a list")


def read_mappings(holder: Json, key: str | int) -> Iterator[dict[str, Json]]:
    """The objects of the list below a key; raises WrongValueError for what is none."""
    values = read_sequence(holder, key)
    return (read_mapping(values, index) for index in range(len(values)))


def read_text(holder: Json, key: str | int) -> str:
    """The text or number below a key; "" where there is none. Raises WrongValueError for another value."""
    value = _read_key(holder, key)
    if type(value) is str:
        return value
    if value is None:
        return ""
    raise WrongValueError(holder, key, f"{_describe_key(key)} is {_json.describe_kind(value)}, not a text")


def _read_key(holder: Json, key: str | int) -> Json:
    return holder.get(key) if type(holder) is dict else holder[key]


def _describe_key(key: str | int) -> str:
    return f"'{key}'" if isinstance(key, str) else "an item"
