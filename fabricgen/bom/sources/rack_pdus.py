"""Rack PDUs, and the whip that feeds each.

All feeds of a rack but one can carry its whole load; a single feed carries all of it. The load is what the rack draws,
with its optics, by published figures. A PDU carries 80 % of its rating for hours (NEC 210.20, continuous loads).
Without stated feeds a rack has two; one of patch panels alone draws nothing and has no PDUs. Each PDU has outlets for
the cords of its rack, spread over feeds and PDUs.
NVIDIA, Data Center Best Practices with DGX B200 (rack power profiles): 415 V, three phases, 60 A for racks of four
systems.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import ceil, sqrt
from typing import NamedTuple

import numpy as np

from fabricgen.blueprint.sections.spares import RackPdus
from fabricgen.bom.accessories import has_busbar, make_accessory
from fabricgen.bom.cables import CableParts
from fabricgen.bom.need import Needs, OrderedPart, join_needs, make_part_needs
from fabricgen.bom.optics import sum_rack_optics
from fabricgen.bom.sources.power_cords import ENDS, list_corded
from fabricgen.bom.sources.racks import find_device_racks
from fabricgen.cluster import Cluster
from fabricgen.design.floor.floor_plan import FloorPlan, RackPosition
from fabricgen.wiring.racks.loads import compute_rack_loads

_UNSTATED = ("", "")
"""The feeds of a rack if the floor names none: two without names."""


def needs(cluster: Cluster, cables: CableParts) -> Needs:
    """Return the PDUs and whips of each rack that holds a device to buy.

    A rack with power shelves has a whip for each of its cords, and no PDUs.
    """
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
        # left open where a device has no figure, which would make the rating too low
        rating = None if loads.unpowered[rack] else amps
        outlets[rack] = cords.count_outlets(rack, len(feeds or _UNSTATED), count)
        for feed in feeds or _UNSTATED:
            for line in _specify_pdu_and_whip(
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
    """Yield the needs for one line, which is (specification, description, kind); PDUs are split by the kinds of their
    outlets.

    `counts` are the pieces by rack, `outlets` the outlets that a PDU of each rack needs. PDUs with the commonest kinds
    of outlets keep the bare specification, and so do PDUs of racks without cords; others have the kinds appended.
    """
    spec, text, kind = line
    if kind != "rack-pdu":
        yield _need_accessory(cluster, OrderedPart(spec, text, kind), spec, counts)
        return
    counts_by_outlets: dict[tuple[str, ...], dict[int, int]] = {}
    for rack, count in counts.items():
        counts_by_outlets.setdefault(name_outlet_kinds(outlets[rack]), {})[rack] = count
    commonest, *rarer = sorted(
        counts_by_outlets, key=lambda kinds: (not kinds, -sum(counts_by_outlets[kinds].values()), kinds)
    )
    # racks without cords, whose PDUs need no kind of outlet, are sorted last
    if rarer and not rarer[-1]:
        counts_by_outlets[commonest] |= counts_by_outlets[rarer.pop()]
    for kinds in (commonest, *rarer):
        rack_counts = counts_by_outlets[kinds]
        # of each kind of outlet as many as the rack that needs most of that kind
        most_outlets: Counter[str] = Counter()
        for rack in rack_counts:
            most_outlets |= outlets[rack]
        name = spec if kinds == commonest else "-".join((spec, *kinds))
        yield _need_accessory(
            cluster, OrderedPart(name, text + describe_outlets(most_outlets), kind), spec, rack_counts
        )


def _specify_pdu_and_whip(volts: int, amps: int | None, feed: str, height: str) -> tuple[tuple[str, str, str], ...]:
    """Return (specification, description, kind) of a PDU and of its whip; `amps` None leaves the rating open."""
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
    """Return (rating in A, number) of the PDUs on each of `feeds` feeds of a rack that draws `load_w` W.

    The PDUs of all feeds but one, or of a single feed, carry the whole load. If one PDU of the highest rating does not
    suffice on a feed, the feed has several; of the ratings that suffice the lowest is taken.
    """
    # with one feed lost the others carry the whole load
    feed_w = load_w / max(1, feeds - 1)
    carried_w = [_find_kva(amps, supply.volts) * 1000 * supply.load for amps in supply.amps]
    # rounded first: a load that is just carried must not take one PDU more by the last digit
    count = max(1, ceil(round(feed_w / carried_w[-1], 9)))
    fits = (amps for amps, watts in zip(supply.amps, carried_w, strict=True) if watts * count >= feed_w - 1e-6)
    return next(fits, supply.amps[-1]), count


def _find_kva(amps: int, volts: int) -> float:
    return sqrt(3) * volts * amps / 1000


def _need_accessory(cluster: Cluster, draft: OrderedPart, base_spec: str, counts: Mapping[int, int]) -> Needs:
    """Return the needs of an accessory; `counts` has the pieces by rack (its row).

    The accessory is the product that the blueprint states for the specification of `draft`, else the product for
    `base_spec`, of which that specification is a variant. Without either it is listed by its specification.
    """
    spec = draft.part if draft.part in cluster.design.loaded.blueprint.accessories.parts else base_spec
    product = make_accessory(cluster, spec, draft.description, draft.kind)
    part = product if product.part != spec else product._replace(part=draft.part)
    quantities = np.array(list(counts.values()), dtype=np.int32)
    return make_part_needs(part, quantities, rack=np.array(list(counts), dtype=np.int32))


# The outlets of rack PDUs: what the cords of a rack plug into, by kind and number.

_OUTLETS = {"C14": "C13", "C20": "C19"}
"""Plug of a cord -> the outlet that takes it (IEC 60320-1)."""

_OPEN, _UNKNOWN = "inlets not published", "supplies not published"


class RackCords(NamedTuple):
    """The power cords of racks.

    `of_rack` has, by row of the rack, (outlet, cords of one device, number of such devices). The outlet is C13 or C19,
    or a text such as `_OPEN`; a device of unknown supplies counts as one cord of `_UNKNOWN`.
    """

    of_rack: Mapping[int, Sequence[tuple[str, int, int]]]

    def count_outlets(self, rack: int, feeds: int, pdus: int) -> Counter[str]:
        """Return how many outlets of each kind a PDU needs, in a rack with `feeds` feeds and `pdus` PDUs on each.

        The cords of a device are spread over the feeds, and the cords on a feed over its PDUs.
        """
        outlets: Counter[str] = Counter()
        for outlet, cords, devices in self.of_rack.get(rack, ()):
            outlets[outlet] += devices * ceil(cords / feeds)
        return Counter({outlet: ceil(count / pdus) for outlet, count in outlets.items()})


def find_rack_cords(cluster: Cluster) -> RackCords:
    """Return the cords in all racks without a busbar, whether they are ordered or come with their device."""
    cords_by_rack: dict[int, list[tuple[str, int, int]]] = defaultdict(list)
    for cls, rows in list_corded(cluster):
        psu = cls.profile.psu
        outlet = _UNKNOWN if psu is None else _OUTLETS[ENDS[psu.inlet][1]] if psu.inlet else _OPEN
        racks, counts = np.unique(cluster.plan.devices.rack[rows], return_counts=True)
        for rack, count in zip(racks.tolist(), counts.tolist(), strict=True):
            cords_by_rack[rack].append((outlet, psu.count if psu else 1, count))
    return RackCords(cords_by_rack)


def name_outlet_kinds(outlets: Counter[str]) -> tuple[str, ...]:
    """Return the kinds of outlets that are needed, as specifications name them: `c13`, `c19`, and `open` if unknown."""
    open_too = ("open",) if outlets[_OPEN] or outlets[_UNKNOWN] else ()
    return (*(kind.lower() for kind in _OUTLETS.values() if outlets[kind]), *open_too)


def describe_outlets(outlets: Counter[str]) -> str:
    """Return the outlets of a PDU for its description: `, outlets at least: 6 x C13, 12 x C19`, or "" for none."""
    texts = [f"{outlets[kind]} x {kind}" for kind in _OUTLETS.values() if outlets[kind]]
    if outlets[_OPEN]:
        texts.append(f"{outlets[_OPEN]} for cords of inlets not published")
    if outlets[_UNKNOWN]:
        texts.append(f"{'and ' if texts else ''}for {outlets[_UNKNOWN]} devices of unknown supplies")
    return f", outlets at least: {', '.join(texts)}" if texts else ""
