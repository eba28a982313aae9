"""Ports that the lock keeps for extra devices: on which switch and in which cage."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product

from fabricgen.blueprint.beside.lock import Lock
from fabricgen.blueprint.dimensions import WHOLE, find_dimension
from fabricgen.design.extras.demands import ExtraDemand
from fabricgen.design.fabric_model import FabricDesign, TierDesign, TierKey
from fabricgen.design.layout import Layout
from fabricgen.design.ports import PortKind, PortRun
from fabricgen.design.shape import find_scope, is_part_of_unit, list_inner_dimensions, name_places, spans_units
from fabricgen.design.sizing.kept_front import list_kept_cages
from fabricgen.design.sizing.node_ports import Reserve
from fabricgen.design.sizing.sized_tier import SizedTier
from fabricgen.design.tiers import TierSpec
from fabricgen.kernel.grouping import group_pairs

_ROOM = r"(\S+ \S+) for extras (\d{1,6}) over (\d{1,6}(?:\.\d{1,9})?)( copper)?(?: for (\S+))?"

Port = tuple[int, int, bool]
"""(switch of the tier, port in the run, whether it belongs to an omitted slot)"""


def name_switch_places(
    layout: Layout, tier: TierKey, per: tuple[str, ...], sizes: Mapping[str, int], count: int
) -> list[str]:
    """Return the lock's name for the place of each switch of a tier, by coordinates and not by its name: `compute leaf
    p1 su1 rail2 n1`.

    Names are in the order of the switches. `sizes` has how many values each inner dimension of `per` has; `count` is
    how many switches a group has.
    """
    # the place of a group is followed by inner coordinates and the number of the switch, all from 1
    tails = [
        "".join(f" {d}{value + 1}" for d, value in zip(list_inner_dimensions(per), values, strict=True)) + f" n{n + 1}"
        for *values, n in product(*(range(sizes[d]) for d in list_inner_dimensions(per)), range(count))
    ]
    return [
        f"{tier.text}{group_place}{tail}" for group_place in _name_places(layout, find_scope(per)) for tail in tails
    ]


def _name_places(layout: Layout, scope: str) -> list[str]:
    """Return the words for each place of a scope: ` p1 su1 rack2`."""
    if scope in (WHOLE, "site"):
        return [f" {site}" for site in layout.sites] if scope == "site" else [""]
    columns = name_places(layout, scope)
    unit_scope = ["su"] if is_part_of_unit(scope) else []
    numbered = [name for name in (*unit_scope, scope) if not find_dimension(name).is_named]
    return [
        f" {pod}" + "".join(f" {name}{number}" for name, number in zip(numbered, row, strict=True))
        for pod, *row in zip(columns["pod"], *(columns[name] for name in numbered), strict=True)
    ]


def write_port(place: str, run: PortRun, port: int) -> str:
    """Return a port of a run, by its number there from 0, as the lock writes it: `... cage 17/1`."""
    return f"{place} cage {run.cages[port // run.ways]}/{port % run.ways + 1}"


def list_extra_words(fabrics: Mapping[str, FabricDesign]) -> Iterator[tuple[str, str]]:
    """Yield (fabric, device and port; where it is plugged in) for every port of extra devices, as the lock writes them:
    `storage filer-1 1` and `storage leaf n1 cage 17/1`.
    """
    for fabric in fabrics.values():
        for extra in fabric.extras:
            owner = fabrics[extra.tier.fabric]
            tier: TierDesign = owner.tier(extra.tier.tier)
            places = name_switch_places(tier.layout, tier.key, tier.per, tier.sizes, tier.count)
            for link in extra.links:
                name = write_holder(fabric.name, extra.devices[link.device], link.leg)
                yield name, write_port(places[link.switch], tier.downs[extra.run], link.slot)


def write_room_name(tier: TierKey, kind: PortKind) -> str:
    """Return the lock's key for the ports that each switch of a tier sets aside for extra devices: `compute leaf for
    extras 400 over 100`.
    """
    suffix = " copper" * kind.rj45 + (f" for {kind.purpose}" if kind.purpose else "")
    return f"{tier.text} for extras {kind.speed_gbps} over {kind.lane_gbps:g}{suffix}"


def read_extra_reserves(layout: Layout, tiers: Iterable[TierKey]) -> dict[tuple[TierKey, PortKind], Reserve]:
    """Return the ports that the lock sets aside for extra devices, by (tier, kind of port); they stay reserved when the
    devices are gone.
    """
    tier_by_text = {tier.text: tier for tier in tiers}
    reserves = {}
    for name, ports in layout.lock.rooms.items():
        match = re.fullmatch(_ROOM, name)
        if match and match[1] in tier_by_text and int(match[2]) and float(match[3]):
            kind = PortKind(int(match[2]), float(match[3]), bool(match[4]), match[5] or "")
            reserves[tier_by_text[match[1]], kind] = Reserve(ports)
    return reserves


def sort_reserves_by_cage(
    layout: Layout,
    reserve: Mapping[tuple[TierKey, PortKind], Reserve],
    demands: Sequence[ExtraDemand],
    specs: Mapping[TierKey, TierSpec],
    fed: Collection[TierKey],
) -> dict[tuple[TierKey, PortKind], Reserve]:
    """Return `reserve` with its (tier, kind of port) keys in the order in which kinds take cages.

    It is that of the first cage that the lock has for each kind, so that devices in the lock keep their cages. Kinds
    without a cage there come last.

    On tiers whose groups span units the last cages are taken first, so that the order is reversed. If only extra
    devices have ports on such a tier (it is not in `fed`), the first kind of each purpose comes first, as it decides
    the speed of uplinks, even if its devices are gone.
    """
    places_by_holder = layout.lock.find_words("extras")

    def find_position(key: tuple[TierKey, PortKind], cage: int) -> int:
        stated_cages = specs[key[0]].cages.get(key[1].purpose or "down", ())
        return stated_cages.index(cage) if cage in stated_cages else cage

    kinds_and_places = (
        ((demand.tier, demand.kind), places_by_holder.get(write_holder(demand.fabric, device, leg), ""))
        for demand in demands
        for device, leg in product(demand.devices, demand.legs)
    )
    cages_taken = group_pairs(
        (key, int(match[1])) for key, place in kinds_and_places if (match := re.search(r" cage (\d+)/", place))
    )
    cages_taken |= {
        key: cages for key in reserve if key[0] not in fed and (cages := list_kept_cages(layout.lock, *key))
    }
    positions_taken = {key: [find_position(key, cage) for cage in cages] for key, cages in cages_taken.items()}
    positions_by_purpose = group_pairs(
        ((tier, kind.purpose), min(positions)) for (tier, kind), positions in positions_taken.items() if tier not in fed
    )
    lowest = {purpose: min(positions) for purpose, positions in positions_by_purpose.items()}
    purposes = list(lowest)

    def make_sort_key(key: tuple[TierKey, PortKind]) -> tuple[bool, int, bool, int]:
        # False sorts before True; on tiers whose groups span units, cages count from the last one
        tier, kind = key
        if key not in positions_taken or not spans_units(specs[tier].per):
            return key not in positions_taken, 0, False, min(positions_taken.get(key, (0,)))
        if tier in fed:
            return False, 0, False, -max(positions_taken[key])
        purpose = tier, kind.purpose
        return (
            False,
            purposes.index(purpose),
            lowest[purpose] != min(positions_taken[key]),
            -max(positions_taken[key]),
        )

    return {key: reserve[key] for key in sorted(reserve, key=make_sort_key)}


def write_holder(fabric: str, device: str, leg: int) -> str:
    """Return the lock's key for a port of an extra device, by the index of its leg: `storage filer-1 1`."""
    return f"{fabric} {device} {leg + 1}"


def list_plugged_devices(lock: Lock, fabric: str) -> set[str]:
    """Return the names of the extra devices that have ports of a fabric in a lock."""
    devices_and_legs = (
        name.removeprefix(f"{fabric} ") for name in lock.find_words("extras") if name.startswith(f"{fabric} ")
    )
    return {name.rpartition(" ")[0] for name in devices_and_legs}


class KeptPorts:
    """The ports that the lock gives to extra devices, as far as the devices can still have them."""

    def __init__(
        self, layout: Layout, sized_tiers: Mapping[TierKey, SizedTier], sizes: Mapping[TierKey, Mapping[str, int]]
    ) -> None:
        self._sized_tiers, self._sizes = sized_tiers, sizes
        self._words = layout.lock.find_words("extras")
        self._kept: dict[str, dict[tuple[int, int], Port]] = {}
        self.taken: set[tuple[TierKey, int, int, int]] = set()
        """(tier, run, switch, port) of what is kept, for devices that are gone, too."""

    def list_kept_ports(self, demand: ExtraDemand) -> dict[tuple[int, int], Port]:
        """Return the ports that the lock gives to the devices of a demand, by (device, leg), both indices from 0.

        They are what `look_up_ports` has found so far for the demand; none before its first call.
        """
        return self._kept.get(f"{demand.fabric} {demand.name}", {})

    def look_up_ports(
        self, demand: ExtraDemand, run: int, allowed: set[int], usable: set[int], holes: set[tuple[int, int]]
    ) -> None:
        """Look up the ports that the lock has for the devices of a demand on one run of down ports, by the run's index.

        Every port that the lock has on this run is set aside, whether or not a device still has or keeps it. A device
        keeps its port only if the switch is in `allowed`, and if the port is in `usable` or (switch, port) is in
        `holes`, the ports of omitted node slots.
        """
        if not self._words:
            return
        ports_by_text = self._index_ports(demand.tier, run)
        kept_ports = self._kept.setdefault(f"{demand.fabric} {demand.name}", {})
        for device, name in enumerate(demand.devices):
            for leg in demand.legs:
                port = ports_by_text.get(self._words.get(write_holder(demand.fabric, name, leg), ""))
                if port and port[0] in allowed and (port[1] in usable or port in holes):
                    kept_ports[device, leg] = (*port, port in holes)
        # all that the lock has on this run: ports of devices that are gone, too, until they are released
        self.taken |= {
            (demand.tier, run, *ports_by_text[text]) for text in self._words.values() if text in ports_by_text
        }

    def _index_ports(self, tier: TierKey, run: int) -> dict[str, tuple[int, int]]:
        """Return (switch of the tier, port of the run) by the text that the lock has for the port, such as `compute
        leaf p1 su1 n1 cage 17/1`. Texts of other tiers, and of ports that are not in the run, are left out.
        """
        sized = self._sized_tiers[tier]
        texts_of_tier = [text for text in self._words.values() if text.startswith(f"{tier.text} ")]
        if not texts_of_tier:
            return {}
        switch_places = name_switch_places(sized.spec.layout, tier, sized.spec.per, self._sizes[tier], sized.count)
        switch_at = {switch_place: i for i, switch_place in enumerate(switch_places)}
        ports = sized.placement.downs[run]
        port_in = {write_port("", ports, i): i for i in range(ports.numbers) if ports.cages[i // ports.ways]}
        # ` cage ` and what follows it, joined again, are the keys of `port_in`
        texts_and_places = ((text, *text.partition(" cage ")) for text in texts_of_tier)
        return {
            text: (switch_at[switch_place], port_in[cage + sub_port])
            for text, switch_place, cage, sub_port in texts_and_places
            if switch_place in switch_at and cage + sub_port in port_in
        }
