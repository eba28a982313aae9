"""An extra device finds no free port."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class NoPortForExtra(Fault):
    """An extra device, such as a subnet manager or a border router, needs more ports than its tier has free.

    Extras take what nodes and reserves leave. NVIDIA's DGX SuperPOD gives up one node slot for the UFM appliance
    (DGX SuperPOD reference architecture: 127 nodes rather than 128). Omit a node, add a switch, or attach it to
    another tier.
    """

    id = "FG104"
    title = "an extra device finds no free port"
    bad = """
        scalable_unit: {nodes: 32 x dgx-b200}
        pods: {p1: {su: 1}}
        fabrics:
          compute:
            protocol: infiniband
            tiers: {leaf: {switch: qm9700, per: [su, rail]}, spine: {switch: qm9700}}
            extra:
              ufm: {device: ufm, count: 2, ports: 2}  # <-
    """
    good = """
        scalable_unit: {nodes: 32 x dgx-b200}
        pods: {p1: {su: 1}}
        omit: [p1/su-last/node-last]
        fabrics:
          compute:
            protocol: infiniband
            tiers: {leaf: {switch: qm9700, per: [su, rail]}, spine: {switch: qm9700}}
            extra: {ufm: {device: ufm}}
    """
