"""What a lint rule is: a claim about a design or a plan, with its reason, remedy and an example of each kind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, ClassVar

from fabricgen.design.model import Design
from fabricgen.kernel import discovery
from fabricgen.kernel.diagnostics import Diagnostic, Edit, Path, Severity

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster

RULES = "fabricgen.lint.rules"


class Rule(ABC):
    """A rule; its docstring says what it claims, why it matters, and what to do.

    `bad` and `good` are blueprint fragments laid over a small valid blueprint; in `bad`, `# <-` marks the line that
    must be flagged. They are the rule's test, its manual page and its example at once.
    """

    id: ClassVar[str]
    severity: ClassVar[Severity]
    title: ClassVar[str]
    bad: ClassVar[str]
    good: ClassVar[str]

    def flag(self, path: Path, message: str, hint: str = "", fix: Sequence[Edit] = ()) -> Diagnostic:
        """A finding of this rule at a place of the blueprint; `fix` repairs it, where only one repair is right."""
        return Diagnostic(self.id, self.severity, message, path, hint, fix=tuple(fix))


class DesignRule(Rule):
    """Judges the design; never expands it, so that it is quick however large the cluster."""

    @abstractmethod
    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Yield a finding for each fault."""


class PlanRule(Rule):
    """Judges the plan, over whole columns."""

    @abstractmethod
    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Yield a finding for each fault, folded where many rows share a cause."""


@cache
def all_rules() -> tuple[Rule, ...]:
    """Every rule, by id: a module in the folder of rules is registered.

    Raises ValueError for an id used twice, or unlike the module's name.
    """
    found: dict[str, Rule] = {}
    for module in discovery.load_all(RULES):
        for value in vars(module).values():
            if isinstance(value, type) and issubclass(value, Rule) and value.__module__ == module.__name__:
                rule = value()
                if not module.__name__.rpartition(".")[2].startswith(f"{rule.id.lower()}_"):
                    raise ValueError(f"{module.__name__} holds {rule.id}; a module is named after its rule")
                if rule.id in found:
                    raise ValueError(f"{rule.id} is the id of two rules")
                found[rule.id] = rule
    return tuple(rule for _, rule in sorted(found.items()))
