"""Numbers of sites, pods and scalable units: the order in which they take ports and addresses that they share.

Names of devices do not follow from these numbers: they count units in their pod.

Each pod has slots for its units: reserved ones, and further ones as it grew past them. Two numberings run side by side:
`units` counts every reserved slot, `ports` only the units that exist, for switches without room for all slots. The lock
keeps both; pods that it does not know follow, in natural order of names.

If pods have several kinds of units, each part of the cluster numbers its own pods as well, from 0, for node ports:
every kind has ports to itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from fabricgen.blueprint.beside.lock import LAST_TENANT, LAST_VNI, Lock
from fabricgen.blueprint.beside.split_sites import was_one_of_several
from fabricgen.kernel.diagnostics import InputError, fault
from fabricgen.kernel.intervals import (
    AllocationRequest,
    Allocations,
    Interval,
    Intervals,
    NoRoomError,
    allocate_intervals,
)

_ALL_NUMBERS = (Interval(0, 1 << 40),)
_VLANS = (Interval(100, 3995),)
_TENANT_VLANS = (Interval(2000, 1400),)
"""2000 to 3399: EOS takes a VLAN for each of its routed ports, from 1006 upwards (EOS user manual, VLANs: `vlan
internal order ascending`), and no switch has a thousand routed ports."""

_VNI_VLANS = (Interval(3400, 325),)
"""3400 to 3724: Cumulus Linux reserves 3725 to 3999 (docs.nvidia.com, Cumulus Linux user guide, Reserved VLAN Ranges),
and SONiC reserves none."""


class PodSize(NamedTuple):
    """What numbering needs to know of a pod: its site, its units now, its slots, and the part of the cluster it belongs
    to.
    """

    name: str
    site: str
    su: int
    slots: int
    part: str


@dataclass(frozen=True)
class Numbering:
    """Numbers by name, of everything that exists and (`held`) that existed.

    Kinds are those of the lock: `sites`, `pods`, `units`, `ports`, `vlans`. If there are several sites, kinds such as
    `pods EAST` count within a site.
    """

    held: Mapping[str, Allocations]
    """The numbers of each holder, by kind and by the holder's name: `held["pods"]["p1"]`."""
    sites: Mapping[str, str]
    """The site of each pod, by the pod's name."""
    fabrics: tuple[str, ...]
    dealing: Mapping[str, str]
    """How the lock says that each tier's down ports are numbered, by reserved `slot` or by existing `unit`: by tier
    (`compute spine`), or for all ports but those of nodes (`compute leaf beside nodes`).
    """
    suffix: str = ""
    """What is put behind its kinds: ` /b300` for a part of the cluster, as in `units /b300`; ` /` for the part without
    a name, "" for the whole cluster.
    """
    parts: Mapping[str, Numbering] = field(default_factory=dict)
    """The numbering of each part's pods among themselves; empty if all units are, and ever were, of the one kind
    without a name.
    """
    of_tenants: frozenset[tuple[str, str]] = frozenset()
    """(kind, name) of the holders of numbers that tenants have, and VRFs over EVPN and over peer links."""

    def find_numbers(self, kind: str, pod: str, scope: str) -> Intervals:
        """Return the numbers of a pod or its units within the whole cluster (scope `all`) or its site (scope
        `site`).
        """
        return self.held[self._make_kind(kind, self.sites[pod], scope)][pod]

    def find_span(self, kind: str, site: str, scope: str) -> int:
        """Return one more than the highest number that is given within a site (scope `site`) or the cluster (`all`,
        for which `site` does not matter); 0 if none is.
        """
        return self._spans[self._make_kind(kind, site, scope)]

    @cached_property
    def _spans(self) -> dict[str, int]:
        """One more than the highest number of each kind that is given; 0 if none is."""
        return {
            kind: max((interval.end for intervals in held.values() for interval in intervals), default=0)
            for kind, held in self.held.items()
        }

    @property
    def used(self) -> frozenset[tuple[str, str]]:
        """(kind, name) of every holder of numbers that exists."""
        names_by_kind = {"sites": set(self.sites.values()), "vlans": set(self.fabrics)}
        holders = {
            (kind, name) for kind, holder_names in names_by_kind.items() for name in holder_names
        } | self.of_tenants
        for pod, site in self.sites.items():
            kinds = [f"{kind}{self.suffix}" for kind in ("pods", "units", "ports")]
            holders |= {(f"{kind}{site_suffix}", pod) for kind in kinds for site_suffix in ("", f" {site}")}
        return frozenset(holders).union(*(part.used for part in self.parts.values()))

    def make_lock(self, earlier_lock: Lock, blueprint: str) -> Lock:
        """Return the lock `earlier_lock` with these numbers in place of those that it has, for the blueprint of the
        name `blueprint`.
        """
        numbers = {**earlier_lock.held, **self.held}
        for part_numbering in self.parts.values():
            numbers |= part_numbering.held
        return replace(earlier_lock, blueprint=blueprint, held=numbers)

    def _make_kind(self, kind: str, site: str, scope: str) -> str:
        """Return the lock kind of a numbering; within a site it ends with the site's name, if there is such a kind:
        `units east`, `units /b300 east`.
        """
        if kind in ("sites", "vlans"):
            return kind
        by_site = scope == "site" and f"{kind}{self.suffix} {site}" in self.held
        return f"{kind}{self.suffix} {site}" if by_site else f"{kind}{self.suffix}"


def number_all(pods: Sequence[PodSize], fabrics: Sequence[str], lock: Lock) -> Numbering:
    """Return the numbers of sites, pods, units and VLANs of fabrics, as the lock has them, else the next free.

    New numbers are given in the order of `pods` and `fabrics`. If the cluster has or had several parts, the pods of
    each part are also numbered among themselves.
    """
    sites = list(dict.fromkeys(pod.site for pod in sorted(pods, key=lambda pod: pod.site)))
    allocations = {"sites": _allocate(lock.find_allocations("sites"), [(site, 1) for site in sites])}
    allocations["vlans"] = _number_vlans(lock.find_allocations("vlans"), fabrics)
    numbering = Numbering(
        allocations | _number_pods(pods, sites, lock, ""),
        {pod.name: pod.site for pod in pods},
        tuple(fabrics),
        lock.find_words("dealing"),
    )
    part_names = list(dict.fromkeys(pod.part for pod in pods))
    # if there is only the part without a name, now and in the lock, its numbers are those of the cluster
    if part_names == [""] and f"units{_name_suffix('')}" not in lock.held:
        return numbering
    return replace(
        numbering, parts={part_name: _number_part(part_name, pods, sites, lock, numbering) for part_name in part_names}
    )


def number_tenants(numbering: Numbering, lock: Lock, tenants: Sequence[str], vlans: Sequence[str]) -> Numbering:
    """Return a numbering with numbers for tenants, from 1, and VLANs for their holders such as `storage in blue`.

    Raises InputError (FG114) if there are too few VLANs.
    """
    numbers = (Interval(1, LAST_TENANT),)  # 0 stands for no tenant
    tenant_numbers = _allocate(lock.find_allocations("tenants"), [(name, 1) for name in tenants], numbers)
    message = f"tenants need {len(vlans)} VLANs, and there are {_TENANT_VLANS[0].size} for them"
    hint = "state the `fabrics` of tenants, and fewer of them"
    shortage = fault("FG114", message, path=("tenants",), hint=hint)
    new_numbers = {"tenants": tenant_numbers, "vlans": _give_vlans(numbering, vlans, _TENANT_VLANS, shortage)}
    return _add_numbers(numbering, new_numbers, {"tenants": tenants, "vlans": vlans})


def number_vnis(numbering: Numbering, lock: Lock, vrfs: Sequence[str], bridged: Sequence[str] = ()) -> Numbering:
    """Return a numbering with VNIs from 1: for the VRFs over EVPN, and for the VLANs `bridged` over it. Each VRF gets a
    VLAN too, for switches that need one for a VNI; its holder in the lock is `VRF over evpn`.

    Raises InputError (FG114) if there are too few VLANs.
    """
    names, holders = [*vrfs, *bridged], [name_vni_vlan(vrf) for vrf in vrfs]
    vni_numbers = _allocate(lock.find_allocations("vnis"), [(name, 1) for name in names], (Interval(1, LAST_VNI),))
    message = f"{len(vrfs)} VRFs over EVPN need a VLAN each, and there are {_VNI_VLANS[0].size} for them"
    shortage = fault("FG114", message, path=("routing",), hint="carry fewer VRFs")
    new_numbers = {"vnis": vni_numbers, "vlans": _give_vlans(numbering, holders, _VNI_VLANS, shortage)}
    return _add_numbers(numbering, new_numbers, {"vnis": names, "vlans": holders})


def number_peer_vlans(numbering: Numbering, vrfs: Sequence[str]) -> Numbering:
    """Return a numbering with a VLAN for each VRF of MCLAG pairs on their peer links; its holder in the lock is `VRF
    over peer links`.

    Raises InputError (FG114) if there are too few VLANs.
    """
    holders = [name_peer_vlan(vrf) for vrf in vrfs]
    message = f"{len(vrfs)} VRFs need a VLAN each over peer links, and there are {_VNI_VLANS[0].size} for them and for"
    shortage = fault("FG114", f"{message} those of EVPN", path=("fabrics",), hint="carry fewer VRFs")
    return _add_numbers(numbering, {"vlans": _give_vlans(numbering, holders, _VNI_VLANS, shortage)}, {"vlans": holders})


def _give_vlans(numbering: Numbering, holders: Sequence[str], window: Intervals, shortage: InputError) -> Allocations:
    """Return all VLANs by holder: those of `numbering`, and one in `window` for each of `holders`. Raises `shortage` if
    there are too few.
    """
    taken_vlans = numbering.held["vlans"]
    try:
        return {
            **taken_vlans,
            **allocate_intervals(taken_vlans, [AllocationRequest(name, 1, window) for name in holders]),
        }
    except NoRoomError as error:
        raise shortage from error


def _add_numbers(
    numbering: Numbering, numbers: Mapping[str, Allocations], in_use: Mapping[str, Sequence[str]]
) -> Numbering:
    """Return a numbering with further `numbers` by kind, for the cluster and for each part.

    `in_use` has, by kind, the existing holders of numbers that belong to tenants and VRFs.
    """
    of_tenants = numbering.of_tenants | {(kind, name) for kind, names in in_use.items() for name in names}
    parts = {name: replace(part, held={**part.held, **numbers}) for name, part in numbering.parts.items()}
    return replace(numbering, held={**numbering.held, **numbers}, parts=parts, of_tenants=of_tenants)


def name_peer_vlan(vrf: str) -> str:
    """Return the lock's name for the VLAN of a VRF over the peer links of MCLAG pairs: `blue over peer links`."""
    return f"{vrf} over peer links"


def name_vni_vlan(vrf: str) -> str:
    """Return the lock's name for the VLAN of a VRF's VNI: `blue over evpn`."""
    return f"{vrf} over evpn"


def name_host_vni(fabric: str, tenant: str = "") -> str:
    """Return the lock's name for the VNI of a fabric's VLAN, or of a tenant's in it: `hosts of storage in blue`."""
    return f"hosts of {fabric} in {tenant}" if tenant else f"hosts of {fabric}"


def _name_suffix(part: str) -> str:
    """Return what is put behind a part's lock kinds: ` /b300`, or ` /` for the part without a name. No name of a site
    begins with a slash.
    """
    return f" /{part}"


def _number_part(
    part_name: str, pods: Sequence[PodSize], sites: Sequence[str], lock: Lock, cluster: Numbering
) -> Numbering:
    """Return the numbering of the pods of a part among themselves; sites and VLANs are those of the cluster."""
    pods_of_part = [pod for pod in pods if pod.part == part_name]
    numbers = {"sites": cluster.held["sites"], "vlans": cluster.held["vlans"]} | _number_pods(
        pods_of_part, sites, lock, _name_suffix(part_name)
    )
    return replace(
        cluster, held=numbers, sites={pod.name: pod.site for pod in pods_of_part}, suffix=_name_suffix(part_name)
    )


def _number_pods(pods: Sequence[PodSize], sites: Sequence[str], lock: Lock, suffix: str) -> dict[str, Allocations]:
    """Return the numbers of pods and units by lock kind: in the cluster, and also in each site if there are several
    sites, or the lock knows the only one as one of several. `suffix` is that of a part's lock kinds.
    """
    numberings = _number_kinds(pods, lock, suffix, "")
    if len(sites) > 1 or was_one_of_several(lock, sites[0]):
        for site in sites:
            numberings |= _number_kinds([pod for pod in pods if pod.site == site], lock, suffix, f" {site}")
    return numberings


def _number_vlans(held: Allocations, fabrics: Sequence[str]) -> Allocations:
    """Return `held`, with a VLAN for each fabric: 100, 110, 120 and so on, or consecutive ones if there are too many
    fabrics for that. Raises InputError (FG114) if there are too few VLANs.
    """
    # steps of ten leave numbers between them
    for step in (10, 1):
        with suppress(NoRoomError):
            return {
                **held,
                **allocate_intervals(held, [AllocationRequest(name, 1, _VLANS, align=step) for name in fabrics]),
            }
    raise fault("FG114", f"{len(fabrics)} fabrics need a VLAN each", path=("fabrics",), hint="there are 4094 VLANs")


def _number_kinds(pods: Sequence[PodSize], lock: Lock, part: str, site: str) -> dict[str, Allocations]:
    """Return the numbers of pods, of units by slot, and of units that exist (`ports`), by lock kind, for the pods of
    one part or site.

    `part` and `site` are the suffixes of its lock kinds. Numbers of a site start from those of the cluster if the lock
    knows a single site; numbers of the part without a name start from those of the cluster if the lock knows no parts.
    """
    names = {pod.name for pod in pods}
    part_suffixes = (part, "") if part == _name_suffix("") else (part,)
    # the narrowest first: for the part without a name at site east ` / east`, ` /`, ` east` and ``
    suffixes = [part_suffix + site_suffix for part_suffix in part_suffixes for site_suffix in (site, "")]

    def read_kept(kind: str) -> Allocations:
        """Return the numbers of a kind (`pods`, `units`, `ports`) in the lock, by pod, under the narrowest suffix."""
        suffix = next((suffix for suffix in suffixes if kind + suffix in lock.held), part + site)
        numbers = lock.find_allocations(kind + suffix)
        if suffix == part + site:
            return numbers  # with those of pods that are gone: nobody else gets these
        # the numbers of a wider suffix are also of pods of other parts and sites
        return {name: intervals for name, intervals in numbers.items() if name in names}

    return {
        f"pods{part}{site}": _allocate(read_kept("pods"), [(pod.name, 1) for pod in pods]),
        f"units{part}{site}": _allocate(read_kept("units"), [(pod.name, pod.slots) for pod in pods]),
        f"ports{part}{site}": _allocate(read_kept("ports"), [(pod.name, pod.su) for pod in pods]),
    }


def _allocate(kept: Allocations, requests: Sequence[tuple[str, int]], window: Intervals = _ALL_NUMBERS) -> Allocations:
    """Return the numbers that are kept and further ones in a window, by name; `requests` are (name, how many numbers it
    has in all).
    """
    return {**kept, **allocate_intervals(kept, [AllocationRequest(name, count, window) for name, count in requests])}
