"""What is left of fabrics after a loss, in the words of lint and of the picture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from fabricgen.design.capacity.failure import FailureAnalysis, RemainingBisection
from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.model import Design


def failure_analyses(design: Design) -> Iterator[tuple[FabricDesign, FailureAnalysis]]:
    """Every fabric on which nodes reach each other, with its failure analysis.

    Without those for management, and those that are VLANs on the node ports of another, whose bandwidth they have.
    """
    for fabric in design.fabrics:
        if not is_for_management(fabric) and not fabric.shares_ports:
            survival = FailureAnalysis(design, fabric)
            if survival.whole:
                yield fabric, survival


def is_for_management(fabric: FabricDesign) -> bool:
    """Whether a fabric serves BMCs or management ports of switches: jobs keep running without it."""
    return bool(fabric.managed_devices) or {attachment.role for _, attachment in fabric.attachments} == {"bmc"}


def percent(share: float) -> str:
    """A share as text, rounded down: `93.7%`."""
    return f"{int(share * 1000 + 1e-6) / 10:g}%"


def lost_switches(left: RemainingBisection) -> str:
    """The switches that a loss takes, for a place that holds several: ` (2 leaf, 1 spine switches)`, else ""."""
    names: Counter[str] = Counter()
    for key, number in sorted(left.gone.items()):
        names[key.name] += number
    gone = ", ".join(f"{number} {name}" for name, number in names.items())
    if left.after.startswith("one ") or not gone:
        return ""
    return f" ({gone} switch{'es' * (sum(left.gone.values()) != 1)})"


def left_text(fabric: str, share: str, after: str, switches: str) -> str:
    """`compute keeps 93.7% of its bisection after the loss of net-spine-01 (1 spine switch)`."""
    return f"{fabric} keeps {share} of its bisection after the loss of {after}{switches}"
