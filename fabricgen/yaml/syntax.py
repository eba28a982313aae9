"""The YAML parser's complaints in the user's terms."""

from __future__ import annotations

import re
from typing import Any

from fabricgen.kernel.diagnostics import InputError, Span, fault
from fabricgen.yaml.scalars import is_sexagesimal, sexagesimal_trap

# Texts, which are only compiled where something is wrong.
_INDENT_WITH_TAB = r" *\t"
_UNQUOTED = r"[^\s,\[\]{}]+"
LINE_END = re.compile(r"\r\n|[\r\n\x85\u2028\u2029]")
"""Ends of lines as the parser counts them."""
_HINTS = {
    "mapping values are not allowed": "put text that contains ': ' in quotes, or check the indentation",
    "could not find expected ':'": "a key needs ': ' and a value; is a quote or an indent missing?",
    "did not find expected ',' or": "is a comma or a closing bracket missing?",
    "did not find expected key": "does the indentation match the line above?",
    "found unexpected ':'": "put text that contains ':' in quotes inside { } and [ ]",
    "block sequence entries are not allowed": "put a lone '-' in quotes; a list begins on its own line",
    "found unexpected end of stream": "is a closing quote or bracket missing?",
    "found unknown escape character": "write a backslash as \\\\, or use single quotes",
    "found character that cannot start any token": "put text that begins with this character in quotes",
}


def syntax_fault(error: Exception, source: str, name: str) -> InputError:
    """Turn the parser's error into ours: FG002, or FG004 for a ratio that it stumbled over."""
    mark = getattr(error, "problem_mark", None)
    if mark is None:
        return fault("FG002", f"not valid YAML: {error}", span=Span(name, 1, 1))
    lines = LINE_END.split(source)
    context = getattr(error, "context_mark", None)
    if tab := _tab(lines, name, [m for m in (mark, context) if m]):
        hint = "indent with spaces, two for each level"
        return fault("FG002", "a tab was used for indentation", hint=hint, span=tab)
    problem = str(getattr(error, "problem", None) or error)
    if problem == "found unexpected ':'" and context and (trap := _ratio(lines, context, name)):
        return trap
    line = min(mark.line, len(lines) - 1) + 1  # an unfinished text is faulted past its last line
    column = (mark.column if line == mark.line + 1 else len(lines[-1])) + 1
    hint = next((text for start, text in _HINTS.items() if problem.startswith(start)), "")
    what = problem.removesuffix(" in this context") + (" here" if problem.endswith(" in this context") else "")
    if context and context.line != mark.line:
        what += f" ({getattr(error, 'context', None) or 'begun'}, from line {context.line + 1})"
    return fault("FG002", f"not valid YAML: {what}", hint=hint, span=Span(name, line, column, line, column + 1))


def _tab(lines: list[str], name: str, marks: list[Any]) -> Span | None:
    """The tab that is to blame: where the parser stopped, or in the indentation of that line."""
    for mark in marks:
        text = lines[mark.line] if mark.line < len(lines) else ""
        found = re.match(_INDENT_WITH_TAB, text)
        column = found.end() if found else mark.column + 1
        if found or text[mark.column : mark.column + 1] == "\t":
            return Span(name, mark.line + 1, column, mark.line + 1, column + 1)
    return None


def _ratio(lines: list[str], start: Any, name: str) -> InputError | None:
    """The trap of an unquoted 4:3 between brackets, which this parser does not even read."""
    found = re.compile(_UNQUOTED).match(lines[start.line], start.column) if start.line < len(lines) else None
    if not found or not is_sexagesimal(found[0]):
        return None
    line = start.line + 1
    return sexagesimal_trap(found[0], Span(name, line, found.start() + 1, line, found.end() + 1))
