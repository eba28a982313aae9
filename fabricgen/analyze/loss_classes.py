"""Classes of losses: parts are alike if they carry as many ports and have as many ranks below; one stands for all.

What the loss of a switch, plane, rack or feed leaves of the bisection is computed from the design
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
from fabricgen.wiring.cabling.far_ends import are_common_ends_lower, count_ends_and_lanes
from fabricgen.wiring.cabling.shelf import split_into_fibres
from fabricgen.wiring.tables import SWITCH, DeviceClass, WiringPlan


@dataclass(frozen=True, slots=True)
class LossClass:
    """A class of alike parts: the `kind` of part, `what` it is, how `many` there are, and how many the job uses.

    `example` is the name of one of them; `devices` and `links` are the rows that are lost with it. `share` is the
    fraction of the bisection that its loss leaves by the design; None if its loss is counted on links. `of_rate` is the
    fraction of the failures of such a part that have this effect: 0.5 for a split cable, half of whose failures are at
    its common end and half at its other ends.
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
    """Lists the classes of losses of a network that matter to a job."""

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
        """Yield the classes of single parts.

        They are nodes, NICs, cables and fibres, bundles of links if `lists_bundles` of `Losses`, switches from the
        leaves up, planes, racks and feeds.
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
        """Yield the worst two switches of each pair of tiers.

        The worst are those that cut off most accelerators, then those that slow traffic down most, then those that
        leave least of the bisection. One switch of each class is paired with every other switch.
        """
        for number, (tier, cls) in enumerate(self._tiers):
            examples = [int(loss.devices[0]) for loss in self._list_switches(tier, cls)]
            for other_tier, other_class in self._tiers[number:]:
                candidates = [pair for row in examples for pair in self._pair_with(row, tier, other_tier, other_class)]
                # the first is the worst: figures are signed so that less is worse
                for *_, share, pair in sorted(candidates)[:1]:
                    pairs = cls.count * (cls.count - 1) // 2 if tier is other_tier else cls.count * other_class.count
                    names, rows = " + ".join(self._cluster.names[row] for row in pair), np.array(pair)
                    yield LossClass("pair", f"{tier.name} + {other_tier.name}", pairs, pairs, names, rows, share=share)

    def _pair_with(self, row: int, tier: TierDesign, other_tier: TierDesign, cls: DeviceClass) -> Iterator[_Pair]:
        """Yield a `_Pair` of a switch, given by its row, with one switch of every kind of another tier, `cls`.

        Two switches of `cls` are of one kind if either, lost together with the given switch, cuts off equally many
        ranks, if both are joined to the given switch in the same way, and if both have equally many ports of ranks
        below them.
        """
        # [2] of `_count_carried`: ranks of which all ports are on one leaf, by leaf
        leaf, ranks_on_one_switch = self.network.leaf, self._ports[2]
        # ranks at the switch that have all of their other ports on a single one are cut off with that
        other_leaves = np.where(self.has & (leaf != row), leaf, NONE)[(leaf == row).any(axis=1)]
        last_leaf = other_leaves.max(axis=1)
        has_single = ((other_leaves == NONE) | (other_leaves == last_leaf[:, None])).all(axis=1) & (last_leaf != NONE)
        cut_off = np.bincount(last_leaf[has_single], minlength=len(self._below[0]))
        # and those whose ports are all on one of the two
        cut_off += ranks_on_one_switch + ranks_on_one_switch[row]
        seconds = np.flatnonzero(np.arange(cls.first, cls.first + cls.count) != row) + cls.first
        is_near = [(level.component[seconds] == level.component[row]).astype(np.int64) for level in self.network.levels]
        links = self._count_links_between(row, seconds)
        for number, _ in _group_alike(cut_off[seconds], *is_near, *links, *(ports[seconds] for ports in self._below)):
            second = int(seconds[number])
            slowdown = max(self._find_effect(np.array([row, second])).slowdown.values(), default=np.inf)
            share = self.survival.compute_remaining(self._make_failure_domain((row, tier), (second, other_tier))).share
            yield -int(cut_off[second]), -round(slowdown, 9), share, (row, second)

    def _count_links_between(self, row: int, other_rows: Ints64) -> Iterator[Ints64]:
        """Yield three int64 arrays: how many links each of `other_rows` has to `row`, and to its neighbours.

        The second array is of the neighbours of `row` that are above it, the third of those below.
        """
        a, b, size = self._links.a, self._links.b, len(self._plan.devices)
        yield np.bincount(np.append(a[b == row], b[a == row]), minlength=size)[other_rows]
        # by link: the end that may be `row` or one of the other rows, and the end that may be a neighbour of `row`
        for end, neighbour_end in ((a, b), (b, a)):
            is_neighbour = np.zeros(size, dtype=np.bool_)
            is_neighbour[neighbour_end[end == row]] = True
            yield np.bincount(end[is_neighbour[neighbour_end]], minlength=size)[other_rows]

    def _make_failure_domain(self, *switches: tuple[int, TierDesign]) -> FailureDomain:
        # by tier, the (group, number in it) of its lost switches
        lost_switches: dict[TierKey, list[tuple[int, int]]] = {}
        for row, tier in switches:
            lost_switches.setdefault(tier.key, []).append(divmod(int(self._plan.devices.ordinal[row]), tier.count))
        return FailureDomain("a pair", lost_switches)

    def _count_carried(self, carrier: Ints64) -> tuple[Ints64, ...]:
        """Return by carrier, int64: ports, ports of the job, ranks with all their ports on it, such ranks of the job.

        `carrier` is the number of what carries each port, such as its leaf or NIC; int64 [ranks, ports], -1: none.
        """
        present = carrier != NONE
        last_carrier = carrier.max(axis=1, initial=NONE)
        # all ports of a rank that are there have one carrier
        has_single = (~present | (carrier == last_carrier[:, None])).all(axis=1) & (last_carrier != NONE)
        size = max(int(carrier.max(initial=NONE)) + 1, len(self._plan.devices))
        carriers_to_count = (
            carrier[present],
            carrier[present & self.job[:, None]],
            last_carrier[has_single],
            last_carrier[has_single & self.job],
        )
        return tuple(np.bincount(carriers, minlength=size) for carriers in carriers_to_count)

    def _count_ranks_below(self, part: Ints64) -> tuple[Ints64, Ints64, Ints64]:
        """Return three int64 columns by device row: how many ports of ranks are below it, how many ports of the job's
        ranks are, and how many ports of ranks are in its connected part of the network (`part`, by device row).

        Ports are below a switch if their leaves are in its component of its own level.
        """
        size = len(self._plan.devices)
        ports_below = np.zeros((2, size), dtype=np.int64)  # of all ranks, and of those of the job
        for level in self.network.levels:
            for cls in (tier_class for key in level.tiers if (tier_class := _find_class(self.network, key))):
                for number, mask in enumerate((self.has, self.has & self.job[:, None])):
                    ports_of_component = np.bincount(level.component[self.network.leaf[mask]], minlength=size)
                    ports_below[number, cls.rows] = ports_of_component[level.component[cls.rows]]
        return ports_below[0], ports_below[1], np.bincount(part[self.network.leaf[self.has]], minlength=size)[part]

    def _number_looks(self) -> Ints64:
        """Return a number for each switch, equal for switches that are alike, int64; 0 for all switches of a plan.

        In a network as found in the hall, switches are alike if they have the same ports and links, and if the same
        holds of their neighbours up to two hops away (colour refinement: Weisfeiler and Leman, 1968).
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
            for switch, neighbour in (np.divmod(pairs, size), np.divmod(pairs, size)[::-1]):
                kind = unique_combinations(looks[neighbour], parallel)[1]
                hashes += np.bincount(switch, rng.integers(0, 2**32, int(kind.max(initial=0)) + 1)[kind], size)
            looks = unique_combinations(looks, np.unique(hashes, return_inverse=True)[1])[1]
        return looks

    def _list_nodes(self) -> Iterator[LossClass]:
        """Yield classes of nodes: those of one model with equally many ranks, ranks of the job, and linked ranks."""
        device, devices = self.network.ranks.device, self._plan.devices
        size = int(device.max(initial=0)) + 1
        # by device row: ranks, ranks of the job, and ranks with a link
        ranks, job_ranks = np.bincount(device), np.bincount(device[self.job], minlength=size)
        linked_ranks = np.bincount(device[self.has.any(axis=1)], minlength=size)
        rows = np.flatnonzero(ranks)
        for example, count in _group_alike(
            devices.device_class[rows].astype(np.int64), ranks[rows], job_ranks[rows], linked_ranks[rows]
        ):
            row = int(rows[example])
            model = devices.classes[devices.device_class[row]].profile.id
            of_job = count if job_ranks[row] else 0
            yield LossClass("node", model, count, of_job, self._cluster.names[row], _make_row(row), share=Fraction(1))

    def _list_nics(self) -> Iterator[LossClass]:
        """Yield classes of NICs; a NIC is lost with all of its ports."""
        links, port_link = self._plan.links, self.network.port_link
        rails = int(links.rail.max(initial=0)) + 1
        # node and rail as one number
        nic = np.where(self.has, self.network.ranks.device[:, None] * rails + links.rail[port_link], NONE)
        ports_and_ranks = self._count_carried(nic)
        port_counts, job_port_counts, *_ = ports_and_ranks
        numbers = np.flatnonzero(port_counts)
        for example, count in _group_alike(*(column[numbers] for column in ports_and_ranks)):
            number = int(numbers[example])
            name = f"NIC {number % rails} of {self._cluster.names[number // rails]}"
            of_job = count if job_port_counts[number] else 0
            yield LossClass("nic", "NIC", count, of_job, name, links=np.array(unique_values(port_link[nic == number])))

    def _list_cables(self) -> Iterator[LossClass]:
        """Yield classes of cables with fixed ends, of fibres with their optics, and of legs of both."""
        pieces = find_pieces(self._cluster)
        in_network = np.zeros(len(pieces.piece), dtype=np.bool_)
        in_network[self.network.port_link[self.has]] = in_network[self._links.row] = True
        in_network &= pieces.piece != NONE
        split = pieces.leg != NONE
        yield from self._list_pieces("cable", pieces.piece, np.flatnonzero(in_network & pieces.attached), split)
        yield from self._list_pieces("fibre", pieces.piece, np.flatnonzero(in_network & ~pieces.attached), split)
        yield from self._list_pieces("leg", pieces.leg, np.flatnonzero(in_network & split), split)

    def _list_bundles(self) -> Iterator[LossClass]:
        """Yield classes of bundles: all links between two switches together."""
        rows = self._links.row
        bundle = np.full(len(self._plan.links), NONE, dtype=np.int64)
        bundle[rows] = self._bundle_of_link
        yield from self._list_pieces("bundle", bundle, rows, np.zeros(len(bundle), dtype=np.bool_))

    def _list_pieces(self, kind: str, piece: Ints64, rows: Ints64, split: Flags) -> Iterator[LossClass]:
        """Yield classes of pieces of cables, by pair of tiers, number of links, and what depends on them.

        `piece` is the piece of each link and `split` whether it is split; `rows` are the links that count. Half of the
        failures of a split piece are at its common end, and half at its other ends.
        """
        plan, links = self._plan, self._plan.links
        size = int(piece.max(initial=NONE)) + 1
        first_link = np.full(size, NONE, dtype=np.int64)
        first_link[piece[rows[::-1]]] = rows[::-1]  # the first link of each piece is written last
        present = np.flatnonzero(first_link != NONE)
        link, number = first_link[present], np.bincount(piece[rows], minlength=size)[present]
        # pairs of tiers that links join, and the number of the pair by piece
        tier_pairs = sorted({segment.key for segment in links.segments})
        pair_of_segment = np.array([tier_pairs.index(segment.key) for segment in links.segments], dtype=np.int64)
        tier_pair = pair_of_segment[links.segment[link]]
        in_rows = np.zeros(len(links), dtype=np.bool_)
        in_rows[rows] = True
        port_link = self.network.port_link
        by_piece = self._count_carried(np.where(self.has & in_rows[port_link], piece[port_link], NONE))
        carried = [np.append(column, np.zeros(size, dtype=np.int64))[present] for column in by_piece]
        lower, uplink_counts = links.a_device[link], np.bincount(self._links.a, minlength=len(plan.devices))
        ports_below = [column[lower] for column in self._below]
        columns = (tier_pair, number, split[link].astype(np.int64), *carried, uplink_counts[lower], *ports_below)
        for example, count in _group_alike(*columns):
            ends = (self._cluster.names[end] for end in (links.a_device[link[example]], links.b_device[link[example]]))
            # the second column of either counts ports of the job
            of_job = count if carried[1][example] or ports_below[1][example] else 0
            lost_links = rows[piece[rows] == present[example]]
            of_rate = 0.5 if split[link[example]] else 1.0
            name = " - ".join(ends)
            yield LossClass(
                kind, tier_pairs[tier_pair[example]], count, of_job, name, links=lost_links, of_rate=of_rate
            )

    def _list_switches(self, tier: TierDesign, cls: DeviceClass) -> Iterator[LossClass]:
        """Yield classes of the switches of a tier, by their ports for ranks, their links, and the ranks below them."""
        share = self.survival.analyze_switch_loss(tier).share
        columns = (*self._ports, *self._degree, *self._below, self._looks)
        for example, count in _group_alike(*(column[cls.rows] for column in columns)):
            row = cls.first + example
            of_job = count if self._below[1][row] else 0
            yield LossClass("switch", tier.name, count, of_job, self._cluster.names[row], _make_row(row), share=share)

    def _list_planes(self) -> Iterator[LossClass]:
        """Yield a class of the planes, with the first as its example; none if no plane can be lost."""
        remaining = self.survival.analyze_plane_loss()
        if remaining is not None:
            rows = np.concatenate([np.arange(cls.first, cls.first + cls.count) for _, cls in self._tiers])
            plane = self._plan.devices.plane[rows]
            planes = unique_values(plane)
            switches = rows[plane == planes[0]]
            yield LossClass(
                "plane", "plane", len(planes), len(planes), f"plane {planes[0] + 1}", switches, share=remaining.share
            )

    def _list_racks(self) -> Iterator[LossClass]:
        """Yield classes of racks, by the ranks and switches that they hold.

        The example of a class is the rack whose loss leaves least of the bisection.
        """
        devices, names = self._plan.devices, self._plan.racks.names
        share_by_rack = self._find_shares_by_rack()
        # a rack without switches leaves all of it; shares are numbered in ascending order
        shares = sorted({*share_by_rack.values(), Fraction(1)})
        share_numbers = {share: number for number, share in enumerate(shares)}
        share_of_rack = np.array(
            [share_numbers[share_by_rack.get(name, Fraction(1))] for name in names], dtype=np.int64
        )
        job_switches = np.flatnonzero(self._below[1])  # switches with ports of the job below them
        device = self.network.ranks.device
        # columns of device rows, and how many of each are in each rack
        device_columns = [device, device[self.job], job_switches, device[self.has.any(axis=1)]]
        device_columns += [np.arange(cls.first, cls.first + cls.count) for _, cls in self._tiers]
        counts = [np.bincount(devices.rack[rows], minlength=len(names)) for rows in device_columns]
        ranks, job_ranks, job_switch_counts, _, *switches_by_tier = counts
        # squares, so that racks with other switches seldom have the same sum
        squares = self._looks[job_switches].astype(np.float64) ** 2
        looks = np.bincount(devices.rack[job_switches], squares, len(names)).astype(np.int64)
        # the rack whose loss leaves least comes first, and is the example of the racks alike to it
        order = np.argsort(share_of_rack, kind="stable")
        used_racks = order[(ranks + np.sum(switches_by_tier, axis=0))[order] > 0]
        for example, count in _group_alike(*(column[used_racks] for column in (*counts, looks))):
            rack = int(used_racks[example])
            contents = [f"{ranks[rack]} {self.network.what}"] if ranks[rack] else []
            contents += [
                f"{switches[rack]} {tier.name}"
                for (tier, _), switches in zip(self._tiers, switches_by_tier, strict=True)
                if switches[rack]
            ]
            of_job = count if job_ranks[rack] or job_switch_counts[rack] else 0
            rows, share = np.flatnonzero(devices.rack == rack), shares[share_of_rack[rack]]
            yield LossClass("rack", ", ".join(contents), count, of_job, names[rack], rows, share=share)

    def _find_shares_by_rack(self) -> Mapping[str, Fraction]:
        """Return the fraction of the bisection that the loss of each network rack leaves, by name of the rack.

        Racks of the same number in units with the same floor plan are alike.
        """
        floor = FloorPlan(self._cluster.design)
        shares = {
            loss.name: self.survival.compute_remaining(loss).share
            for loss in list_rack_failures(self._cluster.design, floor)
        }
        for unit, plan in enumerate(floor.plan_of_unit):
            first_alike_unit = floor.plan_of_unit.index(plan)
            for number, _ in floor.list_unit_racks_at_risk(unit):
                shares[floor.name_unit_rack(unit, number)] = shares[floor.name_unit_rack(first_alike_unit, number)]
        return shares

    def _list_feeds(self) -> Iterator[LossClass]:
        """Yield a class for each feed that is the only feed of some racks, with the devices in those racks.

        If all racks have several feeds, yield a class for each feed without which some devices lack power supplies; its
        loss is counted on links.
        """
        design, devices = self._cluster.design, self._plan.devices
        floor, racks = FloorPlan(design), self._plan.racks
        columns = (racks.site, racks.row, racks.column, racks.hall)
        positions = (RackPosition(*position) for position in zip(*(column.tolist() for column in columns), strict=True))
        feeds_of_racks = (
            [floor.feeds_of(position) for position in positions] if design.loaded.blueprint.floor.feeds else []
        )
        for loss in list_feed_failures(design, floor):
            # A rack is lost with its first feed: `list_feed_failures` only lists feeds that are the only ones of racks.
            is_rack_lost = np.array([loss.name == f"feed {feeds[0]}" for feeds in feeds_of_racks])
            rows, share = np.flatnonzero(is_rack_lost[devices.rack]), self.survival.compute_remaining(loss).share
            yield LossClass("feed", loss.name, 1, 1, loss.name, rows, share=share)
        cords = design.loaded.blueprint.floor.cords
        stopping = [cls for cls in devices.classes if cls.profile.psu and cls.profile.psu.stop_without_feed(cords)]
        if cords < 2 or not feeds_of_racks or not stopping:
            return
        candidates = np.concatenate([np.arange(cls.first, cls.first + cls.count) for cls in stopping])
        for feed in design.loaded.blueprint.floor.feeds:
            is_rack_on_feed = np.array([feed in feeds for feeds in feeds_of_racks])
            rows = candidates[is_rack_on_feed[devices.rack[candidates]]]
            if len(rows):
                yield LossClass("feed", f"feed {feed}", 1, 1, f"feed {feed}", rows)


_Pair = tuple[int, float, Fraction, tuple[int, int]]
"""Two switches, sorted worst first: (-ranks cut off, -slowdown, fraction of the bisection left, rows of both)."""


def _group_alike(*columns: Ints | Ints64) -> list[tuple[int, int]]:
    """Return (first row, number of rows) of each distinct row of some columns of one length, by first row."""
    first_rows, kind = unique_combinations(*columns)
    return sorted(zip(first_rows.tolist(), np.bincount(kind).tolist(), strict=True))


def _find_class(network: Network, key: TierKey) -> DeviceClass | None:
    classes = network.cluster.plan.devices.classes
    return next((cls for cls in classes if cls.kind == SWITCH and cls.key == key and cls.count), None)


def _make_row(row: int) -> Ints64:
    return np.array([row], dtype=np.int64)


# The pieces of a cable that fail alone: a cable with fixed ends, a fibre with its optics, a leg of either.
# The two fibres of a twin-port module are separate pieces, even if one cage holds both. A piece with several far ends,
# a copper breakout or a fibre that splits, fails as a whole at its common end, and leg by leg at its other ends.


@dataclass(frozen=True, slots=True)
class Pieces:
    """The piece that carries each link of a plan, and its leg if the piece has several; int64, -1 for none.

    `attached` says whether the piece is a cable with fixed ends; otherwise it is a fibre between modules.
    """

    piece: Ints64
    leg: Ints64
    attached: Flags


def find_pieces(cluster: Cluster) -> Pieces:
    """Return the pieces of a cluster's links; at a phase only of the links that exist then.

    The cables of a phase are those of the whole cluster, with the legs that later phases use.
    """
    if cluster.phase is None:
        return _find_pieces_of_plan(cluster.plan)
    all_pieces, rows = _find_pieces_of_plan(cluster.phase.whole.plan), cluster.phase.links
    return Pieces(all_pieces.piece[rows], all_pieces.leg[rows], all_pieces.attached[rows])


def _find_pieces_of_plan(plan: WiringPlan) -> Pieces:
    """Return the piece and leg of every link of a plan.

    The links of a cable fill its pieces one after the other, in the order of their ports at the cable's common end.
    """
    links, cables, number = plan.links, plan.cables, len(plan.cables)
    far_ends, lanes = count_ends_and_lanes(
        links, cables.end_cable, cables.end_link, cables.end_links, cables.connectors
    )
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
    # `-(-a // b)` rounds up: pieces of a cable carry equally many links, and the last one the remaining links
    piece[rows] = first_piece[cable] + position // -(-wired // pieces)[cable]
    row_pieces = piece[rows]
    # links in the order of pieces: whether a link is the first at its end of the cable, or the first of its piece
    begins_leg = np.append(True, (end[1:] != end[:-1]) | (row_pieces[1:] != row_pieces[:-1]))[: len(end)]
    is_split = np.bincount(row_pieces[begins_leg], minlength=int(pieces.sum()))[row_pieces] > 1
    leg[rows[is_split]] = np.cumsum(begins_leg)[is_split]
    attached = np.zeros(len(links), dtype=np.bool_)
    attached[rows] = np.array([medium.attached for medium in cables.media], dtype=np.bool_)[cables.medium[cable]]
    return Pieces(piece, leg, attached)


def _count_pieces(plan: WiringPlan, far_ends: Ints64, lanes: Ints64) -> Ints64:
    """Return of how many pieces each cable is made, int64: the fibres that its lanes take, or 1 if its ends are fixed.

    `far_ends` and `lanes` are the numbers of its other ends and of its lanes, by cable.
    """
    media, bases = plan.cables.media, (int(far_ends.max(initial=0)) + 1, int(lanes.max(initial=0)) + 1)
    # three numbers as one: a plan has few kinds of cable, and each is looked up once
    kind_number = (plan.cables.medium * bases[0] + far_ends) * bases[1] + lanes
    kinds, kind_of_cable = np.unique(kind_number, return_inverse=True)
    piece_counts = []
    for number in kinds.tolist():
        medium_and_ends, cable_lanes = divmod(number, bases[1])
        medium, ends = divmod(medium_and_ends, bases[0])
        fibres = None if media[medium].attached else split_into_fibres(media[medium], ends, cable_lanes)
        piece_counts.append(fibres[0] if fibres else 1)
    return np.array(piece_counts, dtype=np.int64)[kind_of_cable]
