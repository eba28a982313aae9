"""FG614: transceivers draw more than their cages supply."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fabricgen.catalog.switch_models import SwitchProfile
from fabricgen.design.ports import PortRun
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import PlanRule

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster
    from fabricgen.wiring.tables import Segment


class OpticsTooHungry(PlanRule):
    """Transceivers or cable ends draw more power than the cages of a switch can supply and cool.

    A module above the power class of its cage is not switched on, or throttles and flaps when warm. NVIDIA
    specifies 18 W for every cage of the SN5600, 12 W for those of the SN5400 and 21 W for one in four (SN5000
    hardware manual, Data Interfaces); coherent optics draw up to 30 W. Cages without a figure in the catalogue are
    not judged.

    Use optics that draw less, the cages made for more (`cages`), or a switch that supplies enough.
    """

    severity = Severity.ERROR
    bad = """
        pods: {p1: {site: east}, p2: {site: west}}
        fabrics: {across: {protocol: roce, oversubscription: "2:1", qos: {profile: best-effort},
          tiers: {border: {switch: sn5600, count: 2, above: compute.spine}},
          spans: {
            haul: {between: [east, west], km: 80, links: 8 x 800G}}}}  # <-
    """
    good = """
        pods: {p1: {site: east}, p2: {site: west}}
        fabrics: {across: {protocol: roce, oversubscription: "2:1",
          tiers: {border: {switch: sn5600, count: 2, above: compute.spine}},
          spans: {haul: {between: [east, west], km: 8, links: 8 x 400G}}}}
    """

    def check(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Compare each medium of each kind of link with the limit of the cages at either end."""
        from fabricgen.wiring.cabling.end_kinds import make_end_kind

        for number, segment in enumerate(cluster.plan.links.segments):
            limited_ends = [end for end in _list_switch_ends(cluster, segment) if end[1] is not None]
            for medium in _list_media(cluster, number) if limited_ends else ():
                profile = cluster.plan.cables.media[medium]
                for switch, limit_w, run in limited_ends:
                    power_w = make_end_kind(run, segment).catalogue_power_w(profile)
                    if limit_w is not None and power_w is not None and power_w > limit_w:
                        yield self.flag(
                            segment.media_path or segment.path,
                            f"{profile.id} draws {power_w:g} W; cages of {switch} for {segment.fabric} {segment.key} "
                            f"links supply {limit_w:g} W",
                            "use optics that draw less, or a switch that supplies more",
                        )
                        break
        yield from self._check_moved(cluster)

    def _check_moved(self, cluster: Cluster) -> Iterator[Diagnostic]:
        """Compare the media of cables that are plugged in elsewhere than planned with the limit of the cage there."""
        from fabricgen.wiring.cabling.end_kinds import make_end_kind

        cables = cluster.plan.cables
        for cable in cluster.planned.overrides:
            profile = cables.media[cables.medium[cable]]
            for switch, limit_w, run, cage, segment in _list_moved_ends(cluster, cable):
                power_w = make_end_kind(run, segment).catalogue_power_w(profile)
                if limit_w is not None and power_w is not None and power_w > limit_w:
                    yield self.flag(
                        ("cable_of", cluster.cable_ids[cable]),
                        f"{profile.id} draws {power_w:g} W; cage {cage} of {switch} supplies {limit_w:g} W",
                        "move the cable to a cage that supplies more, or use optics that draw less",
                    )
                    break


def _list_moved_ends(cluster: Cluster, cable: int) -> Iterator[tuple[str, float | None, PortRun, str, Segment]]:
    """Yield (id of the switch profile, W that its cage supplies, its run of ports, the cage, the segment) for each end
    of a cable that is plugged into another port of a switch than planned.
    """
    import numpy as np

    links, planned, devices = cluster.plan.links, cluster.planned.plan.links, cluster.plan.devices
    for row in np.flatnonzero(links.cable == cable).tolist():
        segment = links.segments[links.segment[row]]
        for side, device, port, planned_port in (
            (segment.a, links.a_device, links.a_port, planned.a_port),
            (segment.b, links.b_device, links.b_port, planned.b_port),
        ):
            profile = devices.classes[devices.device_class[device[row]]].profile
            if isinstance(side, PortRun) and isinstance(profile, SwitchProfile) and port[row] != planned_port[row]:
                cage = side.cages[int(port[row]) // side.ways]
                limit = profile.cages[side.cage_class].optic_limit_w((cage,))
                yield profile.id, limit, side, profile.cage_label(cage), segment


def _list_switch_ends(cluster: Cluster, segment: Segment) -> Iterator[tuple[str, float | None, PortRun]]:
    """Yield (id of the switch profile, W that its cages supply, its run of ports) for each end of a segment at a
    switch; the power is None if the catalogue does not say it.
    """
    for side, tier in ((segment.a, segment.lower_tier), (segment.b, segment.tier)):
        if isinstance(side, PortRun) and tier is not None:
            profile = cluster.design.tier(tier).profile
            used = tuple(filter(None, side.cages))[: -(-side.count // side.ways)]
            yield profile.id, profile.cages[side.cage_class].optic_limit_w(used), side


def _list_media(cluster: Cluster, number: int) -> list[int]:
    """Return the indices of the media of a segment's cables; the segment is given by its index."""
    from fabricgen.wiring.arrays import unique_values

    cables = cluster.plan.cables
    return unique_values(cables.medium[cables.end_cable[cluster.end_rows[number]]])
