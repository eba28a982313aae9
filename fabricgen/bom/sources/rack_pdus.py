"""Rack PDUs, and the whip that feeds each.

Every feed of a rack carries what the others carry when one of them fails; with one feed, all. The load is what the rack
draws, with its optics, by published figures. A PDU carries 80 % of its rating for hours (NEC 210.20, continuous loads).
Without stated feeds a rack has two; one of patch panels alone draws nothing and has no PDUs. Each PDU has outlets for
the cords of its rack, spread over feeds and PDUs.
NVIDIA, Data Center Best Practices with DGX B200 (rack power profiles): 415 V, three phases, 60 A for racks of four
systems.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import ceil, sqrt
from typing import NamedTuple

import numpy as np

from fabricgen.blueprint.sections.spares import RackPdus
from fabricgen.bom.accessories import has_busbar, make_accessory
from fabricgen.bom.cables import CableParts
from fabricgen.bom.need import Needs, OrderedPart, join_needs, make_needs
from fabricgen.bom.optics import sum_rack_optics
from fabricgen.bom.sources.power_cords import ENDS, list_corded
from fabricgen.bom.sources.racks import find_device_racks
from fabricgen.cluster import Cluster
from fabricgen.design.floor.floor_plan import FloorPlan, RackPosition
from fabricgen.wiring.racks.loads import compute_rack_loads

_UNSTATED = ("", "")
"""The feeds of a rack where the floor names none."""


def needs(cluster: Cluster, cables: CableParts) -> Needs:
    """PDUs and whips of each rack; a rack with power shelves has a whip for each of its cords, and no PDUs."""
    accessories = cluster.design.loaded.blueprint.accessories
    if not accessories.order:
        return join_needs([])
    loads, optics_w = compute_rack_loads(cluster.plan), sum_rack_optics(cluster, cables).added_w
    racks, plan = cluster.plan.racks, FloorPlan(cluster.design)
    counts_by_line: dict[tuple[str, str, str], dict[int, int]] = {}
    cords, outlets = find_rack_cords(cluster), dict[int, Counter[str]]()
    for rack in find_device_racks(cluster).tolist():
        kind = racks.kinds[int(racks.kind[rack])]
        if has_busbar(kind):
            text = f"Whip to an inlet of {kind.vendor} {kind.name}, one a power shelf, as its integrator specifies"
            counts_by_line.setdefault((f"whip-{kind.id}", text, "whip"), {})[rack] = kind.cords
            continue
        feeds = plan.feeds_of(RackPosition(*(int(c[rack]) for c in (racks.site, racks.row, racks.column, racks.hall))))
        load_w = float(loads.power_w[rack] + optics_w[rack])
        amps, count = size_feed_pdus(accessories.pdu, load_w, len(feeds or _UNSTATED))
        rating = None if loads.unpowered[rack] else amps
        outlets[rack] = cords.count_outlets(rack, len(feeds or _UNSTATED), count)
        for feed in feeds or _UNSTATED:
            for line in _list_lines(
                accessories.pdu.volts, rating, feed, "1 U" if kind.reserved.get("rack-pdu") else "zero U"
            ):
                rack_counts = counts_by_line.setdefault(line, {})
                rack_counts[rack] = rack_counts.get(rack, 0) + count
    return join_needs(
        [
            needs
            for line, counts in counts_by_line.items()
            for needs in _split_by_outlets(cluster, line, counts, outlets)
        ]
    )


def _split_by_outlets(
    cluster: Cluster, line: tuple[str, str, str], counts: dict[int, int], outlets: Mapping[int, Counter[str]]
) -> Iterator[Needs]:
    """The needs of a specification: PDUs by the kinds of outlets that the cords of their racks take. The commonest
    have the bare specification; what no cord needs is none of a kind, and like those.
    """
    spec, text, kind = line
    if kind != "rack-pdu":
        yield _need_accessory(cluster, OrderedPart(spec, text, kind), spec, counts)
        return
    # counts by rack, by the kinds of outlets that its cords take
    alike: dict[tuple[str, ...], dict[int, int]] = {}
    for rack, count in counts.items():
        alike.setdefault(name_outlet_kinds(outlets[rack]), {})[rack] = count
    first, *other_kinds = sorted(alike, key=lambda kinds: (not kinds, -sum(alike[kinds].values()), kinds))
    # the empty kind, of racks without cords, is sorted last
    if other_kinds and not other_kinds[-1]:
        alike[first] |= alike[other_kinds.pop()]
    for kinds in (first, *other_kinds):
        # of each outlet as many as the rack with most of them takes
        most: Counter[str] = Counter()
        for rack in alike[kinds]:
            most |= outlets[rack]
        name = spec if kinds == first else "-".join((spec, *kinds))
        yield _need_accessory(cluster, OrderedPart(name, text + describe_outlets(most), kind), spec, alike[kinds])


def _list_lines(volts: int, amps: int | None, feed: str, height: str) -> tuple[tuple[str, str, str], ...]:
    """(specification, description, kind) of a PDU and of its whip; the rating is open where `amps` is None."""
    name, feed_text = (f"-feed-{feed.lower()}", f", feed {feed}") if feed else ("", "")
    if amps is None:
        supply, supply_text, size = (
            f"3ph-{volts}v",
            f"3-phase {volts} V",
            "rating open: a device of its rack has no figure",
        )
    else:
        supply, supply_text, size = (
            f"3ph-{amps}a-{volts}v",
            f"3-phase {amps} A {volts} V",
            f"{_find_kva(amps, volts):.0f} kVA",
        )
    pdu = (f"rack-pdu-{supply}", f"Rack PDU, {supply_text}, {size}, {height}", "rack-pdu")
    return pdu, (f"whip-{supply}{name}", f"Whip, {supply_text}{feed_text}", "whip")


def size_feed_pdus(supply: RackPdus, load_w: float, feeds: int) -> tuple[int, int]:
    """(rating in A, number) of the PDUs on each of so many feeds of a rack that draws a load, W."""
    # with one feed lost the others carry the whole load
    share = load_w / max(1, feeds - 1)
    carries = [_find_kva(amps, supply.volts) * 1000 * supply.load for amps in supply.amps]
    # rounded first: a load that is just carried must not take one PDU more by the last digit
    count = max(1, ceil(round(share / carries[-1], 9)))
    fits = (amps for amps, watts in zip(supply.amps, carries, strict=True) if watts * count >= share - 1e-6)
    return next(fits, supply.amps[-1]), count


def _find_kva(amps: int, volts: int) -> float:
    return sqrt(3) * volts * amps / 1000


def _need_accessory(cluster: Cluster, draft: OrderedPart, base_spec: str, counts: Mapping[int, int]) -> Needs:
    """Needs of an accessory, `counts` pieces by rack (its row).

    Taken is the product that the blueprint states for its specification, else the one for `base_spec`, of which it is a
    variant; without either it is listed by specification.
    """
    rows, quantities = np.array(list(counts), dtype=np.int32), np.array(list(counts.values()), dtype=np.int32)
    spec = draft.part if draft.part in cluster.design.loaded.blueprint.accessories.parts else base_spec
    product = make_accessory(cluster, spec, draft.description, draft.kind)
    part = product if product.part != spec else product._replace(part=draft.part)
    return make_needs([part], np.zeros(len(rows), dtype=np.int32), quantity=quantities, rack=rows)


# The outlets of rack PDUs: what the cords of a rack plug into, by kind and number.

_OUTLETS = {"C14": "C13", "C20": "C19"}
"""Plug of a cord -> the outlet that takes it (IEC 60320-1)."""

_OPEN, _UNKNOWN = "inlets not published", "supplies not published"


class RackCords(NamedTuple):
    """(outlet, cords of a device, devices) of each rack, by its row."""

    of_rack: Mapping[int, Sequence[tuple[str, int, int]]]

    def count_outlets(self, rack: int, feeds: int, pdus: int) -> Counter[str]:
        """Outlets that each of so many PDUs on every feed of a rack needs, by kind: cords are spread over all."""
        outlets: Counter[str] = Counter()
        for outlet, cords, devices in self.of_rack.get(rack, ()):
            outlets[outlet] += devices * ceil(cords / feeds)
        return Counter({outlet: ceil(count / pdus) for outlet, count in outlets.items()})


def find_rack_cords(cluster: Cluster) -> RackCords:
    """The cords of all racks without a busbar, whether they are ordered or come with their device."""
    cords_by_rack: dict[int, list[tuple[str, int, int]]] = defaultdict(list)
    for cls, rows in list_corded(cluster):
        psu = cls.profile.psu
        outlet = _UNKNOWN if psu is None else _OUTLETS[ENDS[psu.inlet][1]] if psu.inlet else _OPEN
        racks, counts = np.unique(cluster.plan.devices.rack[rows], return_counts=True)
        for rack, count in zip(racks.tolist(), counts.tolist(), strict=True):
            cords_by_rack[rack].append((outlet, psu.count if psu else 1, count))
    return RackCords(cords_by_rack)


def name_outlet_kinds(outlets: Counter[str]) -> tuple[str, ...]:
    """The kinds of outlets that are needed, as specifications name them: `c13`, `c19`, `open` where nobody says."""
    open_too = ("open",) if outlets[_OPEN] or outlets[_UNKNOWN] else ()
    return (*(kind.lower() for kind in _OUTLETS.values() if outlets[kind]), *open_too)


def describe_outlets(outlets: Counter[str]) -> str:
    """The outlets of a PDU, for its description: `, at least 6 x C13, 12 x C19`."""
    texts = [f"{outlets[kind]} x {kind}" for kind in _OUTLETS.values() if outlets[kind]]
    if outlets[_OPEN]:
        texts.append(f"{outlets[_OPEN]} for cords of inlets not published")
    if outlets[_UNKNOWN]:
        texts.append(f"{'and ' if texts else ''}for {outlets[_UNKNOWN]} devices of unknown supplies")
    return f", outlets at least: {', '.join(texts)}" if texts else ""
