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
    if told := _unquoted_colon(lines, mark, name) if problem == "found unexpected ':'" else None:
        return told
    if told := _explain_indentation(lines, problem, mark, name):
        return told
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


def _unquoted_colon(lines: list[str], mark: Any, name: str) -> InputError | None:
    """A text such as 65101:100 between brackets, which not all readers of YAML take alike (YAML 1.2.2, 7.3.3)."""
    text = lines[mark.line] if mark.line < len(lines) else ""
    words = (found for found in re.finditer(_UNQUOTED, text) if found.start() <= mark.column < found.end())
    word = next(words, None)
    if word is None or ":" not in word[0].rstrip(":"):
        return None
    line = mark.line + 1
    return fault(
        "FG002",
        f"{word[0]} has a ':' between brackets and no quotes: YAML 1.2 takes it for text, other readers for a key",
        hint=f'write "{word[0]}"',
        span=Span(name, line, word.start() + 1, line, word.end() + 1),
    )


def _explain_indentation(lines: list[str], problem: str, mark: Any, name: str) -> InputError | None:
    """A line that is indented otherwise than its neighbours: deeper below a key with a value, or between two levels."""
    text = lines[mark.line] if mark.line < len(lines) else ""
    own = len(text) - len(text.lstrip(" "))
    before = [
        (number, line) for number, line in enumerate(lines[: mark.line]) if line.strip() and line.lstrip()[0] != "#"
    ]
    span = Span(name, mark.line + 1, own + 1, mark.line + 1, len(text.rstrip()) + 1)
    if problem.startswith("did not find expected <document start>") and before:
        number, line = before[0]
        if deeper := len(line) - len(line.lstrip(" ")):
            span = Span(name, number + 1, 1, number + 1, deeper + 1)
            message = f"wrong indentation: line {number + 1} is indented by {deeper}, and those after it are not"
            return fault("FG002", message, hint="begin all keys of one level in one column", span=span)
    key = re.match(r" *(- )*[^\s#\"'\[{][^#\"'\[{]*:(\s|$)", text)
    if not before or key is None or mark.column > key.end():
        return None
    number, line = before[-1]
    above = len(line) - len(line.lstrip(" "))
    if problem.startswith("mapping values are not allowed") and own > above:
        why = f"by {own}, deeper than line {number + 1}, which has a value already"
        right = f"indent it by {above}, as that line"
    elif problem.startswith("did not find expected key") and mark.column == own:
        columns = sorted(
            {len(text) - len(text.lstrip(" ")) for _, text in before if not text.lstrip().startswith("- ")}
        )
        why = f"by {own}, and no key above it is"
        right = (
            f"indent it by {' or '.join(str(c) for c in columns if abs(c - own) <= 2) or above}, as a key of its level"
        )
        if own in columns:
            return None
    else:
        return None
    return fault("FG002", f"wrong indentation: line {mark.line + 1} is indented {why}", hint=right, span=span)


def _ratio(lines: list[str], start: Any, name: str) -> InputError | None:
    """The trap of an unquoted 4:3 between brackets, which this parser does not even read."""
    found = re.compile(_UNQUOTED).match(lines[start.line], start.column) if start.line < len(lines) else None
    if not found or not is_sexagesimal(found[0]):
        return None
    line = start.line + 1
    return sexagesimal_trap(found[0], Span(name, line, found.start() + 1, line, found.end() + 1))
