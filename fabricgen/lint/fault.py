"""Faults: codes with which a stage refuses its input, documented as rules are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fabricgen.kernel.diagnostics import Severity
from fabricgen.lint.documented import Documented
from fabricgen.lint.rule import list_plugin_codes, load_all_rules, load_plugin_rules

FOLDER = Path(__file__).parent / "faults"
"""Where faults are written, as TOML: a file a family, a table a code."""


@dataclass(frozen=True, kw_only=True)
class Fault(Documented):
    """A code of a refused input, or of a finding that no rule makes; its text says what to do."""

    id: str
    name: str
    severity: Severity = Severity.ERROR
    kind: str = "fault"
    title: str
    text: str
    in_words: bool = False
    bad: str
    good: str


@cache
def load_faults() -> tuple[Fault, ...]:
    """Every fault, by id: the tables in the files of `lint/faults`.

    Raises ValueError for an id that two faults have, and TypeError for a key that no fault has.
    """
    import tomllib  # most runs name no code

    faults: dict[str, Fault] = {}
    for file in sorted(FOLDER.glob("*.toml")):
        for code, keys in tomllib.loads(file.read_text(encoding="utf-8")).items():
            severity = Severity[keys.pop("severity", "error").upper()]
            if code in faults:
                raise ValueError(f"{code} is the id of two faults")
            faults[code] = Fault(id=code, severity=severity, **keys)
    return tuple(fault for _, fault in sorted(faults.items()))


def list_documented_codes() -> tuple[Documented, ...]:
    """Every rule and every fault, by id; raises ValueError for a code that is both."""
    rules, faults = load_all_rules(), load_faults()
    if shared := {rule.id for rule in rules} & {fault.id for fault in faults}:
        raise ValueError(f"a rule and a fault have one id: {', '.join(sorted(shared))}")
    return tuple(sorted((*rules, *faults), key=lambda code: code.id))


def list_code_ids() -> frozenset[str]:
    """Every code, of rules and faults, and of rules of plug-ins."""
    return list_plugin_codes().union(code.id for code in list_documented_codes())


def find_page(code: str) -> Documented | None:
    """The rule or fault with a code; None for an unknown code. Faults and plug-ins are loaded only where asked for."""
    if code in list_plugin_codes():
        return next((rule for rule in load_plugin_rules()[0] if rule.id == code), None)
    return next((rule for rule in load_all_rules() if rule.id == code), None) or next(
        (fault for fault in load_faults() if fault.id == code), None
    )
