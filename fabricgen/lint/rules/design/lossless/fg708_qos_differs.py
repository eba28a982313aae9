"""FG708: linked fabrics treat RoCE differently."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fabricgen.design.capacity.failure import is_for_management
from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.model import Design
from fabricgen.design.qos import QosIntent, resolve_qos
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.lossless import find_qos_path, is_scale_across

_MUST_AGREE = ("roce_dscp", "roce_class", "cnp_dscp", "cnp_class")
"""QoS settings that both ends of a link must agree on, since PFC pauses by class, and DSCP selects the class."""


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
        """Compare the QoS of every two fabrics whose switches are linked with each other."""
        for lower, upper in list_linked_pairs(design):
            lower_qos, upper_qos = (resolve_qos(design, fabric) for fabric in (lower, upper))
            if not (lower_qos.marks or upper_qos.marks):
                continue
            key, text = _find_difference(lower_qos, upper_qos)
            may_differ = (is_lossy_on_purpose(design, f) or is_for_management(f) for f in (lower, upper))
            if key and not (key == "profile" and any(may_differ)):
                path = find_qos_path(design, find_stating_fabric(design, (upper, lower), key), key, "profile")
                message = f"{lower.name} and {upper.name} are linked, but {text.format(lower.name, upper.name)}"
                yield self.flag(path, message, _suggest_setting(key, [(lower, lower_qos), (upper, upper_qos)]))


def _suggest_setting(name: str, fabrics: Sequence[tuple[FabricDesign, QosIntent]]) -> str:
    """Return the hint on how two fabrics get equal settings: by one setting for the whole cluster.

    A profile is the exception if one of both fabrics is not RoCE: the cluster's profile does not apply to it, so that
    it has to state one itself.
    """
    unmarked = next((f for f, qos in fabrics if not qos.marks and f.protocol != "roce"), None)
    if name != "profile" or unmarked is None:
        return "set `qos` once, for the cluster"
    profile = "roce-lossless" if any(qos.lossless for _, qos in fabrics) else "roce-lossy"
    return f"state `fabrics.{unmarked.name}.qos: {{profile: {profile}}}`; the cluster's `qos` is of its RoCE fabrics"


def find_stating_fabric(design: Design, fabrics: Sequence[FabricDesign], name: str) -> FabricDesign:
    """Return the first of some fabrics that states a QoS setting or its profile; the first of them if none does."""
    stated = design.loaded.blueprint.fabrics
    return next((f for f in fabrics if {name, "profile"} & stated[f.name].qos.model_fields_set), fabrics[0])


def list_linked_pairs(design: Design) -> Iterator[tuple[FabricDesign, FabricDesign]]:
    """Yield (lower fabric, upper fabric) for fabrics whose switches are linked with each other, by name."""
    uplinks = ((tier.fabric, tier.uplink.upper.fabric) for tier in design.tiers if tier.uplink)
    for lower, upper in sorted({(lower, upper) for lower, upper in uplinks if lower != upper}):
        yield design.fabric(lower), design.fabric(upper)


def is_lossy_on_purpose(design: Design, fabric: FabricDesign) -> bool:
    """Whether a fabric only spans sites and states a profile by which its switches may drop RoCE."""
    profile = design.loaded.blueprint.fabrics[fabric.name].qos.profile
    return profile in ("best-effort", "roce-lossy") and is_scale_across(design, fabric)


def _find_difference(a: QosIntent, b: QosIntent) -> tuple[str, str]:
    """Return (the setting in which two fabrics differ, words with the placeholders {0} and {1} for their names); ("",
    "") if they agree.
    """
    if a.marks != b.marks:
        has, lacks = ("is lossless", "is not") if a.lossless or b.lossless else ("has a class of RoCE", "has none")
        return "profile", f"{{0}} {has}, {{1}} {lacks}" if a.marks else f"{{1}} {has}, {{0}} {lacks}"
    for key in _MUST_AGREE:
        if getattr(a, key) != getattr(b, key):
            return key, f"{key} is {getattr(a, key)} in {{0}} and {getattr(b, key)} in {{1}}"
    return "", ""
