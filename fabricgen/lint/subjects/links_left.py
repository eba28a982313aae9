"""Which devices are left without links of a kind, where some devices and links are not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fabricgen.phases.presence import Presence
    from fabricgen.wiring.tables import Flags, Ints, LinkTable, WiringPlan


def lost_groups(links: LinkTable, segments: list[int], groups: Ints, gone: Flags) -> tuple[Flags, list[int]]:
    """(links, groups) of those all of whose links in some segments are gone; below 0 a link is of no group."""
    import numpy as np

    grouped, most = np.isin(links.segment, segments) & (groups >= 0), int(groups.max(initial=0)) + 1
    links_of, gone_of = (np.bincount(groups[rows], minlength=most) for rows in (grouped, grouped & gone))
    numbers: list[int] = np.flatnonzero((links_of > 0) & (links_of == gone_of)).tolist()
    return grouped & np.isin(groups, numbers), numbers


def cut_off(plan: WiringPlan, there: Presence, segments: list[int]) -> list[int]:
    """Rows of the devices that are there, are the lower ends of links of some segments, and of none that is there."""
    import numpy as np

    lower = np.where(there.devices[plan.links.a_device], plan.links.a_device, -1)
    return lost_groups(plan.links, segments, lower, ~there.links)[1]


def segments_up(plan: WiringPlan, fabric: str) -> list[int]:
    """The segments of links from switches of a fabric to the tier above, without peer links and management ports."""
    from fabricgen.wiring.tables import ManagementPort

    return [
        i
        for i, s in enumerate(plan.links.segments)
        if s.lower_tier and s.lower_tier.fabric == fabric and s.lower_tier != s.tier
        if s.lower != "node" and not isinstance(s.a, ManagementPort)
    ]


def segments_of_hosts(plan: WiringPlan, fabric: str) -> list[int]:
    """The segments of a fabric's links to nodes, extra devices and the management ports of switches."""
    from fabricgen.wiring.tables import ManagementPort

    segments = enumerate(plan.links.segments)
    return [i for i, s in segments if s.fabric == fabric and (s.lower == "node" or isinstance(s.a, ManagementPort))]


def segments_between(plan: WiringPlan, fabric: str) -> list[int]:
    """The segments of peer links of a fabric: between two switches of a tier at one site."""
    segments = enumerate(plan.links.segments)
    return [i for i, s in segments if s.tier and s.tier.fabric == fabric and s.lower_tier == s.tier and not s.km]
