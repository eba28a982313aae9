"""FG827: at a phase something that is there needs what comes later."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule
from fabricgen.lint.subjects.after_loss import find_cut_off_devices, list_peer_segments, list_uplink_segments
from fabricgen.models.validation import format_path

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster
    from fabricgen.design.phase_selection import Selection
    from fabricgen.phases.presence import Presence

Gap = tuple[str, str]
"""(what lacks what, as the end of a message; what would be right)."""


class WaitsForALaterPhase(PlanRule):
    """At a phase switches, hosts or fabrics are there, and what they cannot do without comes later.

    Named are: management ports and BMCs whose out-of-band network comes later, so that nobody reaches what was racked
    unless over the fabric; switches whose links up, or whose mate, come later, so that a leaf is an island and a bond
    has one port; the only way out to where an exit leads, or to the routers of a fabric without exits; the subnet
    manager of InfiniBand; servers for time, names, logs, DHCP and first boots; and all extra devices of a fabric, such
    as its storage.

    Let these come with what needs them, leave out the fabric that needs them, or waive the finding where somebody
    bridges the time. With `--phase` only that phase is judged, without it every phase of the blueprint.
    """

    severity = Severity.WARNING
    bad = """
        fabrics:
          oob: {protocol: ethernet, attach: bmc, also: switches, tiers: {leaf: {switch: sn2201}}}
        phases:
          now: {fabrics: [compute]}  # <-
          end: {}
    """
    good = """
        fabrics:
          oob: {protocol: ethernet, attach: bmc, also: switches, tiers: {leaf: {switch: sn2201}}}
        phases:
          now: {units: {p1: 1}}
          end: {}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Flag what devices of each phase need and later phases bring."""
        from fabricgen.lint.subjects.after_loss import list_judged_phases

        full, phases = list_judged_phases(cluster)
        for name, selection, present in phases:
            for gaps in (
                _find_unmanaged_ports,
                _find_missing_ways_up,
                _find_missing_ways_out,
                _find_missing_servers,
                _find_missing_extras,
            ):
                for message, hint in gaps(full, selection, present):
                    yield self.flag(("phases", name), f"at phase '{name}' {message}", hint)


def _find_unmanaged_ports(full: Cluster, selection: Selection, present: Presence) -> Iterator[Gap]:
    """Yield the gap of management ports of switches without a link, and of BMCs whose whole network comes later; other
    BMCs are left to FG817.
    """
    from fabricgen.wiring.tables import ManagementPort

    segments = list(enumerate(full.plan.links.segments))
    of_switches = [i for i, s in segments if isinstance(s.a, ManagementPort)]
    bmcs = [i for i, s in segments if getattr(s.a, "role", "") == "bmc" and s.fabric not in selection.fabrics]
    switches, hosts = (find_cut_off_devices(full.plan, present, numbers) for numbers in (of_switches, bmcs))
    counted = ((switches, "management ports of {:,} switches"), (hosts, "BMCs of {:,} devices"))
    if lacking := " and ".join(text.format(len(rows)) for rows, text in counted if rows):
        fabrics = dict.fromkeys(full.plan.links.segments[i].fabric for i in (*of_switches, *bmcs))
        networks = " and ".join(fabrics)
        whole_later = selection.fabrics.isdisjoint(fabrics)
        later = f"{networks} comes later" if whole_later else f"switches of {networks} come later"
        message = f"{lacking} have no link, {full.names[[*switches, *hosts][0]]} first: {later}"
        yield message, f"let {networks} come with what it manages"


def _find_missing_ways_up(full: Cluster, selection: Selection, present: Presence) -> Iterator[Gap]:
    """Yield gaps of switches of present fabrics whose links to the tier above, or to the other of their pair, all come
    later.
    """
    for fabric in sorted(selection.fabrics):
        for segments, lacks in ((list_uplink_segments, "link up"), (list_peer_segments, "mate")):
            rows = find_cut_off_devices(full.plan, present, segments(full.plan, fabric))
            if rows:
                others = f", nor {len(rows) - 1:,} more of {fabric}" if len(rows) > 1 else ""
                message = f"{full.names[rows[0]]} has no {lacks}{others}: what it has links to comes later"
                yield message, "let a switch above, or the mate, come with it"


def _find_missing_ways_out(full: Cluster, selection: Selection, present: Presence) -> Iterator[Gap]:
    """Yield gaps of prefixes that exits of present fabrics lead to in the end, and to which no present exit of their
    VRF leads.
    """
    from fabricgen.lint.subjects.ways_out import group_exits
    from fabricgen.numbering.addresses.exit_links import find_exit_segments
    from fabricgen.views.exits import DEFAULTS, list_accepted_prefixes

    links = full.plan.links
    wired = {
        e.path for i, e in find_exit_segments(full.design, full.plan).items() if present.links[links.find_rows(i)].any()
    }
    for exits in group_exits(full.design):
        wired_exits = (exit_ for exit_ in exits if exit_.path in wired)
        reached = {outside.prefix for exit_ in wired_exits for outside in list_accepted_prefixes(exit_)}
        for exit_ in exits:
            prefixes = [outside.prefix for outside in list_accepted_prefixes(exit_) if outside.prefix not in reached]
            if prefixes and exit_.fabric.name in selection.fabrics:
                outside_text = "the outside" if prefixes[0] in DEFAULTS else prefixes[0]
                reason = f"the links of its exit {exit_.name} come later"
                message = f"nothing of {exit_.fabric.name} leads to {outside_text}: {reason}"
                yield message, f"let {exit_.spec.to} and the switches that it is at come with {exit_.fabric.name}"


def _find_missing_servers(full: Cluster, selection: Selection, present: Presence) -> Iterator[Gap]:
    """Yield gaps of servers whose address belongs to a device, or is in a fabric, that comes later."""
    from fabricgen.lint.subjects.address_owners import list_servers_with_owners

    for path, address, owner in list_servers_with_owners(full):
        is_needed = path[0] == "management" or path[1] in selection.fabrics
        if not is_needed or owner is None:
            continue
        if not (present.devices[owner.device] and owner.fabric in {*selection.fabrics, ""}):
            name = full.names[owner.device]
            message = f"{address} of `{format_path(path)}` is that of {name} in {owner.fabric}, which comes later"
            yield message, f"let {name} come with what asks it, or name a server that is there"


def _find_missing_extras(full: Cluster, selection: Selection, present: Presence) -> Iterator[Gap]:  # noqa: ARG001 - as others
    """Yield gaps of extra devices of present fabrics all of which come later: UFM appliances, routers without an exit,
    and others.
    """
    from fabricgen.design.capacity.failure import is_for_management

    for fabric in full.design.fabrics:
        if fabric.name not in selection.fabrics or is_for_management(fabric):
            continue
        led_to = {exit_.to for exit_ in full.design.loaded.blueprint.fabrics[fabric.name].exits.values()}
        extras = [extra for extra in fabric.extras if extra.name not in led_to]
        managers = [e for e in extras if e.attachment.profile.id.startswith("ufm") and fabric.protocol == "infiniband"]
        routers = [e for e in extras if e.attachment.profile.external]
        servers = [e for e in extras if e not in managers and e not in routers]
        for role, members in (("subnet manager", managers), ("router", routers), ("device beside its nodes", servers)):
            if members and not any(extra.name in selection.extra for extra in members):
                names = " and ".join(extra.name for extra in members)
                verb = "comes" if len(members) == 1 else "come"
                yield f"{fabric.name} has no {role}: {names} {verb} later", f"let one of them come with {fabric.name}"
