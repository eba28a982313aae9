"""The examples that the law is tried on, some of them made smaller by settings."""

from __future__ import annotations

EXAMPLES: dict[str, tuple[str, ...]] = {
    "leaf-spine": (),  # splitters at the leaves, whole cages up
    "superpod-b300": (
        "pods.p1.su=1",
        "scalable_unit.nodes=16 x dgx-b300",
        "fabrics.compute.tiers.spine.count=4",
    ),  # twin-port pairs without addresses, planes
    "superpod-b300 numbered": (
        "pods.p1.su=1",
        "scalable_unit.nodes=16 x dgx-b300",
        "fabrics.compute.tiers.spine.count=2",
        "fabrics.compute.routing.underlay=ebgp-numbered",
        "fabrics.compute.tiers.spine.parallel=adjacent",
    ),  # parallel links side by side
    "superpod-b200": (
        "pods.p1.su=1",
        "scalable_unit.nodes=16 x dgx-b200",
        "fabrics.inband.oversubscription=1:1",
    ),  # InfiniBand beside three other fabrics
    "superpod-b200-3tier": ("pods.p1.su=1", "pods.p1.count=2", "scalable_unit.nodes=8 x dgx-b200"),
    "patched-hall": ("scalable_unit.nodes=4 x xe9680-h200",),  # panels and trunks
    "rail-groups": ("pods.p1.su=2", "scalable_unit.nodes=4 x mi300x-8"),
    "multi-plane": ("pods.p1.su=1", "scalable_unit.nodes=4 x dgx-b300-8p"),  # eight planes out of one cage
    "four-tier": ("pods.p1.count=2",),
    "bonded-pair": (),  # hosts bonded to a pair of switches
    "dual-tor": (
        "pods.p1.su=1",
        "scalable_unit.nodes.host=8 x hpn-node",
        "scalable_unit.nodes.spare=1 x hpn-node",
        "fabrics.compute.oversubscription=4:1",
        "fabrics.compute.tiers.tor.uplinks=4 x 400G",
        "fabrics.compute.tiers.agg.count=4",
    ),
    "mixed-breakouts": (),
    "nvl72-gb200": ("scalable_unit.nodes=36 x gb200-tray", "fabrics.inband.oversubscription=1:1"),
    "pkeys": (),
    "small-pair": (),
    "gaudi3": ("scalable_unit.nodes=4 x hls3-gaudi3",),  # many links a cable
    "top-of-rack": ("pods.p1.su=2", "scalable_unit.nodes=8 x colossus-h100"),
    "collapsed-pair": (),
}
"""Settings by example; the first word is its blueprint."""
