"""The content of a dump, as formats read it, and the faults that they find in it."""

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
"""The most faults that are reported; a truncated list has one in every row."""

MOST_CHARACTERS = 500
"""The longest message of a fault: it may repeat a name in a dump."""

FEW_FAULTS, LARGE = 4, 4 * 1024 * 1024
"""The most faults that are reported of JSON with `LARGE` characters or more: each is located by parsing it again."""

Json: TypeAlias = Any
"""A value of JSON, with numbers as text."""

Path: TypeAlias = tuple[str | int, ...]
"""The keys and indexes that lead to a value in JSON, from the outermost object or list on."""


class WrongValueError(Exception):
    """A value of JSON that cannot be used, located by the object or list that holds it; other values are read on."""

    def __init__(self, holder: Json, key: str | int | None, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.holder, self.key, self.message, self.hint = holder, key, message, hint


class TooManyFaultsError(Exception):
    """A dump has so many faults that it is not read any further."""


@dataclass
class DumpContent:
    """The text of a dump, or its `value` if it is JSON.

    `shown` is the name of the file for people. `path` leads to the value in the JSON of the file. If the dump is itself
    a string in that JSON, such as a table in an answer of an API, `within` is the text of the JSON, else "". `device`
    is the device whose output it is, if a key of the JSON or the prompt of a terminal says so. `first_line` is the line
    of the file in which the text begins, from 1.
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
        """Yield the lines of the text, numbered from 1; a list of them may take ten times the memory of the text."""
        return split_lines(self.text)

    def find_box(self) -> Box:
        """Return the device that a dump is of, for formats that do not tell it: by key, prompt or name of the file."""
        return Box(name=self.device, file="" if self.path else self.shown) if self.device else Box(file=self.shown)

    def make_child(self, key: str, value: Json) -> DumpContent:
        """Return the dump below a key of a JSON object, where the key is the name of its device."""
        path = (*self.path, key)
        if isinstance(value, str):
            return DumpContent(self.shown, value, None, False, path, key, self.text, self.first_line, self.faults)
        return DumpContent(self.shown, self.text, value, True, path, key, "", self.first_line, self.faults)

    def add_fault(self, line: int, column: int, message: str, hint: str = "") -> None:
        """Add a fault at a line and column of the text; raises TooManyFaultsError if there are enough."""
        if self.within:
            message = f"{message} (line {line} of the text)"
            # the text is in a string of a JSON file: the fault is located at that string
            line, column = _json.locate_value(self.within, self.path)
        line += self.first_line - 1
        if len(message) > MOST_CHARACTERS:
            message = f"{message[:MOST_CHARACTERS]}..."
        self.faults.append(Diagnostic(CODE, Severity.ERROR, message, (), hint, Span(self.shown, line, column)))
        # a fault in JSON is located by parsing all before it again
        searched = max(len(self.within), len(self.text) if self.is_json else 0)
        if len(self.faults) >= (MOST_FAULTS if searched < LARGE else FEW_FAULTS):
            raise TooManyFaultsError

    def add_value_fault(self, error: WrongValueError) -> None:
        """Add a fault at a value of JSON; raises TooManyFaultsError if there are enough."""
        path = [*self.path, *(_json.find_path(self.value, error.holder) or ())]
        line, column = _json.locate_value(self.text, path if error.key is None else [*path, error.key])
        self.add_fault(line, column, error.message, error.hint)

    @contextmanager
    def note_faults(self) -> Iterator[None]:
        """Within this context, a WrongValueError is added as a fault, and ends the context instead of the reading."""
        try:
            yield
        except WrongValueError as error:
            self.add_value_fault(error)


def split_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text, numbered from 1."""
    start, number = 0, 1
    while (end := text.find("\n", start)) >= 0:
        yield number, text[start:end]
        start, number = end + 1, number + 1
    if start < len(text):
        yield number, text[start:]


def read_mapping(holder: Json, key: str | int) -> dict[str, Json]:
    """Return the object at a key or index, {} if there is none; raises WrongValueError for any other value."""
    value = _read_key(holder, key)
    if type(value) is dict:
        return value
    if value is None:
        return {}
    raise WrongValueError(holder, key, f"{_describe_key(key)} is {_json.describe_kind(value)}, not an object")


def read_sequence(holder: Json, key: str | int) -> list[Json]:
    """Return the list at a key or index, [] if there is none; raises WrongValueError for any other value."""
    value = _read_key(holder, key)
    if type(value) is list:
        return value
    if value is None:
        return []
    raise WrongValueError(holder, key, f"{_describe_key(key)} is {_json.describe_kind(value)}, not a list")


def read_mappings(holder: Json, key: str | int) -> Iterator[dict[str, Json]]:
    """Yield the objects in the list at a key or index; raises WrongValueError for any other value."""
    values = read_sequence(holder, key)
    return (read_mapping(values, index) for index in range(len(values)))


def read_text(holder: Json, key: str | int) -> str:
    """Return the text or number at a key or index, "" if there is none; raises WrongValueError for any other value."""
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
