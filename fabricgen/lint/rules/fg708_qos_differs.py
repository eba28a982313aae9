"""linked fabrics treat RoCE differently."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.linked import linked_fabrics
from fabricgen.design.model import Design
from fabricgen.design.qos import QosIntent, qos_of
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.lossless import is_scale_across, place_of_qos
from fabricgen.lint.rule import DesignRule

_ALIKE = ("roce_dscp", "roce_class", "cnp_dscp", "cnp_class")
"""What both sides of a link must agree on: who is paused is told by class, what is in it by DSCP."""


class QosDiffers(DesignRule):
    """RoCE crosses from one fabric into another that is linked with it, and that puts it in another class or drops it.

    PFC is hop by hop: a pause for class 3 says nothing to a neighbour whose RoCE is in class 4, and a switch without a
    lossless class drops what the one before was careful to keep. State `qos` for the cluster, or alike in all fabrics
    that are linked by tiers or spans. A fabric that only spans sites and states best-effort itself is lossy on purpose.
    """

    id = "FG708"
    severity = Severity.WARNING
    title = "linked fabrics treat RoCE differently"
    bad = """
        pods: {p1: {site: east}, p2: {site: west}}
        fabrics: {across: {protocol: roce, oversubscription: "2:1",
          qos: {
            roce_dscp: 24},  # <-
          tiers: {border: {switch: sn5600, count: 2, above: compute.spine}},
          spans: {haul: {between: [east, west], km: 8, links: 8 x 400G}}}}
    """
    good = """
        pods: {p1: {site: east}, p2: {site: west}}
        qos: {roce_dscp: 24}
        fabrics: {across: {protocol: roce, oversubscription: "2:1",
          tiers: {border: {switch: sn5600, count: 2, above: compute.spine}},
          spans: {haul: {between: [east, west], km: 8, links: 8 x 400G}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare every two fabrics whose switches are linked with each other."""
        for lower, upper in _joined(design):
            one, other = (qos_of(design, fabric) for fabric in (lower, upper))
            if not (one.lossless or other.lossless):
                continue
            name, text = _difference(one, other)
            if name == "profile" and any(_lossy_on_purpose(design, fabric) for fabric in (lower, upper)):
                continue
            if name:
                places = [place_of_qos(design, fabric, name, "profile") for fabric in (upper, lower)]
                place = next((p for p, f in zip(places, (upper, lower), strict=True) if p[:2] == f.path), places[0])
                message = f"{lower.name} and {upper.name} are linked, and {text.format(lower.name, upper.name)}"
                yield self.flag(place, message, "state `qos` once, for the cluster")


def _joined(design: Design) -> Iterator[tuple[FabricDesign, FabricDesign]]:
    """Pairs of fabrics with links between their switches."""
    parts = linked_fabrics(design.loaded.blueprint.fabrics)
    if all(len(part) == 1 for part in parts):
        return
    pairs = {
        (tier.fabric, tier.uplink.upper.fabric)
        for tier in design.tiers
        if tier.uplink and tier.uplink.upper.fabric != tier.fabric
    }
    for lower, upper in sorted(pairs):
        yield design.fabric(lower), design.fabric(upper)


def _lossy_on_purpose(design: Design, fabric: FabricDesign) -> bool:
    own = design.loaded.blueprint.fabrics[fabric.name].qos.profile
    return own == "best-effort" and is_scale_across(design, fabric)


def _difference(one: QosIntent, other: QosIntent) -> tuple[str, str]:
    """The setting by which two fabrics treat RoCE differently, and a text with places for their names; ("", "")."""
    if one.lossless != other.lossless:
        return "profile", "{0} is lossless, {1} is not" if one.lossless else "{1} is lossless, {0} is not"
    name = next((name for name in _ALIKE if getattr(one, name) != getattr(other, name)), "")
    if not name:
        return "", ""
    return name, f"{name} is {getattr(one, name)} in {{0}} and {getattr(other, name)} in {{1}}"
