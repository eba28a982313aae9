"""Edits of YAML: of the data that they change, and of its text, in which comments and layout stay as they are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from fabricgen.kernel.diagnostics import Edit, Path, Span
from fabricgen.yaml.located import Located, find_value, parse_located
from fabricgen.yaml.syntax import LINE_END

_COMMA_AFTER = re.compile(r"\s*,(?:[ \t]*(?![ \t#]))?")
_COMMA_BEFORE = re.compile(r",\s*$")
_BLANK_TO_END = re.compile(r"[ \t]*(?:#[^\n\r]*)?(?:\r\n|[\r\n]|$)")


class UncertainEditError(Exception):
    """An edit that cannot be made in the text without changing something else."""


@dataclass(frozen=True, slots=True, order=True)
class Replacement:
    """The characters of a file from `start` up to `end`, counted from 0, and the text that replaces them."""

    file: str
    start: int
    end: int
    text: str


def apply_to_data(data: Any, edits: Iterable[Edit]) -> Any:
    """Return plain data with edits made. Raises KeyError, IndexError or TypeError for a path that leads nowhere."""
    data = deepcopy(data)
    # from the end: removing an item moves only the items behind it, whose edits are made already
    for edit in sorted(edits, key=lambda e: _sort_key(e.path), reverse=True):
        path = _find_emptied(data, edit.path) if edit.kind == "remove" else edit.path
        container = find_value(data, path[:-1])
        key: Any = path[-1]
        if edit.kind == "remove":
            del container[key]
        elif edit.kind == "rename":
            container[edit.text] = container.pop(key)
        else:
            container[key] = parse_located(edit.text, "").data
    return data


def list_replacements(source: Located, texts: Mapping[str, str], edits: Iterable[Edit]) -> list[Replacement]:
    """Return the replacements that make some edits, in order; `texts` has every file's content by the name that spans
    carry.

    Raises UncertainEditError if an edit would change something else, too: a value that an alias brings in, one of two
    edits of the same text, or a layout that cannot be kept.
    """
    lines = {file: _Lines(text) for file, text in texts.items()}
    changes = sorted(_Edited(source, lines).make_replacement(edit) for edit in set(edits))
    for change, following in pairwise(changes):
        if change.file == following.file and following.start < change.end:
            raise UncertainEditError("two edits meet")
    return changes


def apply_replacements(texts: Mapping[str, str], changes: Iterable[Replacement]) -> dict[str, str]:
    """Return the texts of all files, by name, with the replacements made."""
    result = dict(texts)
    for change in sorted(changes, reverse=True):
        text = result[change.file]
        result[change.file] = text[: change.start] + change.text + text[change.end :]
    return result


def _sort_key(path: Path) -> list[tuple[bool, Any]]:
    """Return a key that sorts paths by their keys and indexes, which may be of different types."""
    return [(isinstance(part, int), part) for part in path]


def _find_emptied(data: Any, path: Path) -> Path:
    """Return what to remove in place of the value at `path`: the outermost key or item that would be left empty without
    it.

    That is `path` itself if something else stands beside the value.
    """
    while len(path) > 1 and len(find_value(data, path[:-1])) == 1:
        path = path[:-1]
    find_value(data, path)
    return path


class _Lines:
    """A text by lines, as YAML counts them. `starts` has the offset, in characters, at which each line begins."""

    def __init__(self, text: str) -> None:
        self.text = text
        ends = list(LINE_END.finditer(text))
        self.starts = [0, *(match.end() for match in ends)]
        self.line_end = ends[0].group() if ends else "\n"

    def find_offset(self, line: int, column: int) -> int:
        """Return the offset of a line and column that count from 1."""
        return self.starts[line - 1] + column - 1

    def begins_its_line(self, line: int, offset: int, lead: str = "") -> bool:
        """Whether `lead`, with spaces around it, and nothing else comes before an offset on its line."""
        return self.text[self.starts[line - 1] : offset].strip(" ") == lead

    def extend_to_lines(self, start: int, end: int) -> tuple[int, int]:
        """Return a stretch of text extended to its whole lines and a comment behind it, if nothing else is on these
        lines.
        """
        begin = max(offset for offset in self.starts if offset <= start)
        blank = _BLANK_TO_END.match(self.text, end)
        is_alone = begin > 0 and not self.text[begin:start].strip(" ")
        return (begin, blank.end()) if is_alone and blank else (start, end)

    def find_next_line(self, offset: int) -> int:
        """Return the offset after the line break, if only blanks and a comment follow on the line. Raises
        UncertainEditError.
        """
        match = _BLANK_TO_END.match(self.text, offset)
        if match is None:
            raise UncertainEditError("something follows on the line")
        return match.end()


class _Edited:
    """Finds the replacement for an edit."""

    def __init__(self, source: Located, lines: Mapping[str, _Lines]) -> None:
        self._source = source
        self._lines = lines

    def make_replacement(self, edit: Edit) -> Replacement:
        """Return the replacement that makes an edit. Raises UncertainEditError."""
        if edit.kind == "insert":
            return self._insert_key(edit)
        if edit.kind == "rename":
            key = self._source.keys[edit.path]
            return self._replace_span(key, self._write_key(key, edit.text))
        if edit.kind == "set":
            span = self._source.spans[edit.path]
            if self._is_block(edit.path):
                raise UncertainEditError("the value spans lines of its own")
            self._refuse_alias(edit.path)
            return self._replace_span(span, edit.text)
        return self._remove_entry(_find_emptied(self._source.data, edit.path))

    def _replace_span(self, span: Span, text: str) -> Replacement:
        """Return the replacement of the text of a span."""
        lines = self._find_lines(span)
        start, end = lines.find_offset(span.line, span.column), lines.find_offset(span.end_line, span.end_column)
        return Replacement(span.file, start, end, text)

    def _write_key(self, key: Span, name: str) -> str:
        """Return a name in the quotes that another key is written in, as in JSON, if any."""
        lines = self._find_lines(key)
        quote = lines.text[lines.find_offset(key.line, key.column)]
        return f"{quote}{name}{quote}" if quote in "\"'" else name

    def _find_lines(self, span: Span) -> _Lines:
        """Return the lines of the file of a span. Raises UncertainEditError for a file that is not in `texts`."""
        try:
            return self._lines[span.file]
        except KeyError:
            raise UncertainEditError(f"{span.file} is not a file of the blueprint") from None

    def _is_block(self, path: Path) -> bool:
        """Whether a value is a mapping or list without brackets."""
        span = self._source.spans[path]
        if not isinstance(find_value(self._source.data, path), dict | list):
            return False
        lines = self._find_lines(span)
        return lines.text[lines.find_offset(span.line, span.column)] not in "{["

    def _refuse_alias(self, path: Path) -> None:
        """Raise UncertainEditError if a value is written elsewhere than behind its key or in its list."""
        span = self._source.spans[path]
        key = self._source.keys.get(path) or self._source.spans[path[:-1]]
        if span.file != key.file or (span.line, span.column) < (key.line, key.column):
            raise UncertainEditError("an alias brings the value in")

    def _find_end(self, path: Path) -> int:
        """Return the offset behind the last character of a value."""
        self._refuse_alias(path)
        span, data = self._source.spans[path], find_value(self._source.data, path)
        if self._is_block(path):
            return max(self._find_end((*path, part)) for part in (data if isinstance(data, dict) else range(len(data))))
        lines = self._find_lines(span)
        end = lines.find_offset(span.end_line, span.end_column)
        return end if lines.text[:end].strip() else lines.find_offset(span.line, span.column)

    def _remove_entry(self, path: Path) -> Replacement:
        """Return the removal of a key with its value, or of an item of a list.

        In a block its lines are removed. Between brackets the comma behind it goes with it or, if there is none, the
        comma before it.
        """
        kind, lead, spans = (
            ("item", "-", self._source.spans) if isinstance(path[-1], int) else ("key", "", self._source.keys)
        )
        span = spans[path]
        lines = self._find_lines(span)
        start, end = lines.find_offset(span.line, span.column), self._find_end(path)
        if kind == "key":  # one without a value ends behind its colon
            end = max(end, lines.find_offset(span.end_line, span.end_column) + 1)
        if self._is_block(path[:-1]):
            if not lines.begins_its_line(span.line, start, lead):
                raise UncertainEditError(f"the {kind} does not begin its line")
            return Replacement(span.file, lines.starts[span.line - 1], lines.find_next_line(end), "")
        comma_after = _COMMA_AFTER.match(lines.text, end)
        comma_before = None if comma_after else _COMMA_BEFORE.search(lines.text[:start])
        start, end = comma_before.start() if comma_before else start, comma_after.end() if comma_after else end
        return Replacement(span.file, *lines.extend_to_lines(start, end), "")

    def _insert_key(self, edit: Edit) -> Replacement:
        """Return the insertion of a first key into a mapping, on a line of its own if the present first key begins
        its line.
        """
        span = self._source.spans[edit.path[:-1]]
        lines = self._find_lines(span)
        entry, comma = f"{edit.path[-1]}: {edit.text}", ""
        start, line, column = lines.find_offset(span.line, span.column), span.line, span.column
        if lines.text[start] == "{":
            keys = (k for p, k in self._source.keys.items() if p[:-1] == edit.path[:-1] and k.file == span.file)
            first_key = min((k for k in keys if (k.line, k.column) > (line, column)), default=None)
            if first_key is None:
                return Replacement(span.file, start + 1, start + 1, entry)
            entry, comma = f"{self._write_key(first_key, str(edit.path[-1]))}: {edit.text}", ","
            start, line, column = lines.find_offset(first_key.line, first_key.column), first_key.line, first_key.column
            if not lines.begins_its_line(line, start):
                return Replacement(span.file, start, start, f"{entry}, ")
        return Replacement(span.file, start, start, f"{entry}{comma}{lines.line_end}{' ' * (column - 1)}")
