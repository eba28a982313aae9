"""Edits of YAML: of the data they change, and of its text, where comments and layout stay as they are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from fabricgen.kernel.diagnostics import Edit, Path, Span
from fabricgen.yaml.located import Located, parse_located
from fabricgen.yaml.syntax import LINE_END

_COMMA_AFTER = re.compile(r"\s*,(?:[ \t]*(?![ \t#]))?")
_COMMA_BEFORE = re.compile(r",\s*$")
_BLANK_TO_END = re.compile(r"[ \t]*(?:#[^\n\r]*)?(?:\r\n|[\r\n]|$)")


class UncertainEditError(Exception):
    """An edit that cannot be made in the text without changing something else."""


@dataclass(frozen=True, slots=True, order=True)
class Replacement:
    """The characters of a file from `start` up to `end`, from 0, and what comes in their place."""

    file: str
    start: int
    end: int
    text: str


def apply_to_data(data: Any, edits: Iterable[Edit]) -> Any:
    """Return plain data with edits made; raises KeyError, IndexError or TypeError where a path leads nowhere."""
    data = deepcopy(data)
    # from the end: removing an item moves only those behind it, whose edits are made
    for edit in sorted(edits, key=lambda e: _sort_key(e.path), reverse=True):
        path = _find_emptied(data, edit.path) if edit.kind == "remove" else edit.path
        above = _find_value(data, path[:-1])
        last: Any = path[-1]
        if edit.kind == "remove":
            del above[last]
        elif edit.kind == "rename":
            above[edit.text] = above.pop(last)
        else:
            above[last] = parse_located(edit.text, "").data
    return data


def list_replacements(source: Located, texts: Mapping[str, str], edits: Iterable[Edit]) -> list[Replacement]:
    """Return where the texts change, in order; `texts` has every file's content by the name that spans carry.

    Raises UncertainEditError where an edit would change something else too: a value that an alias brings in, one of two
    edits of the same text, or a layout that it cannot keep.
    """
    lines = {file: _Lines(text) for file, text in texts.items()}
    changes = sorted(_Edited(source, lines).make_replacement(edit) for edit in set(edits))
    for before, after in pairwise(changes):
        if before.file == after.file and after.start < before.end:
            raise UncertainEditError("two edits meet")
    return changes


def apply_replacements(texts: Mapping[str, str], changes: Iterable[Replacement]) -> dict[str, str]:
    """Return the texts of all files, by name, with the changes made."""
    result = dict(texts)
    for change in sorted(changes, reverse=True):
        text = result[change.file]
        result[change.file] = text[: change.start] + change.text + text[change.end :]
    return result


def _sort_key(path: Path) -> list[tuple[bool, Any]]:
    """Return later items of a list first, so that indexes stay true."""
    return [(isinstance(part, int), part) for part in path]


def _find_value(data: Any, path: Path) -> Any:
    for part in path:
        data = data[part]
    return data


def _find_emptied(data: Any, path: Path) -> Path:
    """Return the highest place that holds nothing but what is removed."""
    while len(path) > 1 and len(_find_value(data, path[:-1])) == 1:
        path = path[:-1]
    _find_value(data, path)
    return path


class _Lines:
    """A text by lines, as YAML counts them."""

    def __init__(self, text: str) -> None:
        # where each line begins, by index of characters
        self.text = text
        ends = list(LINE_END.finditer(text))
        self.starts = [0, *(match.end() for match in ends)]
        self.line_end = ends[0].group() if ends else "\n"

    def find_offset(self, line: int, column: int) -> int:
        """Place of a line and column that count from 1."""
        return self.starts[line - 1] + column - 1

    def first_on_its_line(self, line: int, offset: int, lead: str = "") -> bool:
        """Whether nothing but blanks, and `lead`, stands before a place on its line."""
        return self.text[self.starts[line - 1] : offset].strip(" ") == lead

    def extend_to_lines(self, start: int, end: int) -> tuple[int, int]:
        """Return a stretch of text with its lines, and a comment behind it, where nothing else stands on these."""
        begin = max(at for at in self.starts if at <= start)
        rest = _BLANK_TO_END.match(self.text, end)
        alone = begin > 0 and not self.text[begin:start].strip(" ") and rest
        return (begin, rest.end()) if alone and rest else (start, end)

    def end_of_line(self, offset: int) -> int:
        """Place after the line break that ends a line on which only blanks and a comment follow."""
        match = _BLANK_TO_END.match(self.text, offset)
        if match is None:
            raise UncertainEditError("something follows on the line")
        return match.end()


class _Edited:
    """Finds what to replace for an edit."""

    def __init__(self, source: Located, lines: Mapping[str, _Lines]) -> None:
        self._source = source
        self._lines = lines

    def make_replacement(self, edit: Edit) -> Replacement:
        """Return the characters that an edit concerns; raises UncertainEditError."""
        if edit.kind == "insert":
            return self._insert_key(edit)
        if edit.kind == "rename":
            key = self._source.keys[edit.path]
            return self._replace_span(key, self._write_key(key, edit.text))
        if edit.kind == "set":
            span = self._source.spans[edit.path]
            if self._is_block(edit.path):
                raise UncertainEditError("the value spans lines of its own")
            self._check_own(edit.path)
            return self._replace_span(span, edit.text)
        path = _find_emptied(self._source.data, edit.path)
        return self._remove_item(path) if isinstance(path[-1], int) else self._remove_key(path)

    def _replace_span(self, span: Span, text: str) -> Replacement:
        """Put a text in place of what a span covers."""
        lines = self._find_lines(span)
        start, end = lines.find_offset(span.line, span.column), lines.find_offset(span.end_line, span.end_column)
        return Replacement(span.file, start, end, text)

    def _write_key(self, key: Span, name: str) -> str:
        """Return a name as another key is written: quoted in JSON."""
        lines = self._find_lines(key)
        quote = lines.text[lines.find_offset(key.line, key.column)]
        return f"{quote}{name}{quote}" if quote in "\"'" else name

    def _find_lines(self, span: Span) -> _Lines:
        """Return the lines of the file of a span; raises UncertainEditError for one that is not at hand."""
        try:
            return self._lines[span.file]
        except KeyError:
            raise UncertainEditError(f"{span.file} is not a file of the blueprint") from None

    def _is_block(self, path: Path) -> bool:
        """Whether a value is a mapping or list without brackets."""
        span = self._source.spans[path]
        if not isinstance(_find_value(self._source.data, path), dict | list):
            return False
        lines = self._find_lines(span)
        return lines.text[lines.find_offset(span.line, span.column)] not in "{["

    def _check_own(self, path: Path) -> None:
        """Raises UncertainEditError where a value stands elsewhere than behind its key or in its list."""
        span = self._source.spans[path]
        key = self._source.keys.get(path) or self._source.spans[path[:-1]]
        if span.file != key.file or (span.line, span.column) < (key.line, key.column):
            raise UncertainEditError("an alias brings the value in")

    def _find_end(self, path: Path) -> int:
        """Place behind the last character of a value."""
        self._check_own(path)
        span, data = self._source.spans[path], _find_value(self._source.data, path)
        if self._is_block(path):
            return max(self._find_end((*path, part)) for part in (data if isinstance(data, dict) else range(len(data))))
        lines = self._find_lines(span)
        end = lines.find_offset(span.end_line, span.end_column)
        return end if lines.text[:end].strip() else lines.find_offset(span.line, span.column)

    def _remove_key(self, path: Path) -> Replacement:
        """Take a key with its value: the lines of a block, or the part between two commas."""
        key = self._source.keys[path]
        lines = self._find_lines(key)
        start, end = lines.find_offset(key.line, key.column), self._find_end(path)
        # a key without a value ends behind its colon
        end = max(end, lines.find_offset(key.end_line, key.end_column) + 1)
        if self._is_block(path[:-1]):
            if not lines.first_on_its_line(key.line, start):
                raise UncertainEditError("the key does not begin its line")
            return Replacement(key.file, lines.starts[key.line - 1], lines.end_of_line(end), "")
        return self._remove_from_brackets(key.file, lines, start, end)

    def _remove_item(self, path: Path) -> Replacement:
        """Take an item of a list: its lines, or the part between two commas."""
        span = self._source.spans[path]
        lines = self._find_lines(span)
        start, end = lines.find_offset(span.line, span.column), self._find_end(path)
        if self._is_block(path[:-1]):
            if not lines.first_on_its_line(span.line, start, "-"):
                raise UncertainEditError("the item does not begin its line")
            return Replacement(span.file, lines.starts[span.line - 1], lines.end_of_line(end), "")
        return self._remove_from_brackets(span.file, lines, start, end)

    def _remove_from_brackets(self, file: str, lines: _Lines, start: int, end: int) -> Replacement:
        """Return an entry between braces or brackets goes with the comma behind it, else with the one before it."""
        after = _COMMA_AFTER.match(lines.text, end)
        before = None if after else _COMMA_BEFORE.search(lines.text[:start])
        start, end = before.start() if before else start, after.end() if after else end
        return Replacement(file, *lines.extend_to_lines(start, end), "")

    def _insert_key(self, edit: Edit) -> Replacement:
        """Return a first key of a mapping, on a line of its own where the one that was first begins its line."""
        span = self._source.spans[edit.path[:-1]]
        lines = self._find_lines(span)
        entry, comma = f"{edit.path[-1]}: {edit.text}", ""
        start, line, column = lines.find_offset(span.line, span.column), span.line, span.column
        if lines.text[start] == "{":
            keys = (k for p, k in self._source.keys.items() if p[:-1] == edit.path[:-1] and k.file == span.file)
            first = min((k for k in keys if (k.line, k.column) > (line, column)), default=None)
            # nothing in the brackets that the key would have to be parted from
            if first is None:
                return Replacement(span.file, start + 1, start + 1, entry)
            entry, comma = f"{self._write_key(first, str(edit.path[-1]))}: {edit.text}", ","
            start, line, column = lines.find_offset(first.line, first.column), first.line, first.column
            if not lines.first_on_its_line(line, start):
                return Replacement(span.file, start, start, f"{entry}, ")
        return Replacement(span.file, start, start, f"{entry}{comma}{lines.line_end}{' ' * (column - 1)}")
