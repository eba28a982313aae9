"""Faults: codes with which commands refuse their input, documented like rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fabricgen.kernel.diagnostics import Severity
from fabricgen.lint.documented import Documented
from fabricgen.lint.rule import list_plugin_codes, load_all_rules, load_plugin_rules

FOLDER = Path(__file__).parent / "faults"
"""The folder of the TOML files in which faults are written: a file for each subject, a table for each code."""


@dataclass(frozen=True, kw_only=True)
class Fault(Documented):
    """A code with which an input is refused, or of a finding that no rule makes, with its manual page."""

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
    """Return every fault in the order of ids, read once from the files in `FOLDER`.

    Raises ValueError for an id that two faults have, and TypeError for a key that a fault cannot have.
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
    """Return every rule and every fault in the order of ids; raises ValueError if a rule and a fault share an id."""
    rules, faults = load_all_rules(), load_faults()
    if shared := {rule.id for rule in rules} & {fault.id for fault in faults}:
        raise ValueError(f"a rule and a fault have one id: {', '.join(sorted(shared))}")
    return tuple(sorted((*rules, *faults), key=lambda code: code.id))


def list_code_ids() -> frozenset[str]:
    """Return the codes of all rules, of all faults, and of the rules of installed plug-ins."""
    return list_plugin_codes().union(code.id for code in list_documented_codes())


def find_page(code: str) -> Documented | None:
    """Return the rule or fault with a code, those of plug-ins included; None for an unknown code.

    Faults are read only if no rule has the code, and plug-ins are loaded only if one of them has it.
    """
    if code in list_plugin_codes():
        return next((rule for rule in load_plugin_rules()[0] if rule.id == code), None)
    pages: Iterator[Documented] = (page for load in (load_all_rules, load_faults) for page in load())
    return next((page for page in pages if page.id == code), None)
