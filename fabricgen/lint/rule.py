"""Lint rules: a rule judges a design or a wiring plan, and documents its reason, its remedy and an example of each
kind.

Codes and manual pages of plug-in rules are found here, too. They are run elsewhere (`plugins`), since they see the view
of a cluster, which lint does not import.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from fabricgen.design.model import Design
from fabricgen.kernel import discovery
from fabricgen.kernel.diagnostics import Diagnostic, Edit, InputError, Path, Severity
from fabricgen.kernel.entry_points import EntryPoint, blame_plugin, list_entry_points
from fabricgen.lint.documented import Documented

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster

DESIGN_RULES, PLAN_RULES = "fabricgen.lint.rules.design", "fabricgen.lint.rules.plan"
PLUG_INS = "fabricgen.rules"
"""The group of entry points; the name of one is the code of the rule."""
R = TypeVar("R", bound="Rule")
_CODE = re.compile(r"(?!FG)[A-Z]{2,12}\d{3}")
_FORM = "a code is two to twelve capitals and three digits, such as ACME101, and FG is for fabricgen's own"


class Rule(Documented):
    """A rule. Its docstring is its manual page, its class name its name; `check` must flag what the example `bad`
    shows.

    Not an ABC: `isinstance` on a hundred rules would check all their classes each time.
    """

    in_words = False
    counts_ports = True
    """Whether it judges counts of switches, ports or links, so that it is silent where a design lacks ports."""

    def __init__(self) -> None:
        self.name = type(self).__name__
        self.text = self.__doc__ or ""

    def flag(self, path: Path, message: str, hint: str = "", fix: Sequence[Edit] = ()) -> Diagnostic:
        """A finding of this rule at a path of the blueprint; `fix` are edits, given only where there is one right
        repair. A path that is not written (a derived `uplinks`) falls back to its nearest parent.
        """
        return Diagnostic(self.id, self.severity, message, path, hint, fix=tuple(fix))


class DesignRule(Rule):
    """A rule on the design; it never expands the design, so it is quick at any size of cluster."""

    kind = "design rule"

    @abstractmethod
    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Yield a finding for each violation."""


class PlanRule(Rule):
    """A rule on the wiring plan, computed on whole columns."""

    kind = "plan rule"

    @abstractmethod
    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Yield a finding for each violation, a single one for many rows with one cause."""


@cache
def load_design_rules() -> tuple[DesignRule, ...]:
    """The rules that read the design alone, ordered by id; their modules are loaded once."""
    return _load_rules(DESIGN_RULES, DesignRule)  # type: ignore[type-abstract]


@cache
def load_plan_rules() -> tuple[PlanRule, ...]:
    """The rules on wiring plans, by id."""
    return _load_rules(PLAN_RULES, PlanRule)  # type: ignore[type-abstract]


@cache
def load_all_rules() -> tuple[Rule, ...]:
    """Every rule, by id; raises ValueError for a rule in the folder of the other kind, or whose module is named after
    another code.
    """
    return tuple(sorted((*load_design_rules(), *load_plan_rules()), key=lambda rule: rule.id))


@cache
def list_rule_codes() -> frozenset[str]:
    """The codes of all rules, by the names of their modules: none is loaded."""
    rooms = (*discovery.list_rooms(DESIGN_RULES), *discovery.list_rooms(PLAN_RULES))
    codes = [name.partition("_")[0].upper() for room in rooms for name in discovery.list_modules(room)]
    if twice := [code for code in codes if codes.count(code) > 1]:
        raise ValueError(f"{twice[0]} is the id of two rules")
    return frozenset(codes)


def _load_rules(package: str, kind: type[R]) -> tuple[R, ...]:
    """The rules of one folder and its rooms, by id: one class a module, which is named after its code."""
    rules: list[R] = []
    for module in (module for room in discovery.list_rooms(package) for module in discovery.load_modules(room)):
        values = [value for value in vars(module).values() if isinstance(value, type)]
        code = module.__name__.rpartition(".")[2].partition("_")[0].upper()
        for rule in (value for value in values if value.__module__ == module.__name__ and issubclass(value, Rule)):
            if rule.id != code or not issubclass(rule, kind):
                raise ValueError(f"{module.__name__} holds {rule.id}, a {rule.kind}; its folder and name say otherwise")
            rules.append(rule())
    return tuple(sorted(rules, key=lambda rule: rule.id))


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


def list_plugin_codes() -> frozenset[str]:
    """The codes of rules of other packages, none of which is loaded."""
    return frozenset(entry.name for entry in list_entry_points(PLUG_INS) if _CODE.fullmatch(entry.name))


def load_plugin_rules() -> tuple[list[PlugInRule], list[Diagnostic]]:
    """The rules of other packages, by code, and what is told (FG870) of those that cannot be used."""
    rules, unusable = list[PlugInRule](), list[Diagnostic]()
    for entry in list_entry_points(PLUG_INS):
        try:
            rules.append(load_plugin_rule(entry))
        except InputError as error:
            unusable += error.diagnostics
    return rules, unusable


@cache
def load_plugin_rule(entry: EntryPoint) -> PlugInRule:
    """The rule of an entry point; raises InputError (FG870) where it cannot be loaded, is no rule of its code, or where
    a package that is named before has one of this code.
    """
    if not _CODE.fullmatch(entry.name):
        raise entry.make_error("its name is not a code", _FORM)
    first = next(candidate for candidate in list_entry_points(PLUG_INS) if candidate.name == entry.name)
    if first != entry:
        raise entry.make_error(f"{first.package} has a rule of this code too", "uninstall one of them")
    with blame_plugin(entry):
        rule_class = entry.load()
        if not (isinstance(rule_class, type) and issubclass(rule_class, PlugInRule)):
            raise entry.make_error("it is no class of fabricgen.api.ViewRule")
        kinds = {"id": str, "severity": Severity, "title": str}
        lacking = [name for name, kind in kinds.items() if not isinstance(getattr(rule_class, name, None), kind)]
        if lacking:
            raise entry.make_error(f"{rule_class.__name__} has no {', '.join(lacking)}")
        if rule_class.id != entry.name:
            why = f"{rule_class.__name__} says that its id is {rule_class.id}"
            raise entry.make_error(why, "name the entry point after the code")
        rule = rule_class()
        rule.package = entry.package
    return rule
