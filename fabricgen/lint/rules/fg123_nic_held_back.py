"""NICs run slower than they can, and nobody says so."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.fabric_model import Attachment
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class NicHeldBack(DesignRule):
    """Node ports run below the speed of their NICs, since the switches they meet offer no more.

    Where no speed is stated a link runs at the fastest that both ends offer. An older switch then halves every NIC, all
    counts and ratios still come out even, and nothing else shows it: a DGX B200 has 400 Gb/s a GPU (DGX SuperPOD
    reference architecture, compute fabric), on HDR switches 200.

    Take switches as fast as the NICs, or state the `speed` where the slower one is meant.
    """

    id = "FG123"
    severity = Severity.WARNING
    title = "NICs run slower than they can, and nobody says so"
    bad = """
        fabrics: {compute: {protocol: infiniband, tiers: {
          leaf: {switch: qm8790, per: [su, rail]},  # <-
          spine: {switch: qm8790}}}}
    """
    good = """
        fabrics: {compute: {protocol: infiniband, speed: 200G, tiers: {
          leaf: {switch: qm8790, per: [su, rail]},
          spine: {switch: qm8790}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the ports of nodes with the fastest that their NICs offer, where no speed is stated."""
        for fabric in design.fabrics:
            spec, leaf = design.loaded.blueprint.fabrics[fabric.name], design.leaf(fabric)
            if leaf is None or spec.speed or (spec.nic and spec.nic.speed_gbps):
                continue
            slow = {a.profile.id: a for _, a in fabric.attachments if a.speed_gbps < fastest_gbps(a)}
            for name, attachment in sorted(slow.items()):
                own, most = attachment.speed_gbps, fastest_gbps(attachment)
                yield self.flag(
                    (*leaf.path, "switch"),
                    f"{fabric.name} ports of {name} run at {own}G of {most}G: {leaf.profile.id} offers no more",
                    f"a switch with ports of {most}G, or `speed: {own}G` of {fabric.name} where that is meant",
                )


def fastest_gbps(attachment: Attachment) -> int:
    """The most that a port of a NIC offers when it is split as it is, Gb/s."""
    ways = attachment.per_connector
    return max(speed // ways for speed in attachment.profile.roles[attachment.role].speeds if speed % ways == 0)
