"""What a lint rule is: a claim about a design or a plan, with its reason, remedy and an example of each kind."""

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
    """A rule; its docstring is its text, its class's name its name, and what it shows in `bad` its `check` finds.

    No ABC: to ask a hundred rules of which kind they are would ask all classes of that kind each time.
    """

    in_words = False

    def __init__(self) -> None:
        self.name = type(self).__name__
        self.text = self.__doc__ or ""

    def flag(self, path: Path, message: str, hint: str = "", fix: Sequence[Edit] = ()) -> Diagnostic:
        """A finding of this rule at a place of the blueprint; `fix` repairs it, where only one repair is right."""
        return Diagnostic(self.id, self.severity, message, path, hint, fix=tuple(fix))


class DesignRule(Rule):
    """Judges the design; never expands it, so that it is quick however large the cluster."""

    kind = "design rule"

    @abstractmethod
    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Yield a finding for each fault."""


class PlanRule(Rule):
    """Judges the plan, over whole columns."""

    kind = "plan rule"

    @abstractmethod
    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Yield a finding for each fault, folded where many rows share a cause."""


@cache
def all_rules() -> tuple[Rule, ...]:
    """Every rule, by id: a class in a module of the folder of rules is registered.

    Raises ValueError for an id that two rules have, or that is not how its module is called.
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
