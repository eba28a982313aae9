"""Validation of located data by a model; the errors of pydantic are told in the user's terms, each at its place."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from fabricgen.kernel.diagnostics import (
    Diagnostic,
    InputError,
    Path,
    Severity,
    did_you_mean,
    find_nearest,
    may_be_secret,
)
from fabricgen.models.forms import IN_WORDS, FieldError
from fabricgen.models.json_schema import describe_field, find_fields, list_keys, list_places
from fabricgen.yaml.scalars import Include

if TYPE_CHECKING:
    from fabricgen.yaml.located import Located

M = TypeVar("M", bound=BaseModel)

_MAPPING = ("dict_type", "mapping_type", "model_type", "model_attributes_type")
_EXPECTED = {
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float", "int_parsing_size"), "a whole number"),
    **dict.fromkeys(("float_type", "float_parsing"), "a number"),
    **dict.fromkeys(("bool_type", "bool_parsing"), "true or false"),
    **dict.fromkeys(_MAPPING, "a mapping"),
    **dict.fromkeys(("list_type", "tuple_type", "set_type", "frozen_set_type"), "a list"),
    **dict.fromkeys(("date_type", "date_parsing", "date_from_datetime_parsing"), "a date such as 2027-01-31"),
    "string_type": "text",
    "none_required": "nothing",
}

MOST_FAULTS = 500
"""How many faults are told one by one; further ones are counted."""

MOST_KEYS = 24
"""How many keys of a mapping a hint names."""

MOST_TEXT = 400
"""How many characters a message that quotes a value may have."""

_BOUND = r"\bat (?:least|most) \d+ (?:item|character)s?"
_DESCRIBED = (
    *("missing", "string_pattern_mismatch", "less_than_equal", "greater_than_equal", "int_type", "float_type"),
    *_MAPPING,
)
"""Kinds of errors for which the field's own description says what would be right, with its unit."""
_CHOICES = ("literal_error", "enum", "union_tag_invalid")


class _Problem(NamedTuple):
    """An error of pydantic, with its type (`kind`), message, input (`found`) and context.

    `is_key` says whether the key at `path` is wrong instead of its value. `branches` are the union members that
    pydantic tried, outermost first: the path of the union, and the member's tag. `expected` is what would be right, in
    words, if the errors of several members were merged into this one; else "".
    """

    kind: str
    path: Path
    message: str
    found: Any
    context: dict[str, Any]
    is_key: bool = False
    branches: tuple[tuple[Path, str], ...] = ()
    expected: str = ""


def format_path(path: Path) -> str:
    """Return a path as users write it, such as `pods.p1.su`; a key with dots is quoted."""
    return ".".join(f'"{part}"' if isinstance(part, str) and "." in part else str(part) for part in path)


def validate(model: type[M], located: Located, *, code: str = "FG010") -> M:
    """Return the data as an instance of `model`.

    Raises InputError with a finding (`code`) for each value or key that does not fit, in the order of the text; FG006
    for an `!include` that is left.
    """
    if located.root.has_include:
        message, hint = "!include is not known in this file", "only blueprints may include files; write the value here"
        raise InputError(
            _sort_faults(
                Diagnostic("FG006", Severity.ERROR, message, path, hint, located.span(path))
                for path in _list_includes(located.data, ())
            )
        )
    try:
        return model.model_validate(located.data)
    except ValidationError as error:
        problems = _keep_meant_errors([_make_problem(e, located.data) for e in error.errors(include_url=False)])
        problems = [p for p in problems if not _is_consequence(p, problems)]
    faults = _sort_faults(_make_diagnostic(p, model, located, code) for p in problems[:MOST_FAULTS])
    if further := problems[MOST_FAULTS:]:  # a file of megabytes may have a million
        message, path = f"{len(further):,} more values or keys do not fit", further[0].path
        faults.append(Diagnostic(code, Severity.ERROR, message, path, "mend those above first", located.span(path)))
    raise InputError(faults)


def _list_includes(data: Any, path: Path) -> list[Path]:
    """Return the paths of the `!include` that nothing has replaced."""
    if isinstance(data, Include):
        return [path]
    entries = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [include for key, value in entries for include in _list_includes(value, (*path, key))]


def _sort_faults(faults: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return faults without repetitions, in the order of the text."""
    unique = {(d.span, d.message): d for d in faults}
    return sorted(unique.values(), key=lambda d: (d.span.file, d.span.line, d.span.column) if d.span else ("", 0, 0))


def _make_problem(error: ErrorDetails, data: Any) -> _Problem:
    """Return an error of pydantic with its path in the data: a step of its location that the data lack is the tag of
    a union, not a key.
    """
    path: Path = ()
    branches: list[tuple[Path, str]] = []
    loc, is_key = error["loc"], error["loc"][-1:] == ("[key]",)
    missing = error["type"] == "missing"
    # the last part is no step in the data if it is `[key]`, or a key that is missing
    for part in loc[: -1 if is_key or missing else None]:
        step = next((s for s in (part, str(part)) if isinstance(data, dict) and s in data), None)
        if isinstance(data, list) and isinstance(part, int) and part < len(data):
            step = part
        if step is None:
            branches.append((path, str(part)))
        else:
            path, data = (*path, step), data[step]
    path = (*path, loc[-1]) if missing else path
    cause = error.get("ctx", {}).get("error")
    if isinstance(cause, FieldError) and isinstance(data, dict) and cause.key in data:
        path = (*path, cause.key)
    context, kind = dict(error.get("ctx", {})), error["type"]
    return _Problem(kind, path, error["msg"], error["input"], context, is_key, tuple(branches))


def _keep_meant_errors(problems: list[_Problem], level: int = 0) -> list[_Problem]:
    """Return the problems, for each union only those of the member that the user most likely meant.

    pydantic reports an error for each member of a union that it tried. If no member has the shape of the value, their
    problems are merged into one. `level` is the number of unions, from the outermost on, for which this is done
    already.
    """
    reduced: list[_Problem] = []
    unions: dict[Path, dict[str, list[_Problem]]] = {}
    for problem in problems:
        if len(problem.branches) <= level:
            reduced.append(problem)
        else:
            union_path, tag = problem.branches[level]
            unions.setdefault(union_path, {}).setdefault(tag, []).append(problem)
    for union_path, problems_by_member in unions.items():
        fitting = [
            errors for errors in problems_by_member.values() if any(_failed_inside(p, union_path) for p in errors)
        ]
        if not fitting and len(problems_by_member) > 1:
            reduced.append(_merge_problems([p for errors in problems_by_member.values() for p in errors]))
        else:
            reduced += _keep_meant_errors(min(fitting or problems_by_member.values(), key=len), level + 1)
    return reduced


def _is_consequence(problem: _Problem, problems: list[_Problem]) -> bool:
    """Whether a list only counts as too short because its items do not fit."""
    path = problem.path
    return problem.kind == "too_short" and any(p.path[: len(path)] == path != p.path for p in problems)


def _failed_inside(problem: _Problem, path: Path) -> bool:
    """Whether the value had the shape of the union's member and only failed inside it."""
    return len(problem.path) > len(path) or problem.kind in ("value_error", "assertion_error")


def _merge_problems(problems: list[_Problem]) -> _Problem:
    """Return one problem for those of all members of a union: the value fits none of them."""
    first = problems[0]
    expected = list(dict.fromkeys(_describe_expected(p) or _write_sentence(p) for p in problems))
    listed = ", ".join(expected[:-1]) + (" or " if len(expected) > 1 else "") + expected[-1]
    choices = ", ".join(str(p.context.get("expected", "")) for p in problems if p.kind in _CHOICES)
    kind, context = ("literal_error", {"expected": choices}) if choices else (first.kind, {})
    return _Problem(kind, first.path, first.message, first.found, context, first.is_key, expected=listed)


def _describe_expected(problem: _Problem) -> str:
    """Return what would be right, as a noun; "" if pydantic only has a sentence."""
    if problem.expected or problem.kind in _EXPECTED:
        return problem.expected or _EXPECTED[problem.kind]
    if problem.kind == "union_tag_invalid":
        return f"{_unquote(problem.context['discriminator'])} to be one of {problem.context['expected_tags']}"
    if problem.kind == "string_pattern_mismatch":
        pattern = str(problem.context["pattern"])
        return IN_WORDS.get(pattern) or f"text that matches {pattern}"
    if bound := re.search(_BOUND, problem.message):
        return bound[0]
    expected = problem.message.removeprefix("Input should be ")
    if expected == problem.message:
        return ""
    return f"a value {expected}" if expected.startswith(("greater", "less", "a multiple")) else expected


def _write_sentence(problem: _Problem) -> str:
    """Return the sentence of a validator of ours, or that of pydantic with a small first letter."""
    message = problem.message
    for prefix in ("Value error, ", "Assertion failed, "):
        if message.startswith(prefix):
            return shorten_message(message.removeprefix(prefix))
    return shorten_message(message[:1].lower() + message[1:])


def shorten_message(message: str) -> str:
    """Return a message without its middle if it is long: it may quote a text of megabytes."""
    return message if len(message) <= MOST_TEXT else f"{message[: MOST_TEXT // 2]}...{message[-MOST_TEXT // 2 :]}"


def _make_diagnostic(problem: _Problem, model: type[BaseModel], located: Located, code: str) -> Diagnostic:
    """Return the finding for a problem, at its key or value."""
    path = problem.path
    of_key = problem.is_key or problem.kind == "extra_forbidden"
    span = located.key_span(path) if of_key else located.span(path)
    message, hint = _explain_indentation(problem, model, located) or (
        _write_message(problem),
        _write_hint(problem, model),
    )
    return Diagnostic(code, Severity.ERROR, message, path, located.add_note(hint, path, span), span)


def _explain_indentation(problem: _Problem, model: type[BaseModel], located: Located) -> tuple[str, str] | None:
    """Return a message and a hint if a key does not fit because its line is indented wrongly; None for other problems.

    Either the key stands beside a key that it belongs below, or beside an entry of a map, as if it were another entry.
    """
    path = problem.path
    if problem.kind == "extra_forbidden":
        if any(c.isspace() and c != " " for c in str(path[-1])):
            return _write_message(problem), "there is a no-break space or the like in it: write plain spaces"
        beside = _find_value(located.data, path[:-1])
        key, keys = located.key_span(path), list(beside) if isinstance(beside, dict) else []
        for sibling in reversed(keys[: keys.index(path[-1])] if path[-1] in keys else []):
            above = located.key_span((*path[:-1], sibling))
            if beside[sibling] is None and key and above and above.line < key.line:
                message = f"wrong indentation: '{path[-1]}' stands beside `{sibling}`, which has nothing below it"
                return message, f"indent it below `{sibling}`"
            below = beside[path[-1]]
            if isinstance(below, dict) and below and {*below} <= {*list_keys(model, (*path[:-1], sibling, path[-1]))}:
                message = f"wrong indentation: '{path[-1]}' stands beside `{sibling}`, as if it were no part of it"
                return message, f"indent it below `{sibling}`"
            # keys above a sibling that has a value are too far up for the key to belong below them
            if beside[sibling] is not None:
                break
    if problem.kind == "missing" and len(path) > 2 and str(path[-2]) in list_keys(model, path[:-1]):
        entry, owner = path[-2], _find_value(located.data, path[:-2])
        siblings = [str(key) for key in owner if key != entry] if isinstance(owner, dict) else []
        if siblings:
            message = f"wrong indentation: `{entry}` stands beside {siblings[-1]}, as if it were one of `{path[-3]}`"
            return message, f"indent it below {siblings[-1]}"
    return None


def _find_value(data: Any, path: Path) -> Any:
    """Return the value at a path; None if the path leads nowhere."""
    for part in path:
        if not isinstance(data, dict | list) or (isinstance(data, dict) and part not in data):
            return None
        data = data[part]  # type: ignore[index]
    return data


def _write_message(problem: _Problem) -> str:
    """Return the message on what is wrong with a key or value, in the words of the language."""
    above = format_path(problem.path[:-1])
    if problem.kind == "extra_forbidden":
        return f"unknown key '{problem.path[-1]}' " + (f"in {above}" if above else "at the top level")
    if problem.kind == "missing" and isinstance(problem.path[-1], int):
        return f"{above}: value {problem.path[-1] + 1} of the list is missing"
    if problem.kind == "missing":
        return f"{above or 'the top level'} needs '{problem.path[-1]}'"
    where = above if problem.is_key else format_path(problem.path)
    start = f"{where}: " if where else ""
    if problem.kind == "union_tag_not_found":
        return f"{where or 'the top level'} needs '{_unquote(problem.context['discriminator'])}'"
    if problem.kind in ("value_error", "assertion_error"):
        return start + _write_sentence(problem)
    actual = f"the key {_format_value(problem.found)}" if problem.is_key else _format_value(problem.found)
    if not problem.is_key and may_be_secret(problem.path) and isinstance(problem.found, str | int | float):
        actual = "what may be a secret"
    if problem.kind in ("union_tag_invalid", "too_short", "too_long"):
        counted = problem.context.get("actual_length", f"'{problem.context.get('tag')}'")
        actual = "more" if counted is None else str(counted)
    expected = _describe_expected(problem)
    return (
        f"{start}expected {expected}, found {actual}"
        if expected
        else f"{start}{_write_sentence(problem)}, found {actual}"
    )


def _write_hint(problem: _Problem, model: type[BaseModel]) -> str:
    """Return a hint: the keys that are possible, the nearest word, or what the field is for."""
    tags = [tag for _, tag in problem.branches]
    if problem.kind == "extra_forbidden":
        key, names = str(problem.path[-1]), list_keys(model, problem.path[:-1], tags)
        places = [] if find_nearest(key, names) else [place or "the top level" for place in list_places(model, key)][:3]
        return f"`{key}` is a key of {' or '.join(places)}" if places else did_you_mean(key, names)
    keys = list_keys(model, problem.path, tags) if problem.kind in _MAPPING else []
    if keys:
        needed = [name for name, info in find_fields(model, problem.path).items() if info.is_required()]
        start = f"write `{{{needed[0]}: ...}}`; " if len(needed) == 1 else ""
        return f"{start}its keys: {', '.join(keys[:MOST_KEYS])}" + (", ..." if len(keys) > MOST_KEYS else "")
    if problem.kind in _DESCRIBED and not problem.is_key:
        # what the field is for or, for an item of a list, what the list or what holds it is for
        ends = range(len(problem.path), len(problem.path) - (3 if isinstance(problem.path[-1], int) else 1), -1)
        return next(filter(None, (describe_field(model, problem.path[:end], tags) for end in ends)), "")
    if problem.kind in _CHOICES:
        listed = str(problem.context.get("expected") or problem.context.get("expected_tags", ""))
        value = problem.context.get("tag", problem.found)
        closest = find_nearest(value, re.findall(r"'([^']*)'", listed)) if isinstance(value, str) else None
        return f"did you mean '{closest}'?" if closest else ""
    if problem.kind == "string_type" and isinstance(problem.found, str | int | float):
        return f'write "{_format_value(problem.found)}" in quotes'
    return ""


def _unquote(quoted: object) -> str:
    """Return what pydantic put in quotes."""
    return str(quoted).strip("'")


def _format_value(value: Any) -> str:
    """Return a value as messages show it: mappings and lists by their kind, text cut at 60 characters."""
    if isinstance(value, dict | list):
        return "a mapping" if isinstance(value, dict) else "a list"
    if value is None or isinstance(value, bool):
        return "nothing" if value is None else str(value).lower()
    text = repr(value)
    return text if len(text) <= 60 else text[:56] + "...'"
