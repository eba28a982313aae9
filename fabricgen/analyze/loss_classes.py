"""Classes of losses: single parts that carry as much and stand below as many are alike; one stands for all of them.

How much of the bisection is left after switches, planes, racks and feeds is that of the design
(`fabricgen.design.capacity.failure`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from fabricgen.analyze.losses import Losses
from fabricgen.analyze.network import NONE, Network
from fabricgen.cluster import Cluster
from fabricgen.design.capacity.failure import FailureAnalysis
from fabricgen.design.capacity.failure_domains import FailureDomain, list_feed_failures, list_rack_failures
from fabricgen.design.fabric_model import TierDesign, TierKey
from fabricgen.design.floor.floor_plan import FloorPlan, RackPosition
from fabricgen.wiring.arrays import Flags, Ints, Ints64, rank_within, unique_combinations, unique_values
from fabricgen.wiring.cabling.end_kinds import are_common_ends_lower, count_ends_and_lanes
from fabricgen.wiring.cabling.shelf import split_into_fibres
from fabricgen.wiring.tables import SWITCH, DeviceClass, WiringPlan


@dataclass(frozen=True, slots=True)
class LossClass:
    """A class of parts: `kind` of part, `what` it is, how `many`, and how many `of_job` its traffic can use; one of
    them by name, and the devices and links that go with it.

    `share` is what the design says is left of the bisection; None where its loss is counted on links. `of_rate` is the
    share of the failures of a part of its kind that it has: half each where a cable fails at either end of its own.
    """

    kind: str
    what: str
    many: int
    of_job: int
    example: str
    devices: Ints64 = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    links: Ints64 = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    share: Fraction | None = None
    of_rate: float = 1.0


class LossClasses:
    """The classes of losses of a network, seen by a job."""

    def __init__(self, losses: Losses) -> None:
        self.network, self.has, self.job = losses.network, losses.has, losses.job
        self._find_effect, self._lists_bundles, self._bundle_of_link = (
            losses.find_effect,
            losses.lists_bundles,
            losses.bundle,
        )
        self._cluster, self._plan = self.network.cluster, self.network.cluster.plan
        self.survival = FailureAnalysis(self._cluster.design, self.network.fabric)
        self._tiers = [(tier, cls) for tier in self.survival.chain if (cls := _find_class(self.network, tier.key))]
        self._links = losses.links
        self._ports = self._count_carried(self.network.leaf)
        self._below = self._count_ranks_below(losses.place)
        self._degree = tuple(
            np.bincount(end, minlength=len(self._plan.devices)) for end in (self._links.a, self._links.b)
        )
        self._looks = self._number_looks()

    def list_single(self) -> Iterator[LossClass]:
        """Nodes, NICs, cables and fibres, bundles where losing one hides, switches from the leaves up, planes, racks
        and feeds.
        """
        yield from self._list_nodes()
        yield from self._list_nics()
        yield from self._list_cables()
        if self._lists_bundles:
            yield from self._list_bundles()
        for tier, cls in self._tiers:
            yield from self._list_switches(tier, cls)
        yield from self._list_planes()
        yield from self._list_racks()
        yield from self._list_feeds()

    def list_pairs(self) -> Iterator[LossClass]:
        """The worst two switches of each pair of tiers: those that cut off most accelerators, then those that slow
        traffic down most, then those that leave least of the bisection. One switch of each class is taken with every
        other switch.
        """
        for number, (tier, cls) in enumerate(self._tiers):
            examples = [int(loss.devices[0]) for loss in self._list_switches(tier, cls)]
            for other_tier, other_class in self._tiers[number:]:
                candidates = [pair for row in examples for pair in self._pair_with(row, tier, other_tier, other_class)]
                # the first is the worst: figures are signed so that less is worse
                for *_, share, pair in sorted(candidates)[:1]:
                    count = cls.count * (cls.count - 1) // 2 if tier is other_tier else cls.count * other_class.count
                    names, gone = " + ".join(self._cluster.names[row] for row in pair), np.array(pair)
                    yield LossClass("pair", f"{tier.name} + {other_tier.name}", count, count, names, gone, share=share)

    def _pair_with(self, row: int, tier: TierDesign, other_tier: TierDesign, cls: DeviceClass) -> Iterator[_Pair]:
        """A switch with one of every kind of those of a tier: of as many ranks that the two cut off, and as near."""
        leaf, ranks_on_one_switch = self.network.leaf, self._ports[2]
        # ranks at the switch that have all of their other ports on a single one are cut off with that
        other_leaves = np.where(self.has & (leaf != row), leaf, NONE)[(leaf == row).any(axis=1)]
        last = other_leaves.max(axis=1)
        has_single = ((other_leaves == NONE) | (other_leaves == last[:, None])).all(axis=1) & (last != NONE)
        cut = np.bincount(last[has_single], minlength=len(self._below[0])) + ranks_on_one_switch
        seconds = np.flatnonzero(np.arange(cls.first, cls.first + cls.count) != row) + cls.first
        is_near = [(level.component[seconds] == level.component[row]).astype(np.int64) for level in self.network.levels]
        links = self._count_links_between(row, seconds)
        for number, _ in _group_alike(cut[seconds], *is_near, *links, *(below[seconds] for below in self._below)):
            second = int(seconds[number])
            slowdown = max(self._find_effect(np.array([row, second])).slowdown.values(), default=np.inf)
            share = self.survival.compute_remaining(self._make_failure_domain((row, tier), (second, other_tier))).share
            yield -int(cut[second]), -round(slowdown, 9), share, (row, second)

    def _count_links_between(self, row: int, other_rows: Ints64) -> Iterator[Ints64]:
        """By other switch, its links to a switch, to the ones above and to the ones below which that has links to."""
        a, b, size = self._links.a, self._links.b, len(self._plan.devices)
        yield np.bincount(np.append(a[b == row], b[a == row]), minlength=size)[other_rows]
        for near, far in ((a, b), (b, a)):
            met = np.zeros(size, dtype=np.bool_)
            met[far[near == row]] = True
            yield np.bincount(near[met[far]], minlength=size)[other_rows]

    def _make_failure_domain(self, *switches: tuple[int, TierDesign]) -> FailureDomain:
        gone: dict[TierKey, list[tuple[int, int]]] = {}
        for row, tier in switches:
            gone.setdefault(tier.key, []).append(divmod(int(self._plan.devices.ordinal[row]), tier.count))
        return FailureDomain("a pair", gone)

    def _count_carried(self, carrier: Ints64) -> tuple[Ints64, ...]:
        """By carrier of ports (int64 [ranks, ports], -1: none): its ports and the ranks that have no other; of all, and
        of the job.
        """
        present = carrier != NONE
        last = carrier.max(axis=1, initial=NONE)
        # all ports of a rank that are there have one carrier
        only = (~present | (carrier == last[:, None])).all(axis=1) & (last != NONE)
        size = max(int(carrier.max(initial=NONE)) + 1, len(self._plan.devices))
        counted = (carrier[present], carrier[present & self.job[:, None]], last[only], last[only & self.job])
        return tuple(np.bincount(carriers, minlength=size) for carriers in counted)

    def _count_ranks_below(self, part: Ints64) -> tuple[Ints64, Ints64, Ints64]:
        """By switch, the ports of ranks in its component at its own level, of all and of the job; and in its place."""
        size = len(self._plan.devices)
        below = np.zeros((2, size), dtype=np.int64)
        for level in self.network.levels:
            for cls in (tier_class for key in level.tiers if (tier_class := _find_class(self.network, key))):
                for number, mask in enumerate((self.has, self.has & self.job[:, None])):
                    inside = np.bincount(level.component[self.network.leaf[mask]], minlength=size)
                    below[number, cls.rows] = inside[level.component[cls.rows]]
        return below[0], below[1], np.bincount(part[self.network.leaf[self.has]], minlength=size)[part]

    def _number_looks(self) -> Ints64:
        """Int64 by switch: in a network as dumps of the hall show it, equal for switches that stand alike, by what
        hangs on them, their links, and two hops further those of their neighbours (colour refinement: Weisfeiler and
        Leman, 1968). 0 in a plan.
        """
        size, links = len(self._plan.devices), self._links
        if self.network.dark is None:  # of a plan, whose groups are alike by construction
            return np.zeros(size, dtype=np.int64)
        pairs, parallel = np.unique(links.a * size + links.b, return_counts=True)
        looks = unique_combinations(*self._ports, *self._degree, *self._below)[1]
        rng = np.random.Generator(np.random.PCG64(0))
        for _ in range(2):
            hashes = np.zeros(size)
            # each switch adds up random numbers of its neighbours' kinds: equal sums almost surely are equal
            # neighbours, and need no sort as lists of these would
            for near, far in (np.divmod(pairs, size), np.divmod(pairs, size)[::-1]):
                kind = unique_combinations(looks[far], parallel)[1]
                hashes += np.bincount(near, rng.integers(0, 2**32, int(kind.max(initial=0)) + 1)[kind], size)
            looks = unique_combinations(looks, np.unique(hashes, return_inverse=True)[1])[1]
        return looks

    def _list_nodes(self) -> Iterator[LossClass]:
        """Nodes by model, and by the ranks that they hold and that have links."""
        device, devices = self.network.ranks.device, self._plan.devices
        size = int(device.max(initial=0)) + 1
        held, held_by_job = np.bincount(device), np.bincount(device[self.job], minlength=size)
        linked = np.bincount(device[self.has.any(axis=1)], minlength=size)
        rows = np.flatnonzero(held)
        for example, count in _group_alike(
            devices.device_class[rows].astype(np.int64), held[rows], held_by_job[rows], linked[rows]
        ):
            row = int(rows[example])
            model = devices.classes[devices.device_class[row]].profile.id
            of_job = count if held_by_job[row] else 0
            yield LossClass("node", model, count, of_job, self._cluster.names[row], _make_row(row), share=Fraction(1))

    def _list_nics(self) -> Iterator[LossClass]:
        """The n-th NIC of each node, with all of its ports."""
        links, port_link = self._plan.links, self.network.port_link
        rails = int(links.rail.max(initial=0)) + 1
        # node and rail as one number
        nic = np.where(self.has, self.network.ranks.device[:, None] * rails + links.rail[port_link], NONE)
        columns = self._count_carried(nic)
        numbers = np.flatnonzero(columns[0])
        for example, count in _group_alike(*(column[numbers] for column in columns)):
            number = int(numbers[example])
            name = f"NIC {number % rails} of {self._cluster.names[number // rails]}"
            of_job = count if columns[1][number] else 0
            yield LossClass("nic", "NIC", count, of_job, name, links=np.array(unique_values(port_link[nic == number])))

    def _list_cables(self) -> Iterator[LossClass]:
        """Cables with ends of their own, fibres with their optics, and legs of either, with the links of each."""
        pieces = find_pieces(self._cluster)
        ours = np.zeros(len(pieces.piece), dtype=np.bool_)
        ours[self.network.port_link[self.has]] = ours[self._links.row] = True
        ours &= pieces.piece != NONE
        split = pieces.leg != NONE
        yield from self._list_pieces("cable", pieces.piece, np.flatnonzero(ours & pieces.attached), split)
        yield from self._list_pieces("fibre", pieces.piece, np.flatnonzero(ours & ~pieces.attached), split)
        yield from self._list_pieces("leg", pieces.leg, np.flatnonzero(ours & split), split)

    def _list_bundles(self) -> Iterator[LossClass]:
        """All links between two switches together."""
        rows = self._links.row
        bundle = np.full(len(self._plan.links), NONE, dtype=np.int64)
        bundle[rows] = self._bundle_of_link
        yield from self._list_pieces("bundle", bundle, rows, np.zeros(len(bundle), dtype=np.bool_))

    def _list_pieces(self, kind: str, piece: Ints64, rows: Ints64, split: Flags) -> Iterator[LossClass]:
        """Pieces of cables, of some links, by pair of tiers, number of links, and what depends on them.

        Of one that is split, half of the failures are at its common end and half at the others.
        """
        plan, links = self._plan, self._plan.links
        size = int(piece.max(initial=NONE)) + 1
        first_link = np.full(size, NONE, dtype=np.int64)
        first_link[piece[rows[::-1]]] = rows[::-1]  # the first link of each piece is written last
        present = np.flatnonzero(first_link != NONE)
        link, number = first_link[present], np.bincount(piece[rows], minlength=size)[present]
        keys = sorted({segment.key for segment in links.segments})
        pair = np.array([keys.index(segment.key) for segment in links.segments], dtype=np.int64)[links.segment[link]]
        in_rows = np.zeros(len(links), dtype=np.bool_)
        in_rows[rows] = True
        port_link = self.network.port_link
        by_piece = self._count_carried(np.where(self.has & in_rows[port_link], piece[port_link], NONE))
        carried = [np.append(column, np.zeros(size, dtype=np.int64))[present] for column in by_piece]
        lower, up = links.a_device[link], np.bincount(self._links.a, minlength=len(plan.devices))
        below = [column[lower] for column in self._below]
        for example, count in _group_alike(pair, number, split[link].astype(np.int64), *carried, up[lower], *below):
            ends = (self._cluster.names[end] for end in (links.a_device[link[example]], links.b_device[link[example]]))
            of_job = count if carried[1][example] or below[1][example] else 0
            gone = rows[piece[rows] == present[example]]
            share = 0.5 if split[link[example]] else 1.0
            yield LossClass(kind, keys[pair[example]], count, of_job, " - ".join(ends), links=gone, of_rate=share)

    def _list_switches(self, tier: TierDesign, cls: DeviceClass) -> Iterator[LossClass]:
        """Switches of a tier by their ports for ranks, their links, and the ranks below them."""
        share = self.survival.analyze_switch_loss(tier).share
        columns = (*self._ports, *self._degree, *self._below, self._looks)
        for example, count in _group_alike(*(column[cls.rows] for column in columns)):
            row = cls.first + example
            of_job = count if self._below[1][row] else 0
            yield LossClass("switch", tier.name, count, of_job, self._cluster.names[row], _make_row(row), share=share)

    def _list_planes(self) -> Iterator[LossClass]:
        """The first plane, which stands for all of them; none where no plane can be lost."""
        survived = self.survival.analyze_plane_loss()
        if survived is not None:
            rows = np.concatenate([np.arange(cls.first, cls.first + cls.count) for _, cls in self._tiers])
            plane = self._plan.devices.plane[rows]
            planes = unique_values(plane)
            gone = rows[plane == planes[0]]
            yield LossClass(
                "plane", "plane", len(planes), len(planes), f"plane {planes[0] + 1}", gone, share=survived.share
            )

    def _list_racks(self) -> Iterator[LossClass]:
        """Racks by what they hold of ranks and switches, that of those alike which leaves least; nodes that fail with
        their switches need none.
        """
        devices, names = self._plan.devices, self._plan.racks.names
        share_by_rack = self._find_shares_by_rack()
        shares = sorted({*share_by_rack.values(), Fraction(1)})
        index = {share: number for number, share in enumerate(shares)}
        share = np.array([index[share_by_rack.get(name, Fraction(1))] for name in names], dtype=np.int64)
        above = np.flatnonzero(self._below[1])
        device = self.network.ranks.device
        held = [device, device[self.job], above, device[self.has.any(axis=1)]]
        held += [np.arange(cls.first, cls.first + cls.count) for _, cls in self._tiers]
        counts = [np.bincount(devices.rack[rows], minlength=len(names)) for rows in held]
        ranks, job_ranks, needed, _, *switches = counts
        # squares, so that racks with other switches seldom have the same sum
        looks = np.bincount(devices.rack[above], self._looks[above].astype(np.float64) ** 2, len(names)).astype(
            np.int64
        )
        # what leaves least comes first, and stands for all racks that are alike
        order = np.argsort(share, kind="stable")
        used = order[(ranks + np.sum(switches, axis=0))[order] > 0]
        for example, count in _group_alike(*(column[used] for column in (*counts, looks))):
            rack = int(used[example])
            contents = [f"{ranks[rack]} {self.network.what}"] * bool(ranks[rack])
            contents += [f"{c[rack]} {t.name}" for (t, _), c in zip(self._tiers, switches, strict=True) if c[rack]]
            of_job = count if job_ranks[rack] or needed[rack] else 0
            gone = np.flatnonzero(devices.rack == rack)
            yield LossClass("rack", ", ".join(contents), count, of_job, names[rack], gone, share=shares[share[rack]])

    def _find_shares_by_rack(self) -> Mapping[str, Fraction]:
        """What is left of the bisection by network rack; those of one number in the units of one part are alike."""
        floor = FloorPlan(self._cluster.design)
        shares = {
            loss.name: self.survival.compute_remaining(loss).share
            for loss in list_rack_failures(self._cluster.design, floor)
        }
        for unit, plan in enumerate(floor.plan_of_unit):
            alike = floor.plan_of_unit.index(plan)
            for number, _ in floor.list_unit_racks_at_risk(unit):
                shares[floor.name_unit_rack(unit, number)] = shares[floor.name_unit_rack(alike, number)]
        return shares

    def _list_feeds(self) -> Iterator[LossClass]:
        """Feeds that are the only one of some racks, and those without which devices have too few power supplies."""
        design, devices = self._cluster.design, self._plan.devices
        floor, racks = FloorPlan(design), self._plan.racks
        columns = (racks.site, racks.row, racks.column, racks.hall)
        positions = (RackPosition(*position) for position in zip(*(column.tolist() for column in columns), strict=True))
        of_rack = [floor.feeds_of(position) for position in positions] if design.loaded.blueprint.floor.feeds else []
        for loss in list_feed_failures(design, floor):
            lost = np.array([loss.name == f"feed {feeds[0]}" for feeds in of_rack])
            gone = np.flatnonzero(lost[devices.rack])
            yield LossClass("feed", loss.name, 1, 1, loss.name, gone, share=self.survival.compute_remaining(loss).share)
        cords = design.loaded.blueprint.floor.cords
        stopping = [cls for cls in devices.classes if cls.profile.psu and cls.profile.psu.stop_without_feed(cords)]
        if cords < 2 or not of_rack or not stopping:
            return
        rows = np.concatenate([np.arange(cls.first, cls.first + cls.count) for cls in stopping])
        for feed in design.loaded.blueprint.floor.feeds:
            on_feed = np.array([feed in feeds for feeds in of_rack])
            gone = rows[on_feed[devices.rack[rows]]]
            if len(gone):
                yield LossClass("feed", f"feed {feed}", 1, 1, f"feed {feed}", gone)


_Pair = tuple[int, float, Fraction, tuple[int, int]]
"""Two switches, the worst first: ranks cut off and slowdown below 0, share of the bisection left, and their rows."""


def _group_alike(*columns: Ints | Ints64) -> list[tuple[int, int]]:
    """(first row, how many rows) of each kind of row of some columns of counts, in the order of first rows."""
    first_rows, kind = unique_combinations(*columns)
    return sorted(zip(first_rows.tolist(), np.bincount(kind).tolist(), strict=True))


def _find_class(network: Network, key: TierKey) -> DeviceClass | None:
    classes = network.cluster.plan.devices.classes
    return next((cls for cls in classes if cls.kind == SWITCH and cls.key == key and cls.count), None)


def _make_row(row: int) -> Ints64:
    return np.array([row], dtype=np.int64)


# What of a cable fails alone: a cable with ends of its own, a fibre with its optics, a leg of either.
# The two fibres of a twin-port module are pieces of their own, also where one cage holds both. A piece with several
# far ends, a copper breakout or a fibre that splits, fails whole at its common end, and leg by leg at the others.


@dataclass(frozen=True, slots=True)
class Pieces:
    """By row of a link (int64, -1 for none): the piece that carries it, and its leg where the piece has several.

    `attached` says whether the piece is a cable with ends of its own, else it is a fibre between modules.
    """

    piece: Ints64
    leg: Ints64
    attached: Flags


def find_pieces(cluster: Cluster) -> Pieces:
    """The pieces of a cluster's cables; at a phase those of the links that are there then, with legs to come."""
    if cluster.phase is None:
        return _find_pieces_of_plan(cluster.plan)
    all_pieces, rows = _find_pieces_of_plan(cluster.phase.whole.plan), cluster.phase.links
    return Pieces(all_pieces.piece[rows], all_pieces.leg[rows], all_pieces.attached[rows])


def _find_pieces_of_plan(plan: WiringPlan) -> Pieces:
    """The pieces and legs of every link of a plan: links of a cable in the order of its common end."""
    links, cables, number = plan.links, plan.cables, len(plan.cables)
    far_ends, lanes = count_ends_and_lanes(links, cables.end_cable, cables.end_link, cables.end_links, number)
    pieces = _count_pieces(plan, far_ends.astype(np.int64), lanes.astype(np.int64))
    rows = np.flatnonzero(links.cable >= 0)
    cable = links.cable[rows].astype(np.int64)
    lower = are_common_ends_lower(links, cables)[cable]
    order = np.lexsort((np.where(lower, links.a_port[rows], links.b_port[rows]), cable))
    rows, cable = rows[order], cable[order]
    position = rank_within(cable)
    end = np.repeat(np.arange(len(cables.end_cable)), cables.end_links)
    wired = np.maximum(np.bincount(cable, minlength=number), far_ends)
    first_piece = np.cumsum(pieces) - pieces
    piece, leg = (np.full(len(links), -1, dtype=np.int64) for _ in range(2))
    # `-(-a // b)` rounds up: pieces of a cable carry as many links each, the last one what is left
    piece[rows] = first_piece[cable] + position // -(-wired // pieces)[cable]
    row_pieces = piece[rows]
    another = np.append(True, (end[1:] != end[:-1]) | (row_pieces[1:] != row_pieces[:-1]))[: len(end)]
    split = np.bincount(row_pieces[another], minlength=int(pieces.sum()))[row_pieces] > 1
    leg[rows[split]] = np.cumsum(another)[split]
    attached = np.zeros(len(links), dtype=np.bool_)
    attached[rows] = np.array([medium.attached for medium in cables.media], dtype=np.bool_)[cables.medium[cable]]
    return Pieces(piece, leg, attached)


def _count_pieces(plan: WiringPlan, far_ends: Ints64, lanes: Ints64) -> Ints64:
    """How many pieces each cable is: fibres by their lanes, 1 where it has ends of its own."""
    media, most = plan.cables.media, (int(far_ends.max(initial=0)) + 1, int(lanes.max(initial=0)) + 1)
    # three numbers as one: a plan has few kinds of cable, and each is looked up once
    key = (plan.cables.medium * most[0] + far_ends) * most[1] + lanes
    kinds, kind = np.unique(key, return_inverse=True)
    counts = []
    for number in kinds.tolist():
        medium_and_ends, cable_lanes = divmod(number, most[1])
        medium, ends = divmod(medium_and_ends, most[0])
        fibres = None if media[medium].attached else split_into_fibres(media[medium], ends, cable_lanes)
        counts.append(fibres[0] if fibres else 1)
    return np.array(counts, dtype=np.int64)[kind]
