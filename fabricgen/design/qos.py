"""The QoS that a blueprint asks for RoCE traffic, and the ECN thresholds that follow, alike on every NOS.

There are three profiles. `roce-lossless`: RoCE has a traffic class that is marked, and paused before it is full.
`roce-lossy`: it has the same class, whose packets are dropped or trimmed when it is full; NVIDIA calls this RoCE lossy,
and with trimming its QoS for MRC, Multipath Reliable Connection (Cumulus Linux user guide, RoCE: `lossy` and
`lossy-multi-tc`; OCP, Multipath Reliable Connection 1.0, and Araujo et al., arXiv:2605.04333, whose NICs take marks as
a signal of their paths). `best-effort`: it has no class.

Vendors do not agree on thresholds; these are starting values of ours, within what public guides state (256/512 kB at a
leaf, 512/768 kB at a spine, for a 400G port), scaled by port speed.
"""

from typing import NamedTuple

from fabricgen.blueprint.sections.qos import Watchdog, choose_setting, interpret_profile
from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.model import Design

_REFERENCE_GBPS = 400
_LEAF_KB, _UPPER_KB = (256, 512), (512, 768)


class TrimmedPackets(NamedTuple):
    """What a packet is cut to if there is no room for it: `size` bytes, with another DSCP, in another class."""

    dscp: int
    size: int
    traffic_class: int


class QosIntent(NamedTuple):
    """QoS of the switches of a fabric, as settled from the fabric, the cluster and defaults.

    Without `marks` the numbers of RoCE's class are filled in as well, and nothing uses them. Times in ms and
    `watchdog_action` are those of the PFC watchdog.
    """

    lossless: bool
    """Whether the class of RoCE is paused before it is full."""
    marks: bool
    """Whether RoCE has a class to itself, which is marked."""
    roce_dscp: int
    cnp_dscp: int
    ecn_min_kb: int | None
    """The lower ECN threshold, kB; None if it is derived from the port speed."""
    ecn_max_kb: int | None
    """The upper ECN threshold, kB; None if it is derived from the port speed."""
    thresholds_by_speed: tuple[tuple[int, int, int], ...]
    """(Gb/s, lower, upper threshold in kB) for single port speeds, which take precedence."""
    mark_percent: int
    roce_class: int
    cnp_class: int
    roce_percent: int
    """The share of a congested port for RoCE data, %."""
    cnp_max_percent: int
    """The limit of CNPs on a port, %; 0 if they are not shaped."""
    detect_ms: int
    restore_ms: int
    poll_ms: int
    watchdog_action: str
    trim: TrimmedPackets | None
    """What packets are trimmed to if there is no room for them; None if they are dropped."""

    @property
    def trimmed_class(self) -> int:
        """The class whose packets are trimmed: that of RoCE, or class 0 if all traffic is in one class."""
        return self.roce_class if self.marks else 0

    @property
    def trim_percent(self) -> int:
        """The share of a busy port for trimmed packets, %; 0 if they have no scheduled queue.

        It is half of what RoCE leaves: NVIDIA's QoS for MRC gives that class 22 %, as much as its largest class of data
        (Cumulus Linux user guide, RoCE, `lossy-multi-tc`). The queue has a share and no strict priority, so that the
        trimmed packets of an incast do not keep out data (Handley et al., NDP, SIGCOMM 2017).
        """
        return (100 - self.roce_percent) // 2 if self.marks and self.trim else 0


def resolve_qos(design: Design, fabric: FabricDesign) -> QosIntent:
    """Return the QoS settings of a fabric: its own settings over those of the cluster.

    The cluster's profile applies only to RoCE fabrics and to fabrics that carry one.
    """
    of_fabric, of_cluster = design.loaded.blueprint.fabrics[fabric.name].qos, design.loaded.blueprint.qos
    # a carried fabric has no switches: its class is set up on the switches of its carrier
    carried = [f for f in design.fabrics if f.carrier == fabric.name]
    protocol = "roce" if any(f.protocol == "roce" for f in carried) else fabric.protocol
    profile = interpret_profile(of_fabric) or (interpret_profile(of_cluster) if protocol == "roce" else None)
    lossless = profile == "roce-lossless" if profile else protocol == "roce"

    def read_setting(name: str) -> int:
        # a number of the QoS section, from the fabric, the cluster or the default
        return choose_setting(of_fabric, of_cluster, name)

    # a class that is paused before it is full is never trimmed
    trim = None if lossless else of_fabric.trim or (of_cluster.trim if protocol == "roce" else None)
    # the watchdog is taken as a whole and not number by number, as its times belong together
    watchdog = of_fabric.watchdog or of_cluster.watchdog or Watchdog.model_construct()
    return QosIntent(
        lossless=lossless,
        marks=lossless or profile == "roce-lossy",
        roce_dscp=read_setting("roce_dscp"),
        cnp_dscp=read_setting("cnp_dscp"),
        # the language takes only thresholds above 0
        ecn_min_kb=of_fabric.ecn_min_kb or of_cluster.ecn_min_kb,
        ecn_max_kb=of_fabric.ecn_max_kb or of_cluster.ecn_max_kb,
        thresholds_by_speed=tuple((speed, *kb) for speed, kb in sorted({**of_cluster.ecn, **of_fabric.ecn}.items())),
        mark_percent=read_setting("mark_percent"),
        roce_class=read_setting("roce_class"),
        cnp_class=read_setting("cnp_class"),
        roce_percent=read_setting("roce_percent"),
        cnp_max_percent=read_setting("cnp_max_percent"),
        detect_ms=watchdog.detect_ms,
        restore_ms=watchdog.restore_ms,
        poll_ms=watchdog.poll_ms,
        watchdog_action=watchdog.action,
        trim=TrimmedPackets(trim.dscp, trim.size, trim.traffic_class) if trim else None,
    )


def compute_ecn_thresholds(qos: QosIntent, is_lowest: bool, speed_gbps: int) -> tuple[int, int]:
    """Return the queue lengths, kB, at which a port of a speed starts to mark packets and at which it marks all;
    `is_lowest` says whether it is on a leaf.

    Thresholds stated for this speed win. A threshold stated for all speeds holds for each; the other one is then kept
    above, or below, it. If the fabric states one and the cluster the other, and the upper one is not above the lower
    one, the upper one is twice the lower one, whatever is stated (FG806 reports it).
    """
    for speed, min_kb, max_kb in qos.thresholds_by_speed:
        if speed == speed_gbps:
            return min_kb, max_kb
    kb_at_reference = _LEAF_KB if is_lowest else _UPPER_KB
    # a faster port drains a queue sooner: the same delay is a longer queue
    min_kb, max_kb = (max(1, kb * speed_gbps // _REFERENCE_GBPS) for kb in kb_at_reference)
    # at 1G both come to the same kB, and marking needs a range
    max_kb = max(max_kb, min_kb + 1)
    # the upper threshold first: if both are stated, the lower one then stays as stated
    if qos.ecn_max_kb is not None:
        min_kb, max_kb = min(min_kb, max(1, qos.ecn_max_kb // 2)), qos.ecn_max_kb
    if qos.ecn_min_kb is not None:
        min_kb, max_kb = qos.ecn_min_kb, max_kb if max_kb > qos.ecn_min_kb else 2 * qos.ecn_min_kb
    return min_kb, max_kb
