"""The complaints of the YAML parser, in the user's terms.

A mark is a place in the text as the parser has it: `line` and `column` count from 0.
"""

from __future__ import annotations

import re
from typing import Any

from fabricgen.kernel.diagnostics import InputError, Span, fault
from fabricgen.yaml.scalars import is_sexagesimal, make_sexagesimal_error

# Texts, which are compiled when something is wrong.
_INDENT_WITH_TAB = r" *\t"
_UNQUOTED = r"[^\s,\[\]{}]+"
LINE_END = re.compile(r"\r\n|[\r\n\x85\u2028\u2029]")
"""The ends of lines as the parser counts them."""
_HINTS = {
    "mapping values are not allowed": "put text that contains ': ' in quotes, or check the indentation",
    "could not find expected ':'": "a key needs ': ' and a value; is a quote or an indent missing?",
    "did not find expected ',' or": "is a comma or a closing bracket missing?",
    "did not find expected key": "does the indentation match the line above?",
    "found unexpected ':'": "put text that contains ':' in quotes inside { } and [ ]",
    "block sequence entries are not allowed": "put a lone '-' in quotes; a list begins on its own line",
    "did not find expected alphabetic or numeric": "put text that begins with * or & in quotes",
    "did not find expected node content": "is there a comma or a bracket too many?",
    "found unexpected end of stream": "is a closing quote or bracket missing?",
    "found unknown escape character": "write a backslash as \\\\, or use single quotes",
    "found character that cannot start any token": "put text that begins with this character in quotes",
}

_SLIPS = (
    ("", "merge", r"(.).*", "a merge that is not ended", "keep one of its versions, without the marks"),
    ("mapping values", "above", r" *([\w.-]+):[^\s:/].*", "no space after the ':' of {}", "write `{}: ...`"),
    ("mapping values", "above", r" *([\w.-]+) *", "no ':' after {}", "write `{}:`"),
    ("could not find expected ':'", "begun", r" *([\w.-]+) *=.*", "an '=' after {}", "write `{}: ...`"),
    ("could not find expected ':'", "begun", r" *([^:]*)", "a line without ':'", "write `key: value`"),
    ("found unexpected end of stream", "begun", r".*(['\"]).*", "a {} that is not closed", "close it"),
    ("did not find expected key", "here", r"([}\]]).*", "a '{}' too many", "take it away, or open it before"),
    ("did not find expected key", "here", r"(-) .*", "an item of a list (`- `) beside keys", "take the '-' away"),
)
"""Slips in one line: (beginning of the parser's complaint, the line to blame, its form, message, hint); `{}` stands for
what the form captures. For the line where the parser stopped (`here`), the form is that of the text from there on."""


def make_syntax_error(error: Exception, source: str, name: str) -> InputError:
    """Return the parser's error as ours: FG002, or FG004 for a ratio that it stumbled over.

    `source` is the text that was parsed, and `name` the file that spans carry.
    """
    mark = getattr(error, "problem_mark", None)
    if mark is None:
        return fault("FG002", f"not valid YAML: {error}", span=Span(name, 1, 1))
    lines = LINE_END.split(source)
    context = getattr(error, "context_mark", None)
    if tab := _find_tab(lines, name, [m for m in (mark, context) if m]):
        hint = "indent with spaces, two for each level"
        return fault("FG002", "a tab was used for indentation", hint=hint, span=tab)
    problem = str(getattr(error, "problem", None) or error)
    if problem == "found unexpected ':'" and context and (trap := _explain_ratio(lines, context, name)):
        return trap
    if explained := _explain_unquoted_colon(lines, mark, name) if problem == "found unexpected ':'" else None:
        return explained
    if explained := _explain_slip(lines, problem, mark, context, name) or _explain_indentation(
        lines, problem, mark, name
    ):
        return explained
    line = min(mark.line, len(lines) - 1) + 1  # an unfinished text is faulted past its last line
    column = (mark.column if line == mark.line + 1 else len(lines[-1])) + 1
    hint = next((text for start, text in _HINTS.items() if problem.startswith(start)), "")
    problem_text = problem.removesuffix(" in this context") + (" here" if problem.endswith(" in this context") else "")
    if context and context.line != mark.line:
        problem_text += f" ({getattr(error, 'context', None) or 'begun'}, from line {context.line + 1})"
    return fault("FG002", f"not valid YAML: {problem_text}", hint=hint, span=Span(name, line, column, line, column + 1))


def _find_tab(lines: list[str], name: str, marks: list[Any]) -> Span | None:
    """Return the span of the tab to blame: where the parser stopped, or in the indentation of that line; None if
    there is none.
    """
    for mark in marks:
        text = lines[mark.line] if mark.line < len(lines) else ""
        match = re.match(_INDENT_WITH_TAB, text)
        column = match.end() if match else mark.column + 1
        if match or text[mark.column : mark.column + 1] == "\t":
            return Span(name, mark.line + 1, column, mark.line + 1, column + 1)
    return None


def _explain_unquoted_colon(lines: list[str], mark: Any, name: str) -> InputError | None:
    """Return the error for an unquoted text with a colon between brackets, such as 65101:100, which not all readers
    of YAML take alike (YAML 1.2.2, 7.3.3); None for other text.
    """
    text = lines[mark.line] if mark.line < len(lines) else ""
    words = (match for match in re.finditer(_UNQUOTED, text) if match.start() <= mark.column < match.end())
    word = next(words, None)
    if word is None or ":" not in word[0].rstrip(":"):
        return None
    line = mark.line + 1
    span = Span(name, line, word.start() + 1, line, word.end() + 1)
    if key := re.match(r"[A-Za-z_][\w-]*[g-zG-Z_-][\w-]*(?=:[^:])", word[0]):  # longer than what IPv6 is written in
        return fault("FG002", f"no space after the ':' of {key[0]}", hint=f"write `{key[0]}: ...`", span=span)
    return fault(
        "FG002",
        f"{word[0]} has a ':' between brackets and no quotes: YAML 1.2 takes it for text, other readers for a key",
        hint=f'write "{word[0]}"',
        span=span,
    )


def _explain_slip(lines: list[str], problem: str, mark: Any, context: Any, name: str) -> InputError | None:
    """Return the error for a slip in one line, over which the parser stumbles there or in a later line; None if
    there is none.
    """
    stopped = min(mark.line, len(lines) - 1)
    # the index of the line to blame, by the word for it in `_SLIPS`
    line_of_place = {
        "here": stopped,
        "above": next((n for n in range(stopped - 1, -1, -1) if not _is_idle(lines[n])), stopped),
        "begun": context.line if context else stopped,
        "merge": next((n for n, line in enumerate(lines) if line.startswith(("<<<<<<< ", ">>>>>>> "))), None),
    }
    for start, place, pattern, message, hint in _SLIPS:
        number, start_column = line_of_place[place], mark.column if place == "here" else 0
        if (
            number is not None
            and problem.startswith(start)
            and (slip := re.fullmatch(pattern, lines[number][start_column:]))
        ):
            span = Span(name, number + 1, start_column + slip.start(1) + 1, number + 1, start_column + slip.end(1) + 1)
            return fault("FG002", message.format(slip[1]), hint=hint.format(slip[1]), span=span)
    return None


def _is_idle(line: str) -> bool:
    """Whether a line is empty or a comment."""
    return not line.strip() or line.lstrip()[0] == "#"


def _explain_indentation(lines: list[str], problem: str, mark: Any, name: str) -> InputError | None:
    """Return the error for a line that is indented otherwise than its neighbours: deeper below a key with a value,
    or between two levels; None for other lines.
    """
    text = lines[mark.line] if mark.line < len(lines) else ""
    here = _count_indent(text)
    before = [(number, line) for number, line in enumerate(lines[: mark.line]) if not _is_idle(line)]
    span = Span(name, mark.line + 1, here + 1, mark.line + 1, len(text.rstrip()) + 1)
    if problem.startswith("did not find expected <document start>") and before:
        number, line = before[0]
        if deeper := _count_indent(line):
            span = Span(name, number + 1, 1, number + 1, deeper + 1)
            message = f"wrong indentation: line {number + 1} is indented by {deeper}, and those after it are not"
            return fault("FG002", message, hint="begin all keys of one level in one column", span=span)
    key = re.match(r" *(- )*[^\s#\"'\[{][^#\"'\[{]*:(\s|$)", text)
    if not before or key is None or mark.column > key.end():
        return None
    number, line = before[-1]
    above = _count_indent(line)
    is_of_the_block = problem.startswith("did not find expected key") and mark.column == here
    if here > above and (is_of_the_block or problem.startswith("mapping values are not allowed")):
        why = f"by {here}, deeper than line {number + 1}, which has a value already"
        advice = f"indent it by {above}, as that line"
        owner = next((shown for _, shown in reversed(before[:-1]) if _count_indent(shown) <= above), "")
        if _count_indent(owner) == above and owner.rstrip().endswith(":"):
            advice += f", or both by {here}, below `{owner.strip()[:-1]}`"
    elif is_of_the_block:
        columns = sorted({_count_indent(shown) for _, shown in before if not shown.lstrip().startswith("- ")})
        why = f"by {here}, and no key above it is"
        advice = (
            f"indent it by {' or '.join(str(c) for c in columns if abs(c - here) <= 2) or above}, as a key of its level"
        )
        if here in columns:
            return None
    else:
        return None
    return fault("FG002", f"wrong indentation: line {mark.line + 1} is indented {why}", hint=advice, span=span)


def _count_indent(line: str) -> int:
    """Return how many blanks a line begins with."""
    return len(line) - len(line.lstrip(" "))


def _explain_ratio(lines: list[str], start: Any, name: str) -> InputError | None:
    """Return the error for an unquoted 4:3 between brackets, which this parser does not even read; None for other
    text.
    """
    match = re.compile(_UNQUOTED).match(lines[start.line], start.column) if start.line < len(lines) else None
    if not match or not is_sexagesimal(match[0]):
        return None
    line = start.line + 1
    return make_sexagesimal_error(match[0], Span(name, line, match.start() + 1, line, match.end() + 1))
