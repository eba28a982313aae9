"""Lint rules: a rule judges a design or a wiring plan, and documents its reason, its remedy and an example of each
kind.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from fabricgen.design.model import Design
from fabricgen.kernel import discovery
from fabricgen.kernel.diagnostics import Diagnostic, Edit, Path
from fabricgen.lint.documented import Documented

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster

RULES = "fabricgen.lint.rules"


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
def all_rules() -> tuple[Rule, ...]:
    """Every rule, by id: the classes in the modules of `lint.rules`.

    Raises ValueError for an id that two rules have, or that differs from its module's name.
    """
    found: dict[str, Rule] = {}
    for module in discovery.load_all(RULES):
        for value in vars(module).values():
            if isinstance(value, type) and value.__module__ == module.__name__ and issubclass(value, Rule):
                rule = value()
                if not module.__name__.rpartition(".")[2].startswith(f"{rule.id.lower()}_"):
                    raise ValueError(f"{module.__name__} holds {rule.id}; a module is named after its code")
                if rule.id in found:
                    raise ValueError(f"{rule.id} is the id of two rules")
                found[rule.id] = rule
    return tuple(rule for _, rule in sorted(found.items()))
