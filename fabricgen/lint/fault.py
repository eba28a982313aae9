"""What a fault is: a code with which a stage refuses its input, documented as rules are."""

from __future__ import annotations

from functools import cache
from typing import ClassVar

from fabricgen.kernel import discovery
from fabricgen.kernel.diagnostics import Severity
from fabricgen.lint.documented import Documented, registered
from fabricgen.lint.rule import RULES, all_rules

FAULTS = "fabricgen.lint.faults"

ENGINE, CHECK = "engine rule", "config rule"
"""Kinds of those that are findings all the same: of the linter on its own settings, and of `fabricgen check`."""


class Fault(Documented):
    """A refusal of a stage, or a finding of something other than a rule; its page says how to go on."""

    severity: ClassVar[Severity] = Severity.ERROR
    kind: ClassVar[str] = "fault"


@cache
def all_faults() -> tuple[Fault, ...]:
    """Every fault, by id: a module in the folder of faults is registered."""
    return registered(FAULTS, Fault)


def code_ids() -> frozenset[str]:
    """Every code, of rules and faults, told from the names of their modules: none is loaded."""
    return frozenset(name[:5].upper() for package in (RULES, FAULTS) for name in discovery.module_names(package))


def all_codes() -> tuple[Documented, ...]:
    """Every rule and every fault, by id; raises ValueError for a code that is both."""
    codes: dict[str, Documented] = {}
    for each in (*all_rules(), *all_faults()):
        if each.id in codes:
            raise ValueError(f"{each.id} is a rule and a fault")
        codes[each.id] = each
    return tuple(each for _, each in sorted(codes.items()))


@cache
def page_of(code: str) -> Documented | None:
    """What stands behind a code; None for one that nothing has. Of faults only that one is loaded: there are many."""
    rule = next((rule for rule in all_rules() if rule.id == code), None)
    return rule or next(iter(registered(FAULTS, Fault, prefix=f"{code}_")), None)
