"""Rules of other packages: their codes and manual pages. What runs them knows the view, which is not for lint."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise

from fabricgen.kernel.entry_points import EntryPoint, entry_points
from fabricgen.lint.rule import Rule

GROUP = "fabricgen.rules"
"""The group of entry points; the name of one is the code of the rule."""
_CODE = re.compile(r"(?!FG)[A-Z]{2,12}\d{3}")
_FORM = "a code is two to twelve capitals and three digits, such as ACME101, and FG is for fabricgen's own"


class PlugInRule(Rule):
    """A rule of another package."""

    kind = "plug-in rule"
    in_words = True
    bad = good = ""
    package = ""
    """The package that it comes with."""

    @property
    def family(self) -> str:
        """Its package, as the family of a plug-in's codes."""
        return self.package


def plugged_codes() -> frozenset[str]:
    """The codes of rules of other packages, none of which is loaded."""
    return frozenset(entry.name for entry in entry_points(GROUP) if _CODE.fullmatch(entry.name))


def offered() -> tuple[EntryPoint, ...]:
    """Where rules of other packages are, by code; raises InputError (FG870) for what is no code, or has two rules."""
    entries = entry_points(GROUP)
    for entry in entries:
        if not _CODE.fullmatch(entry.name):
            raise entry.unusable("its name is not a code", _FORM)
    for first, second in pairwise(entries):
        if first.name == second.name:
            raise second.unusable(f"{first.package} has a rule of this code too", "uninstall one of them")
    return entries


def plugged_rules() -> tuple[PlugInRule, ...]:
    """The rules of other packages, by code; raises InputError (FG870) for one that cannot be used."""
    return tuple(loaded_rule(entry) for entry in offered())


@cache
def loaded_rule(entry: EntryPoint) -> PlugInRule:
    """The rule of an entry point; raises InputError (FG870) where it cannot be loaded, or is no rule of its code."""
    found = entry.load()
    if not (isinstance(found, type) and issubclass(found, PlugInRule)):
        raise entry.unusable("it is no class of fabricgen.api.ViewRule")
    lacking = [name for name in ("id", "severity", "title") if not hasattr(found, name)]
    if lacking:
        raise entry.unusable(f"{found.__name__} has no {', '.join(lacking)}")
    if found.id != entry.name:
        raise entry.unusable(f"{found.__name__} says that its id is {found.id}", "name the entry point after the code")
    rule = found()
    rule.package = entry.package
    return rule
