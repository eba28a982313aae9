"""FG123: NICs run below their speed, and no `speed` says so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fabricgen.blueprint.scalars import ALL_KINDS, NicMode
from fabricgen.catalog.models import SwitchProfile
from fabricgen.design.attach import explain_lacking_lanes, list_matching_cages
from fabricgen.design.fabric_model import Attachment, FabricDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class NicHeldBack(DesignRule):
    """Node ports run below the speed of their NICs because the switches offer no more, and no `speed` says so.

    Where no speed is stated, a link runs at the fastest speed that both ends support. An older switch then halves
    the speed of every NIC, while all counts and ratios still look right: a DGX B200 has 400 Gb/s per GPU (DGX
    SuperPOD reference architecture, compute fabric), but 200 Gb/s on HDR switches.

    A `nic` mode for all kinds of nodes does the same to those whose NICs are faster: `1x400` halves one of 800G.

    Use switches as fast as the NICs, state `nic` by kind of node, or set `speed` where the lower one is intended.
    """

    counts_ports = False
    severity = Severity.WARNING
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
            spec = design.loaded.blueprint.fabrics[fabric.name]
            if spec.speed:
                continue
            yield from self._find_slowed_kinds(fabric, spec.nic)
            slow = {
                (a.profile.id, feed.leaf): a
                for feed in fabric.node_feeds
                for _, a in feed.attachments
                if a.speed_gbps < find_fastest_gbps(a) and not {a.profile.id, ALL_KINDS} & spec.nic.keys()
            }
            for name, key in sorted(slow):
                leaf, attachment = design.tier(key), slow[name, key]
                actual, fastest = attachment.speed_gbps, find_fastest_gbps(attachment)
                why, better = explain_held_back(attachment, leaf.profile, fastest)
                yield self.flag(
                    (*leaf.path, "switch"),
                    f"{fabric.name} ports of {name} run at {actual}G of their {fastest}G: {why}",
                    f"use {better}, or set `speed: {actual}G` on {fabric.name} if that is intended",
                )

    def _find_slowed_kinds(self, fabric: FabricDesign, modes: Mapping[str, NicMode]) -> Iterator[Diagnostic]:
        """Flag each kind of node whose NICs are slowed down by the mode for all kinds, if other kinds keep their speed.

        `modes` are the fabric's NIC modes by kind of node.
        """
        attachments = {a.profile.id: a for _, a in fabric.attachments if a.profile.id not in modes}
        slow = {kind: a for kind, a in attachments.items() if compute_nic_gbps(a) < find_unsplit_gbps(a)}
        if ALL_KINDS not in modes or len(slow) == len(attachments):
            return
        mode = modes[ALL_KINDS]
        for kind, attachment in sorted(slow.items()):
            actual, fastest, ways = (
                compute_nic_gbps(attachment),
                find_unsplit_gbps(attachment),
                attachment.links_per_connector,
            )
            yield self.flag(
                (*fabric.path, "nic"),
                f"`nic: {mode.ways}x{mode.speed_gbps}` runs each {fabric.name} port of {kind} at {actual}G of its "
                f"{fastest}G",
                f"state the mode by kind of node, such as `{kind}: {ways}x{fastest // ways}`, or `speed` where the "
                "lower one is intended",
            )


def compute_nic_gbps(attachment: Attachment) -> int:
    """Return the Gb/s of all ports together that a NIC port is split into."""
    return attachment.speed_gbps * attachment.links_per_connector


def find_unsplit_gbps(attachment: Attachment) -> int:
    """Return the highest speed of a NIC port that is not split, in Gb/s."""
    return max(attachment.profile.roles[attachment.role].speeds)


def explain_held_back(attachment: Attachment, switch: SwitchProfile, gbps: int) -> tuple[str, str]:
    """Return (why a switch does not run ports of a NIC at `gbps`, what to use instead); the reason is that the switch
    has no such ports, or that their lanes do not match.
    """
    nic = attachment.profile.roles[attachment.role]
    if why := explain_lacking_lanes(gbps, nic, attachment.profile.id, switch):
        has_faster_lanes = nic.lane_gbps < max(c.lane_gbps for c in list_matching_cages(switch, nic.form_factor))
        better = f"a switch with {gbps}G ports of {nic.lane_gbps:g}G lanes"
        return why, f"{better}, or NICs with faster lanes" if has_faster_lanes else better
    return f"{switch.id} offers no more", f"a switch with {gbps}G ports"


def find_fastest_gbps(attachment: Attachment) -> int:
    """Return the highest speed of a NIC port in Gb/s, split as it is."""
    split = attachment.links_per_connector
    return max(speed // split for speed in attachment.profile.roles[attachment.role].speeds if speed % split == 0)
