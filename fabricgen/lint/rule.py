"""Lint rules: what a rule is, and how the rules of fabricgen and of plug-ins are found and loaded.

Rules of plug-ins are run elsewhere (`plugins`), since they see the view of a cluster, which lint does not import.
"""

from __future__ import annotations

import re
import sys
from abc import abstractmethod
from collections import Counter
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
"""The group of entry points of plug-in rules; the name of an entry point is the code of its rule."""
R = TypeVar("R", bound="Rule")
_HEADING = re.compile(r"(FG\d{3}): (.+)\.")
"""The docstring of a rule's module: its code and its title."""
_CODE = re.compile(r"(?!FG)[A-Z]{2,12}\d{3}")
_FORM = "a code is two to twelve capitals and three digits, such as ACME101, and FG is for fabricgen's own"


class Rule(Documented):
    """A rule judges a design or a wiring plan, or whatever a plug-in's `check` takes.

    The docstring of its module is its code and its title (`FG303: ....`), the docstring of its class is the text of its
    manual page, and the name of its class is its name. Its `check` must flag the marked line of the example `bad` and
    nothing in `good`. `Rule` is no ABC, since each `isinstance` on hundreds of rules would then check their classes.
    """

    in_words = False
    counts_ports = True
    """Whether the rule judges counts of switches, ports or links, so that it is not run on a design that lacks
    ports."""

    def __init_subclass__(cls) -> None:
        """Take code and title from the docstring of the module, if it has them; rules of plug-ins state both."""
        heading = _HEADING.fullmatch(" ".join((sys.modules[cls.__module__].__doc__ or "").split()))
        if heading:
            cls.id, cls.title = heading.groups()

    def __init__(self) -> None:
        self.name = type(self).__name__
        self.text = self.__doc__ or ""

    def flag(self, path: Path, message: str, hint: str = "", fix: Sequence[Edit] = ()) -> Diagnostic:
        """Return a finding of this rule at a path of the blueprint.

        A path that the blueprint does not write, such as that of a derived `uplinks`, is located at its nearest parent.
        `fix` are the edits that mend it, and is given only if there is one right repair.
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
    """Return the rules that read the design alone, in the order of ids."""
    return _load_rules(DESIGN_RULES, DesignRule)  # type: ignore[type-abstract]


@cache
def load_plan_rules() -> tuple[PlanRule, ...]:
    """Return the rules that read the wiring plan, in the order of ids."""
    return _load_rules(PLAN_RULES, PlanRule)  # type: ignore[type-abstract]


@cache
def load_all_rules() -> tuple[Rule, ...]:
    """Return every rule of fabricgen in the order of ids.

    Raises ValueError for a design rule in a folder of plan rules or the reverse, and for a rule whose module is named
    after another code.
    """
    return tuple(sorted((*load_design_rules(), *load_plan_rules()), key=lambda rule: rule.id))


@cache
def list_rule_codes() -> frozenset[str]:
    """Return the codes of fabricgen's rules, read off the names of their modules; no rule is loaded.

    Raises ValueError if two modules are named after one code.
    """
    rooms = (*discovery.list_rooms(DESIGN_RULES), *discovery.list_rooms(PLAN_RULES))
    codes = [name.partition("_")[0].upper() for room in rooms for name in discovery.list_modules(room)]
    code, times = Counter(codes).most_common(1)[0]
    if times > 1:
        raise ValueError(f"{code} is the id of two rules")
    return frozenset(codes)


def _load_rules(package: str, kind: type[R]) -> tuple[R, ...]:
    """Return the rules of a `kind` in the modules below a package, in the order of ids.

    A module has one rule, and is named after its code. Raises ValueError for a rule of another code or kind.
    """
    rules: list[R] = []
    for module in (module for room in discovery.list_rooms(package) for module in discovery.load_modules(room)):
        values = [value for value in vars(module).values() if isinstance(value, type)]
        code = module.__name__.rpartition(".")[2].partition("_")[0].upper()
        for rule in (value for value in values if value.__module__ == module.__name__ and issubclass(value, Rule)):
            rule_id = getattr(rule, "id", "no code")
            if rule_id != code or not issubclass(rule, kind):
                raise ValueError(f"{module.__name__} holds {rule_id}, a {rule.kind}; its folder and name say otherwise")
            rules.append(rule())
    return tuple(sorted(rules, key=lambda rule: rule.id))


class PlugInRule(Rule):
    """A rule of another Python package; its manual page has no examples."""

    kind = "plug-in rule"
    in_words = True
    bad = good = ""
    package = ""
    """The name of the package that holds the rule."""

    @property
    def family(self) -> str:
        """The name of its package: codes of one plug-in are one family."""
        return self.package


def list_plugin_codes() -> frozenset[str]:
    """Return the codes of the rules of installed plug-ins, read off their entry points; no plug-in is loaded."""
    return frozenset(entry.name for entry in list_entry_points(PLUG_INS) if _CODE.fullmatch(entry.name))


def load_plugin_rules() -> tuple[list[PlugInRule], list[Diagnostic]]:
    """Return (the rules of installed plug-ins, a finding (FG870) for each that cannot be used), in the order
    of codes.
    """
    rules, unusable = list[PlugInRule](), list[Diagnostic]()
    for entry in list_entry_points(PLUG_INS):
        try:
            rules.append(load_plugin_rule(entry))
        except InputError as error:
            unusable += error.diagnostics
    return rules, unusable


@cache
def load_plugin_rule(entry: EntryPoint) -> PlugInRule:
    """Return the rule of an entry point.

    Raises InputError (FG870) if it cannot be loaded, is no rule of the code after which the entry point is named, or if
    a package before it in the order of names has a rule of this code as well.
    """
    if not _CODE.fullmatch(entry.name):
        raise entry.make_error("its name is not a code", _FORM)
    first_entry = next(candidate for candidate in list_entry_points(PLUG_INS) if candidate.name == entry.name)
    if first_entry != entry:
        raise entry.make_error(f"{first_entry.package} has a rule of this code too", "uninstall one of them")
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
