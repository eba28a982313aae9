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

Json: TypeAlias = Any
"""A value of JSON; numbers are text, as they stand there."""

Path: TypeAlias = tuple[str | int, ...]


class WrongValueError(Exception):
    """A value of JSON that cannot be read; the rest of its dump is read on."""

    def __init__(self, path: Path, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.path, self.message, self.hint = path, message, hint


class TooManyFaultsError(Exception):
    """Enough of a dump is wrong: it is read no further."""


@dataclass
class Content:
    """The text of a dump, or its value where that is JSON; `path` leads to the value in its file.

    `shown` is the file as people know it; `device` whose output it is, where a key of the JSON says so.
    """

    shown: str
    text: str
    value: Json = None
    is_json: bool = False
    path: Path = ()
    device: str = ""
    within: str = ""
    faults: list[Diagnostic] = field(default_factory=list)

    def box(self) -> Box:
        """The device that a dump is of, for formats that do not say it."""
        return Box(name=self.device) if self.device else Box(file=self.shown)

    def child(self, key: str, value: Json) -> Content:
        """A dump that stands below a key, the name of its device."""
        path = (*self.path, key)
        if isinstance(value, str):
            return Content(self.shown, value, None, False, path, key, self.text, self.faults)
        return Content(self.shown, self.text, value, True, path, key, "", self.faults)

    def wrong(self, line: int, column: int, message: str, hint: str = "") -> None:
        """Note a fault at a place of a text; raises TooManyFaultsError where enough are noted."""
        if self.within:
            message = f"{message} (line {line} of the text)"
            line, column = _json.place(self.within, self.path)
        self.faults.append(Diagnostic(CODE, Severity.ERROR, message, (), hint, Span(self.shown, line, column)))
        if len(self.faults) >= MOST_FAULTS:
            raise TooManyFaultsError

    def wrong_at(self, path: Path, message: str, hint: str = "") -> None:
        """Note a fault at a value of JSON; raises TooManyFaultsError where enough are noted."""
        line, column = _json.place(self.text, (*self.path, *path))
        self.wrong(line, column, message, hint)

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Note what is wrong in a part of a dump, and leave out the rest of that part."""
        try:
            yield
        except WrongValueError as wrong:
            self.wrong_at(wrong.path, wrong.message, wrong.hint)


def mapping(value: Json, *path: str | int) -> dict[str, Json]:
    """An object of JSON; raises WrongValueError for another value."""
    if type(value) is dict:
        return value
    raise WrongValueError(path, f"{_where(path)} is {_json.kind(value)}, not an object")


def sequence(value: Json, *path: str | int) -> list[Json]:
    """A list of JSON; raises WrongValueError for another value."""
    if type(value) is list:
        return value
    raise WrongValueError(path, f"{_where(path)} is {_json.kind(value)}, not a list")


def text(value: Json, *path: str | int) -> str:
    """A text or number of JSON, "" for null; raises WrongValueError for another value."""
    if type(value) is str:
        return value
    if value is None:
        return ""
    raise WrongValueError(path, f"{_where(path)} is {_json.kind(value)}, not a text")


def _where(path: Path) -> str:
    return f"'{path[-1]}'" if path and isinstance(path[-1], str) else "an item"
