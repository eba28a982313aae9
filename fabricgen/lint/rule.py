"""What a lint rule is: a claim about a design or a plan, with its reason, remedy and an example of each kind."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, ClassVar

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Edit, Path
from fabricgen.lint.documented import Documented, registered

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster

RULES = "fabricgen.lint.rules"


class Rule(Documented):
    """A rule; what it shows in `bad` is found by its `check`.

    No ABC: to ask a hundred rules of which kind they are would ask all classes of that kind each time.
    """

    def flag(self, path: Path, message: str, hint: str = "", fix: Sequence[Edit] = ()) -> Diagnostic:
        """A finding of this rule at a place of the blueprint; `fix` repairs it, where only one repair is right."""
        return Diagnostic(self.id, self.severity, message, path, hint, fix=tuple(fix))


class DesignRule(Rule):
    """Judges the design; never expands it, so that it is quick however large the cluster."""

    kind: ClassVar[str] = "design rule"

    @abstractmethod
    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Yield a finding for each fault."""


class PlanRule(Rule):
    """Judges the plan, over whole columns."""

    kind: ClassVar[str] = "plan rule"

    @abstractmethod
    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Yield a finding for each fault, folded where many rows share a cause."""


@cache
def all_rules() -> tuple[Rule, ...]:
    """Every rule, by id: a module in the folder of rules is registered."""
    return registered(RULES, Rule)
