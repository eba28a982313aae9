"""FG708: linked fabrics treat RoCE differently."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fabricgen.design.capacity.failure import is_for_management
from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.linked import group_linked_fabrics
from fabricgen.design.model import Design
from fabricgen.design.qos import QosIntent, find_qos
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.lossless import find_qos_path, is_scale_across

_MUST_AGREE = ("roce_dscp", "roce_class", "cnp_dscp", "cnp_class")
"""What both sides of a link must agree on: PFC pauses by class, and DSCP selects the class."""


class QosDiffers(DesignRule):
    """Two linked fabrics treat RoCE differently: another traffic class on one side, or a class on one side only.

    PFC works hop by hop: a pause for class 3 means nothing to a neighbour whose RoCE is in class 4, and a switch
    without a class for RoCE drops the packets that the previous switch protected. A class that is paused on one side
    and dropped on the other is FG768. Set `qos` for the cluster, or the same in all fabrics linked by tiers or spans. A
    fabric that only spans sites and states a lossy profile itself is lossy on purpose, and no RoCE comes to one of
    BMCs and management ports.
    """

    counts_ports = False
    severity = Severity.WARNING
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
        for lower, upper in list_linked_pairs(design):
            lower_qos, upper_qos = (find_qos(design, fabric) for fabric in (lower, upper))
            if not (lower_qos.marks or upper_qos.marks):
                continue
            name, text = _find_difference(lower_qos, upper_qos)
            apart = (is_lossy_on_purpose(design, fabric) or is_for_management(fabric) for fabric in (lower, upper))
            if name == "profile" and any(apart):
                continue
            if name:
                path = find_qos_path(design, find_stating_fabric(design, (upper, lower), name), name, "profile")
                message = f"{lower.name} and {upper.name} are linked, but {text.format(lower.name, upper.name)}"
                yield self.flag(path, message, _suggest_setting(name, [(lower, lower_qos), (upper, upper_qos)]))


def _suggest_setting(name: str, fabrics: Sequence[tuple[FabricDesign, QosIntent]]) -> str:
    """What would be right: the cluster's profile is for RoCE fabrics, and another one states its own."""
    other = next((f for f, qos in fabrics if not qos.marks and f.protocol != "roce"), None)
    if name != "profile" or other is None:
        return "set `qos` once, for the cluster"
    profile = "roce-lossless" if any(qos.lossless for _, qos in fabrics) else "roce-lossy"
    return f"state `fabrics.{other.name}.qos: {{profile: {profile}}}`; the cluster's `qos` is of its RoCE fabrics"


def find_stating_fabric(design: Design, fabrics: Sequence[FabricDesign], name: str) -> FabricDesign:
    """The first of some fabrics that states the QoS setting itself; the first of all where none does."""
    stated = design.loaded.blueprint.fabrics
    return next((f for f in fabrics if {name, "profile"} & stated[f.name].qos.model_fields_set), fabrics[0])


def list_linked_pairs(design: Design) -> Iterator[tuple[FabricDesign, FabricDesign]]:
    """Pairs of fabrics with links between their switches."""
    parts = group_linked_fabrics(design.loaded.blueprint.fabrics)
    if all(len(part) == 1 for part in parts):
        return
    pairs = {
        (tier.fabric, tier.uplink.upper.fabric)
        for tier in design.tiers
        if tier.uplink and tier.uplink.upper.fabric != tier.fabric
    }
    for lower, upper in sorted(pairs):
        yield design.fabric(lower), design.fabric(upper)


def is_lossy_on_purpose(design: Design, fabric: FabricDesign) -> bool:
    """Whether a fabric only spans sites, and states a profile that drops itself."""
    profile = design.loaded.blueprint.fabrics[fabric.name].qos.profile
    return profile in ("best-effort", "roce-lossy") and is_scale_across(design, fabric)


def _find_difference(a: QosIntent, b: QosIntent) -> tuple[str, str]:
    """The setting in which two fabrics differ, and a text with placeholders for their names; ("", "") for none."""
    if a.marks != b.marks:
        has, lacks = ("is lossless", "is not") if a.lossless or b.lossless else ("has a class of RoCE", "has none")
        return "profile", f"{{0}} {has}, {{1}} {lacks}" if a.marks else f"{{1}} {has}, {{0}} {lacks}"
    name = next((name for name in _MUST_AGREE if getattr(a, name) != getattr(b, name)), "")
    if not name:
        return "", ""
    return name, f"{name} is {getattr(a, name)} in {{0}} and {getattr(b, name)} in {{1}}"
