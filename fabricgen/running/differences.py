"""Rules, as data, about which differences of a configuration have no effect, and which do not concern the plan.

Each NOS has a file `fabricgen/nos/NAME/differences.yaml` with a list of entries (`DifferenceRule`). A difference that
no entry matches is drift.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path as FilePath
from typing import Any, Literal

from pydantic import Field, TypeAdapter, field_validator
from ruamel.yaml import YAML

from fabricgen.kernel.diagnostics import Severity
from fabricgen.kernel.nos_rooms import find_room_file, list_nos, load_part
from fabricgen.models.forms import FrozenModel
from fabricgen.running.statements import UNREADABLE, Difference, Path, Statements, compare_statements, load_spelling

MOST_RULES = 150


class Given(FrozenModel):
    """A condition of a rule: that something is stated at a path, or with `absent` that nothing is.

    The statements are those of the device or of the plan (`among`). Steps of the path are texts, or with `like` regular
    expressions. `{name}` in a step stands for what the group `name` of the rule's path matched. `values` are regular
    expressions, one of which must match the whole value at the path; () allows any value.
    """

    path: tuple[str, ...]
    among: Literal["running", "planned"] = "running"
    values: tuple[str, ...] = ()
    absent: bool = False
    like: bool = False


class PardonCase(FrozenModel):
    """A test case of a rule: `planned`, what is planned, and `running`, what a device shows and the rule pardons.

    A rule of kind `error` must find an error in `running`. All are snippets of files: text of FRR, EOS or NVUE; tables
    of SONiC, or the tree below NVUE's `set`, as YAML.
    """

    planned: Any
    running: Any
    counter: Any
    """Shown in place of `running`, must give at least one error (for a rule of kind `error`: none)."""


class DifferenceRule(FrozenModel):
    """A rule about differences at paths that match, step by step, the regular expressions of `path` in full.

    A `neutral` difference changes nothing; a `foreign` one does something that cannot affect the plan; a `description`
    affects no packet. The values of a `secret` are never printed, and are compared only if both sides have the same
    form. An `error` breaks the plan, for the reason `why`; such a rule stands before one that would pardon the
    difference.
    """

    kind: Literal["error", "neutral", "foreign", "description", "secret"]
    path: tuple[str, ...] = Field(min_length=1)
    side: Literal["missing", "extra", "changed", "any"] = "any"
    values: tuple[str, ...] = ()
    """Regular expressions: the value on each side that has one must match one of them; (): any value."""
    given: tuple[Given, ...] = ()
    name: str = ""
    """The name under which it is counted, with `{group}` for groups of the path; by default the path's first step."""
    why: str = Field(min_length=10)
    source: str = Field(min_length=4)
    """The manual, data model or source code that says so."""
    case: PardonCase

    @field_validator("path", "values")
    @classmethod
    def _check_patterns(cls, patterns: tuple[str, ...]) -> tuple[str, ...]:
        for pattern in patterns:
            re.compile(pattern)
        return patterns


@dataclass(frozen=True, slots=True)
class _Matcher:
    """A rule with its patterns compiled."""

    rule: DifferenceRule
    steps: tuple[re.Pattern[str], ...]
    values: tuple[re.Pattern[str], ...]

    def match_path(self, path: Path) -> dict[str, str] | None:
        """Return what the named groups matched; None if the path does not match."""
        if len(path) != len(self.steps):
            return None
        groups: dict[str, str] = {}
        for step, pattern in zip(path, self.steps, strict=True):
            if (match := pattern.fullmatch(step)) is None:
                return None
            groups.update(match.groupdict(""))
        return groups

    def matches_values(self, difference: Difference) -> bool:
        """Whether the side and the values of a difference are those of the rule."""
        if self.rule.side not in ("any", difference.side):
            return False
        values = [value for value in (difference.running, difference.planned) if value is not None]
        return not self.values or all(any(p.fullmatch(value) for p in self.values) for value in values)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement of a difference: `kind` is "error", or the kind of the rule that matches.

    `name` is the name under which it is counted; `secret`: its values must not be printed.
    """

    difference: Difference
    kind: Literal["error", "neutral", "foreign", "description", "secret"]
    name: str = ""
    why: str = ""
    secret: bool = False


@dataclass
class Verdicts:
    """The judgements of all differences of a device; neutral ones are only counted, by name."""

    errors: list[Verdict] = field(default_factory=list)
    descriptions: list[Verdict] = field(default_factory=list)
    foreign: list[Verdict] = field(default_factory=list)
    neutral: Counter[str] = field(default_factory=Counter)


class DifferenceRules:
    """The rules of a NOS, ready to judge."""

    def __init__(self, rules: Iterable[DifferenceRule], default_of: Callable[[Path], str | None] | None = None) -> None:
        self._default_of = default_of
        matchers = [_Matcher(r, tuple(map(re.compile, r.path)), tuple(map(re.compile, r.values))) for r in rules]
        self._matchers: dict[int, list[_Matcher]] = {}
        """By the length of their paths, in the order of the file."""
        for matcher in matchers:
            if matcher.rule.kind != "secret":
                self._matchers.setdefault(len(matcher.steps), []).append(matcher)
        self._secrets = [matcher for matcher in matchers if matcher.rule.kind == "secret"]

    def judge(self, running: Statements, planned: Statements) -> Verdicts:
        """Judge every difference between two configurations."""
        verdicts = Verdicts()
        for difference in compare_statements(running, planned):
            verdict = self.judge_difference(difference, running, planned)
            if verdict.kind == "error":
                verdicts.errors.append(verdict)
            elif verdict.kind == "description":
                verdicts.descriptions.append(verdict)
            elif verdict.kind == "foreign":
                verdicts.foreign.append(verdict)
            else:
                verdicts.neutral[verdict.name] += 1
        return verdicts

    def judge_difference(self, difference: Difference, running: Statements, planned: Statements) -> Verdict:
        """Judge one difference: the first rule that matches, in the order of the file, decides.

        If no rule matches, a value that the NOS has by default is neutral, and so is a secret that may be the same in
        another form; any other difference is an error. A text that could not be read is always an error.
        """
        path = difference.path
        is_secret = any(matcher.match_path(path) is not None for matcher in self._secrets)
        if path[-1] == UNREADABLE:
            return Verdict(difference, "error", secret=is_secret)
        for matcher in self._matchers.get(len(path), ()):
            groups = matcher.match_path(path) if matcher.matches_values(difference) else None
            if groups is not None and all(
                _is_condition_met(condition, groups, running, planned) for condition in matcher.rule.given
            ):
                name = _fill_groups(matcher.rule.name, groups) if matcher.rule.name else path[0]
                return Verdict(difference, matcher.rule.kind, name, matcher.rule.why, is_secret)
        if self._default_of and difference.side != "changed":
            value = difference.planned if difference.running is None else difference.running
            if value == self._default_of(path):
                return Verdict(difference, "neutral", "defaults of the model", secret=is_secret)
        if is_secret and difference.side == "changed" and _may_be_same(difference.running, difference.planned):
            return Verdict(difference, "neutral", "secrets in another form", secret=True)
        return Verdict(difference, "error", secret=is_secret)


def _fill_groups(text: str, groups: Mapping[str, str]) -> str:
    """Return a text with the groups of a pattern filled in by name."""
    for name, value in groups.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def _is_condition_met(condition: Given, groups: Mapping[str, str], running: Statements, planned: Statements) -> bool:
    """Whether a condition of a rule holds; `groups` are what the groups of the rule's path matched.

    A path is stated if it is there with one of the values of the condition, or with any value if the condition has
    none.
    """
    statements = running if condition.among == "running" else planned
    if condition.like:
        escaped = {name: re.escape(value) for name, value in groups.items()}
        steps = [re.compile(_fill_groups(step, escaped)) for step in condition.path]
        values = [
            value
            for path, value in statements.items()
            if len(path) == len(steps) and all(map(re.Pattern.fullmatch, steps, path))
        ]
    else:
        exact_path = tuple(_fill_groups(step, groups) for step in condition.path)
        values = [statements[exact_path]] if exact_path in statements else []
    is_stated = any(
        not condition.values or any(re.fullmatch(pattern, value) for pattern in condition.values) for value in values
    )
    # `absent` turns the condition round
    return is_stated is not condition.absent


_REFERENCE = re.compile(r"<[^<>]*>")
_CRYPT = re.compile(r"(\$[\w-]+\$).*")


def _find_secret_form(secret: str) -> str:
    """Return the form of a secret: `reference`, the prefix of a crypt hash, a type number, or `plain`."""
    if _REFERENCE.fullmatch(secret):
        return "reference"
    if crypt := _CRYPT.fullmatch(secret):
        return crypt[1]
    type_number, _, value = secret.partition(" ")
    return type_number if value and len(type_number) <= 2 else "plain"


def _may_be_same(running: str | None, planned: str | None) -> bool:
    """Whether two secrets may be the same: equal in the same form, or in two forms that cannot be compared.

    A device does not change a crypt hash that it is given, so that a planned hash differs from anything but itself.
    """
    if not running or not planned:
        return False
    running_form, planned_form = _find_secret_form(running), _find_secret_form(planned)
    if "reference" in (running_form, planned_form):
        return True
    # a device may hash or encrypt a plain secret, but does not hash a planned hash again
    if running_form == planned_form or planned_form.startswith("$"):
        return running == planned
    return True


def rules_file(nos: str) -> FilePath:
    """Return the file of the rules of a NOS, or of FRR (`frr`)."""
    return find_room_file(nos, "differences.yaml")


@cache
def load_rule_entries(nos: str) -> tuple[DifferenceRule, ...]:
    """Load the entries of the file of a NOS, or of FRR (`frr`), in order; () if there is no file."""
    file = rules_file(nos)
    if not file.is_file():
        return ()
    return tuple(TypeAdapter(list[DifferenceRule]).validate_python(YAML(typ="safe").load(file.read_bytes()) or []))


@cache
def load_rules(nos: str) -> DifferenceRules:
    """Load the rules of a NOS, followed by those of another folder whose statements are part of its own: SONiC includes
    FRR.
    """
    spelling, entries = load_spelling(nos), list(load_rule_entries(nos))
    # the first rule that matches decides, so that the NOS's own rules come first
    for first_step, room in spelling.parts.items():
        entries += [_move_below(first_step, room, entry) for entry in load_rule_entries(room)]
    return DifferenceRules(entries, spelling.default_of)


def _move_below(first_step: str, room: str, rule: DifferenceRule) -> DifferenceRule:
    """Return a rule of another folder, such as `frr`, with `first_step` put before its path and those of its
    conditions.

    A rule without a name is counted under the name of that folder.
    """
    conditions = tuple(condition.model_copy(update={"path": (first_step, *condition.path)}) for condition in rule.given)
    name = rule.name or room.upper()
    return rule.model_copy(update={"path": (re.escape(first_step), *rule.path), "given": conditions, "name": name})


@dataclass(frozen=True)
class Prepared:
    """Files of a device in the form in which they can be compared with planned ones of the same names.

    `lack` says why they cannot be compared, "" if they can. `verdicts` are errors that were found meanwhile, and
    `notes` are further findings as (subject, text, severity).
    """

    files: dict[str, str]
    lack: str = ""
    verdicts: tuple[Verdict, ...] = ()
    notes: tuple[tuple[str, str, Severity], ...] = ()


def prepare_files(nos: str, running: Mapping[str, str], planned: Mapping[str, str]) -> Prepared:
    """Return the files that a device shows in the form in which they are compared with planned ones.

    They stay as they are unless the NOS has a module `fabricgen/nos/NAME/preparing.py`.
    """
    if nos not in list_nos("preparing"):
        return Prepared(dict(running))
    prepared: Prepared = load_part(nos, "preparing").prepare_files(running, planned)
    return prepared
