"""Numbers of sites, pods and scalable units: the order in which they take ports and addresses that they share.

Names of devices do not follow from these: they count units in their pod.

Each pod has slots for its units: those reserved, and beyond them as it grew. Two numberings run side by side: `units`
counts every reserved slot, `ports` only the units there are, for switches that have no room for all slots. Both are
as the lock has them; what it does not know comes after that, in natural order of names.

Where pods have several kinds of units, each part of the cluster numbers its own pods as well, from 0: for node ports,
of which every kind has its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from fabricgen.blueprint.beside.lock import LAST_TENANT, LAST_VNI, Lock
from fabricgen.blueprint.beside.split_sites import was_one_of_several
from fabricgen.kernel.diagnostics import fault
from fabricgen.kernel.intervals import (
    AllocationRequest,
    Allocations,
    Interval,
    Intervals,
    NoRoomError,
    allocate_intervals,
)

_ALL = (Interval(0, 1 << 40),)
_VLANS = (Interval(100, 3995),)
_TENANT_VLANS = (Interval(2000, 1400),)
"""2000 to 3399: EOS takes VLANs for its routed ports from 1006 upwards, one each (EOS user manual, VLANs: `vlan
internal order ascending`), and no switch has a thousand."""

_VNI_VLANS = (Interval(3400, 325),)
"""3400 to 3724: Cumulus Linux keeps 3725 to 3999 for itself (docs.nvidia.com, Cumulus Linux user guide, Reserved VLAN
Ranges), and SONiC none."""


class PodSize(NamedTuple):
    """What is asked of numbering for a pod: its site, units now, slots, and the part of the cluster that it is of."""

    name: str
    site: str
    su: int
    slots: int
    part: str


@dataclass(frozen=True)
class Numbering:
    """Numbers by name, of everything there is and (`held`) of what there was.

    Kinds are those of the lock: `sites`, `pods`, `units`, `ports`, `vlans`; where there are several sites also
    `pods EAST` and so on, which count within a site.
    """

    held: Mapping[str, Allocations]
    sites: Mapping[str, str]
    """The site of each pod there is."""
    fabrics: tuple[str, ...]
    dealing: Mapping[str, str]
    """What the lock says of tiers: `slot` where down ports are numbered by reserved slot, else `unit`."""
    suffix: str = ""
    """What its kinds have behind those of the whole cluster: ` /b300` for a part of it."""
    parts: Mapping[str, Numbering] = field(default_factory=dict)
    """Of each part, its pods alone; empty where all units are, and ever were, of the one kind without a name."""
    of_tenants: frozenset[tuple[str, str]] = frozenset()
    """(kind, name) of the numbers of tenants, and of VRFs over EVPN and over peer links."""

    def of(self, kind: str, pod: str, scope: str) -> Intervals:
        """The numbers of a pod or its units within the whole cluster (scope `all`) or its site."""
        return self.held[self._kind(kind, self.sites[pod], scope)][pod]

    def span(self, kind: str, site: str, scope: str) -> int:
        """One more than the highest number that is given within a place."""
        held = self.held[self._kind(kind, site, scope)]
        return max((interval.end for intervals in held.values() for interval in intervals), default=0)

    @property
    def used(self) -> frozenset[tuple[str, str]]:
        """(kind, name) of every holder that there is."""
        names = {"sites": set(self.sites.values()), "vlans": set(self.fabrics)}
        found = {(kind, name) for kind, some in names.items() for name in some} | self.of_tenants
        for pod, site in self.sites.items():
            kinds = [f"{kind}{self.suffix}" for kind in ("pods", "units", "ports")]
            found |= {(f"{kind}{own}", pod) for kind in kinds for own in ("", f" {site}")}
        return frozenset(found).union(*(part.used for part in self.parts.values()))

    def lock(self, before: Lock, blueprint: str) -> Lock:
        """The lock of a blueprint of that name with these numbers."""
        held = {**before.held, **self.held}
        for part in self.parts.values():
            held |= part.held
        return replace(before, blueprint=blueprint, held=held)

    def _kind(self, kind: str, site: str, scope: str) -> str:
        if kind in ("sites", "vlans"):
            return kind
        by_site = scope == "site" and f"{kind}{self.suffix} {site}" in self.held
        return f"{kind}{self.suffix} {site}" if by_site else f"{kind}{self.suffix}"


def number(pods: Sequence[PodSize], fabrics: Sequence[str], lock: Lock) -> Numbering:
    """Number sites, pods, units and the VLANs of fabrics, given pods in natural order and fabrics in theirs."""
    sites = list(dict.fromkeys(pod.site for pod in sorted(pods, key=lambda pod: pod.site)))
    held = {"sites": _given(lock.of("sites"), [(site, 1) for site in sites])}
    held["vlans"] = _vlans(lock.of("vlans"), fabrics)
    found = Numbering(
        held | _of_pods(pods, sites, lock, ""),
        {pod.name: pod.site for pod in pods},
        tuple(fabrics),
        lock.find_words("dealing"),
    )
    parts = list(dict.fromkeys(pod.part for pod in pods))
    if parts == [""] and f"units{_suffix('')}" not in lock.held:
        return found
    return replace(found, parts={part: _part(part, pods, sites, lock, found) for part in parts})


def with_tenants(before: Numbering, lock: Lock, tenants: Sequence[str], vlans: Sequence[str]) -> Numbering:
    """Number tenants from 1, and give VLANs of theirs to holders such as `storage in blue`.

    Raises InputError (FG114) where there are too few VLANs.
    """
    numbers = (Interval(1, LAST_TENANT),)
    held = {**lock.of("tenants")}
    held |= allocate_intervals(held, [AllocationRequest(name, 1, numbers) for name in tenants])
    taken = before.held["vlans"]
    try:
        given = allocate_intervals(taken, [AllocationRequest(name, 1, _TENANT_VLANS) for name in vlans])
    except NoRoomError as error:
        have = _TENANT_VLANS[0].size
        hint = "state the `fabrics` of tenants, and fewer of them"
        raise fault(
            "FG114", f"tenants need {len(vlans)} VLANs, and there are {have} for them", path=("tenants",), hint=hint
        ) from error
    own = {"tenants": held, "vlans": {**taken, **given}}
    used = frozenset(("tenants", name) for name in tenants) | frozenset(("vlans", name) for name in vlans)
    parts = {name: replace(part, held={**part.held, **own}) for name, part in before.parts.items()}
    return replace(before, held={**before.held, **own}, parts=parts, of_tenants=used)


def with_vnis(before: Numbering, lock: Lock, vrfs: Sequence[str], bridged: Sequence[str] = ()) -> Numbering:
    """Give each VRF over EVPN, and what is `bridged` over it, the place of its VNI, from 1; and each VRF a VLAN for
    switches that need one for it.

    The VLAN's holder in the lock is `VRF over evpn`. Raises InputError (FG114) where there are too few VLANs.
    """
    held, taken = {**lock.of("vnis")}, before.held["vlans"]
    held |= allocate_intervals(held, [AllocationRequest(vrf, 1, (Interval(1, LAST_VNI),)) for vrf in (*vrfs, *bridged)])
    holders = [vni_vlan(vrf) for vrf in vrfs]
    try:
        given = allocate_intervals(taken, [AllocationRequest(name, 1, _VNI_VLANS) for name in holders])
    except NoRoomError as error:
        what = f"{len(vrfs)} VRFs over EVPN need a VLAN each, and there are {_VNI_VLANS[0].size} for them"
        raise fault("FG114", what, path=("routing",), hint="carry fewer VRFs") from error
    own = {"vnis": held, "vlans": {**taken, **given}}
    used = frozenset(("vnis", vrf) for vrf in (*vrfs, *bridged)) | frozenset(("vlans", name) for name in holders)
    parts = {name: replace(part, held={**part.held, **own}) for name, part in before.parts.items()}
    return replace(before, held={**before.held, **own}, parts=parts, of_tenants=before.of_tenants | used)


def with_peer_vlans(before: Numbering, vrfs: Sequence[str]) -> Numbering:
    """Give each VRF of MCLAG pairs a VLAN of their peer links, whose holder in the lock is `VRF over peer links`.

    Raises InputError (FG114) where there are too few VLANs.
    """
    taken, holders = before.held["vlans"], [peer_vlan(vrf) for vrf in vrfs]
    try:
        given = allocate_intervals(taken, [AllocationRequest(name, 1, _VNI_VLANS) for name in holders])
    except NoRoomError as error:
        room = _VNI_VLANS[0].size
        what = f"{len(vrfs)} VRFs need a VLAN each over peer links, and there are {room} for them and for those of EVPN"
        raise fault("FG114", what, path=("fabrics",), hint="carry fewer VRFs") from error
    own = {"vlans": {**taken, **given}}
    used = frozenset(("vlans", name) for name in holders)
    parts = {name: replace(part, held={**part.held, **own}) for name, part in before.parts.items()}
    return replace(before, held={**before.held, **own}, parts=parts, of_tenants=before.of_tenants | used)


def peer_vlan(vrf: str) -> str:
    """The name in the lock of the VLAN of a VRF over the peer links of MCLAG pairs."""
    return f"{vrf} over peer links"


def vni_vlan(vrf: str) -> str:
    """The name in the lock of the VLAN of a VRF's VNI."""
    return f"{vrf} over evpn"


def vni_of_hosts(fabric: str, tenant: str = "") -> str:
    """The name in the lock of the VNI of a fabric's VLAN, or of a tenant's there."""
    return f"hosts of {fabric} in {tenant}" if tenant else f"hosts of {fabric}"


def _suffix(part: str) -> str:
    """What the kinds of a part have behind those of the cluster; no site has a name like it."""
    return f" /{part}"


def _part(part: str, pods: Sequence[PodSize], sites: Sequence[str], lock: Lock, whole: Numbering) -> Numbering:
    """The numbers of the pods of a part among themselves."""
    own = [pod for pod in pods if pod.part == part]
    held = {"sites": whole.held["sites"], "vlans": whole.held["vlans"]} | _of_pods(own, sites, lock, _suffix(part))
    return replace(whole, held=held, sites={pod.name: pod.site for pod in own}, suffix=_suffix(part))


def _of_pods(pods: Sequence[PodSize], sites: Sequence[str], lock: Lock, suffix: str) -> dict[str, Allocations]:
    """The numberings of some pods in the cluster, and in each site where there are several."""
    held = _kinds(pods, lock, suffix, "")
    if len(sites) > 1 or was_one_of_several(lock, sites[0]):
        for site in sites:
            held |= _kinds([pod for pod in pods if pod.site == site], lock, suffix, f" {site}")
    return held


def _vlans(held: Allocations, fabrics: Sequence[str]) -> Allocations:
    """A VLAN for each fabric: 100, 110, 120 and so on; one after the other where there are too many for that."""
    for step in (10, 1):
        with suppress(NoRoomError):
            return {
                **held,
                **allocate_intervals(held, [AllocationRequest(name, 1, _VLANS, align=step) for name in fabrics]),
            }
    raise fault("FG114", f"{len(fabrics)} fabrics need a VLAN each", path=("fabrics",), hint="there are 4094 VLANs")


def _kinds(pods: Sequence[PodSize], lock: Lock, part: str, site: str) -> dict[str, Allocations]:
    """The numberings of some pods; those of a site start from the cluster's where the lock had one site, those of the
    part without a name where that was all.
    """
    names = {pod.name for pod in pods}
    owners = (part, "") if part == _suffix("") else (part,)

    def before(kind: str) -> Allocations:
        if (known := kind + part + site) in lock.held:
            return lock.of(known)
        wider = (kind + owner + place for owner in owners for place in (site, ""))
        held = next((lock.of(known) for known in wider if known in lock.held), {})
        return {name: intervals for name, intervals in held.items() if name in names}

    return {
        f"pods{part}{site}": _given(before("pods"), [(pod.name, 1) for pod in pods]),
        f"units{part}{site}": _given(before("units"), [(pod.name, pod.slots) for pod in pods]),
        f"ports{part}{site}": _given(before("ports"), [(pod.name, pod.su) for pod in pods]),
    }


def _given(held: Allocations, wanted: Sequence[tuple[str, int]]) -> Allocations:
    found = allocate_intervals(held, [AllocationRequest(name, count, _ALL) for name, count in wanted])
    return {**held, **found}
