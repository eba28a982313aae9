"""Actions for chains of single plugs in wrong places: which pattern their moves have, and other ways to mend them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from fabricgen.blueprint.models import make_natural_key
from fabricgen.verify.actions import Action, Alternative, Kind, Step
from fabricgen.verify.diagnosis.boxes import BOXES
from fabricgen.verify.diagnosis.chains import Chain
from fabricgen.verify.diagnosis.moving import ChainGroup, Repair
from fabricgen.verify.diagnosis.plugs import PlugIndex
from fabricgen.verify.diagnosis.shifts import LEAST_CLOSED, LEAST_OPEN, measure_shift
from fabricgen.verify.diagnosis.topology import SeenTopology
from fabricgen.verify.diagnosis.wording import (
    MOST_STEPS,
    describe_cage,
    describe_location,
    describe_plug,
    describe_port,
    describe_run,
    describe_steps,
    join_in_words,
    make_end,
)

NODE = "node"
"""The tier of nodes in devices.csv."""
SMALL_BOX = 16
"""The most links of a box for which an exchange is offered because of two or three wrong links."""


class Pull(NamedTuple):
    """What a hand moves at once: all plugs that go from one cage to one other cage; devices are rows.

    Plugs that are crossed within one cage are moved one by one: for these, ports stand in place of cages.
    """

    device: int
    cage: str
    to_device: int
    to_cage: str


class Crossing(NamedTuple):
    """The dimension that plugs cross, `rail` or `plane`, and the pairs that are exchanged: `1 and 2`."""

    dimension: str
    exchanged: tuple[str, ...]

    @property
    def text(self) -> str:
        """In words: `rails 1 and 2, 3 and 4`."""
        return f"{self.dimension}s {', '.join(self.exchanged)}"


@dataclass
class Explainer:
    """Makes actions for chains of plugs in wrong places, for a technician.

    `before` is the topology with boxes and ends of trunks taken for what they stand in for, `after` that with common
    plugs, and perhaps whole cages, as well.
    """

    before: SeenTopology
    after: SeenTopology
    plugs: PlugIndex
    _ranks: dict[int, dict[int, int]] = field(default_factory=dict)
    _served: dict[tuple[str, str, int], set[str]] = field(default_factory=dict)

    def list_pulls(self, source_targets: Iterable[tuple[int, int]]) -> set[Pull]:
        """Return the pulls that move plugs, given as (first port where a plug is, first port where it belongs).

        All plugs that go from one cage to one other cage are one pull.
        """
        return {self._make_pull(source, target) for source, target in source_targets}

    def _make_pull(self, source: int, target: int) -> Pull:
        # from cage to cage; within one cage, from port to port
        source_cage, target_cage = self.locate_cage(source), self.locate_cage(target)
        if source_cage != target_cage:
            return Pull(*source_cage, *target_cage)
        return Pull(*self.after.locate_port(source), *self.after.locate_port(target))  # crossed within one cage

    def locate_cage(self, port: int) -> tuple[int, str]:
        """Return the device (row) and the cage of a port, or the name of the port if its cage is not known."""
        device, name = self.after.locate_port(port)
        cage = self.after.cabling.find_cage(port) if port < self.after.first_spare else ""
        return device, cage or self.after.fronts.find_socket(device, name).cage or name

    def make_action(self, group: ChainGroup) -> tuple[Action, Repair]:
        """Make the action for a group of chains; return it with the repair that it describes."""
        joined = [pair for mendable in group.chains for pair in mendable.chain.joined]
        cables = self.list_cable_ids([mendable.chain for mendable in group.chains])
        best = group.join_repairs(0)
        if best is None:
            ends = tuple(make_end(self.after, end) for pair in joined for end in pair)
            pairs = [
                f"{end_a.device}:{end_a.port} sees {end_b.device}:{end_b.port}"
                for end_a, end_b in zip(ends[::2], ends[1::2], strict=True)
            ]
            text = f"{join_in_words(pairs)}, which is wrong; but too little was seen beside to tell what to move."
            return Action(Kind.PORT, 0, cables, ends, text), Repair(())
        # nothing to move: there are only cables that belong nowhere
        if not best.plug_moves:
            ends = tuple(make_end(self.after, end) for pair in best.surplus for end in pair)
            return Action(Kind.PORT, 0, cables, ends, f"{self.describe_surplus(best)}."), best
        steps = self.make_steps(best)
        kind = self.find_kind(group, best)
        ends = tuple(step.pull for step in steps)
        other_repair = group.join_repairs(1)  # at the other ends of the cables
        alternatives = [self.make_alternative(group, other_repair)] if other_repair else []
        alternatives += [
            exchange
            for repair in (best, other_repair)
            if repair
            for exchange in self.find_exchange_instead(group, repair)
        ]
        text = self.describe_repair(group, best, kind, steps)
        if best.surplus:
            # without its full stop
            text = f"{text[:-1]}; then {self.describe_surplus(best)}."
        moves = len(self.list_pulls(best.source_targets))
        return Action(kind, moves, cables, ends, text, steps=steps, alternatives=tuple(alternatives)), best

    def is_risky(self, repair: Repair) -> bool:
        """Whether a repair may disturb an unseen link that is as planned.

        That is so if a plug is put into a port whose link is unseen (before common plugs are moved), or if a pulled
        plug has more links than the place where it belongs, and some of these are unseen.
        """
        planned = [move for move in repair.plug_moves if move.target < self.after.first_spare]
        if any(self.before.is_unseen(move.target) for move in planned):
            return True
        pulled = [
            self.plugs.list_lanes(move.source)
            for move in planned
            if move.source < self.after.first_spare
            and len(self.plugs.list_lanes(move.source)) > len(self.plugs.list_lanes(move.target))
        ]
        return any(self.before.is_unseen(lane) for lanes in pulled for lane in lanes)

    def describe_surplus(self, repair: Repair) -> str:
        """Say what to do about cables that belong nowhere."""
        pairs = [[describe_plug(make_end(self.after, end)) for end in joined] for joined in repair.surplus]
        return " and ".join(
            f"the cable between {end_a} and {end_b} has no place: take it out" for end_a, end_b in pairs
        )

    def list_cable_ids(self, chains: Sequence[Chain]) -> tuple[str, ...]:
        """Return the ids of the cables that are planned at the ends of some chains."""
        cabling = self.after.cabling
        ends = [end for chain in chains for pair in chain.joined for end in pair if end < self.after.first_spare]
        return tuple(sorted({str(cabling.cable_ids[cabling.cable[end >> 1]]) for end in ends}))

    def make_steps(self, repair: Repair) -> tuple[Step, ...]:
        """Return the moves of a repair as steps."""
        cabling = self.after.cabling
        steps = []
        for move in repair.plug_moves:
            planned_end = move.target if move.target < self.after.first_spare else move.other_end
            cable = (
                str(cabling.cable_ids[cabling.cable[planned_end >> 1]]) if planned_end < self.after.first_spare else ""
            )
            steps.append(Step(cable, make_end(self.after, move.source), make_end(self.after, move.target)))
        return tuple(steps)

    def make_alternative(self, group: ChainGroup, repair: Repair) -> Alternative:
        """Make the alternative to mend a group of chains by another repair, at the other ends of its cables."""
        steps, moves = self.make_steps(repair), len(self.list_pulls(repair.source_targets))
        return Alternative(
            self.find_kind(group, repair), f"or {self.describe_repair(group, repair, None, steps)}", moves, steps=steps
        )

    def find_kind(self, group: ChainGroup, repair: Repair) -> Kind:
        """Return the kind of action for a repair, by the pattern of its moves.

        `exchange_actions` decides the kinds of exchanged common plugs in the same order, without splitters.
        """
        # "" if it is no shift
        if self.describe_shift(repair.source_targets, group.closed):
            return Kind.SHIFT
        if self.find_splitter(repair):
            return Kind.SPLITTER
        if not group.closed:
            return Kind.MOVE
        if self.find_crossings(group):
            return Kind.CROSSED
        return Kind.SWAP if len(self.list_pulls(repair.source_targets)) == 2 else Kind.RING

    def rank_plugs(self, device: int) -> dict[int, int]:
        """Return the rank of each plug of a device, in the order of the ports on its front; by first port."""
        if device not in self._ranks:
            ends = {self.plugs.find_first_port(port, self.after.first_spare) for port in self.after.list_ports(device)}
            order = sorted(ends, key=lambda end: make_natural_key(self.after.locate_port(end)[1]))
            self._ranks[device] = {end: rank for rank, end in enumerate(order)}
        return self._ranks[device]

    def describe_shift(self, moves: Sequence[tuple[int, int]], closed: bool) -> str:
        """Say in words how a row of plugs of one device is shifted as a whole; "" if it is not.

        `moves` has (first port where a plug is, first port where it belongs). `closed`: each plug is where another one
        belongs.
        """
        devices = {int(self.after.device[port]) for move in moves for port in move}
        if len(devices) != 1:
            return ""
        ranks = self.rank_plugs(devices.pop())
        offset = measure_shift([(ranks[source], ranks[target]) for source, target in moves], closed=closed)
        if not offset:
            return ""
        # sorted as on the front, so that the first and the last port name the whole row
        sources, targets = (sorted(ports, key=lambda port: ranks[port]) for ports in zip(*moves, strict=True))
        names = [describe_run([self.after.locate_port(port)[1] for port in ports]) for ports in (sources, targets)]
        cages = {(self.locate_cage(source), self.locate_cage(target)) for source, target in moves}
        count, direction = len(cages), "high" if offset > 0 else "low"
        # two jumpers of one cage are moved at once: the number of cages has to suffice, not that of plugs
        if count < (LEAST_CLOSED if closed else LEAST_OPEN):
            return ""
        if closed:
            distance = _count_in_words(abs(offset), "port")
            return f"{count} plugs in {names[0]} are shifted round, each sits {distance} too {direction}"
        distances = {
            # 0 stands for cages without numbers (`OSFP1`): the distance is then counted in places
            int(source_cage) - int(target_cage) if source_cage.isdigit() and target_cage.isdigit() else 0
            for (_, source_cage), (_, target_cage) in cages
        }
        distance = (
            _count_in_words(abs(distances.pop()), "cage")
            if len(distances) == 1 and 0 not in distances
            # `one`, as in "shifted by one", but `2 places`
            else _count_in_words(abs(offset), "place").removesuffix(" place")
        )
        return f"{count} plugs are shifted by {distance}: {names[0]} hold what belongs in {names[1]}"

    def find_splitter(self, repair: Repair) -> str:
        """Return the id of the breakout whose tails are in the wrong order; "" if a repair moves other plugs."""
        cabling, first_spare = self.after.cabling, self.after.first_spare
        other_ends = [move.other_end for move in repair.plug_moves]
        # all ends that stay must be in one planned plug, the common one of a breakout
        if len(other_ends) < 2 or max(other_ends) >= first_spare:
            return ""
        plugs = {int(cabling.plug[end]) for end in other_ends}
        if len(plugs) > 1 or any(move.target >= first_spare for move in repair.plug_moves):
            return ""
        return str(cabling.cable_ids[cabling.cable[other_ends[0] >> 1]])

    def find_crossing(self, chain: Chain) -> Crossing | None:
        """Return the rails or planes that a chain crosses; None if it crosses none.

        Each cable of the chain must have one end on the right device, and the other end on a device that does not serve
        the cable's rail or plane. If the right device serves both of the rails, no rail is crossed, as it still has the
        same links; this does not hold for nodes, where each NIC has one rail.
        """
        topology, cabling = self.after, self.after.cabling
        values: dict[str, set[str]] = {"rail": set(), "plane": set()}
        differs = {"rail": 0, "plane": 0}
        for end_a, end_b in chain.joined:
            # the end that is on the device where the plan has it: `end ^ 1` is the planned far port of an end
            if topology.device[end_b ^ 1] == topology.device[end_a]:
                right_end, wrong_end = end_a, end_b
            elif topology.device[end_a ^ 1] == topology.device[end_b]:
                right_end, wrong_end = end_b, end_a
            else:
                continue
            for dimension in values:
                planned, seen = (cabling.read_link(dimension, end) for end in (right_end, wrong_end))
                if (
                    planned
                    and seen
                    and planned not in self.list_served(dimension, wrong_end)
                    and self.lacks_value_of(dimension, right_end, wrong_end)
                ):
                    differs[dimension] += 1
                    values[dimension] |= {planned, seen}
        for dimension, count in differs.items():
            if count == len(chain.joined):
                return Crossing(dimension, (" and ".join(sorted(values[dimension], key=make_natural_key)),))
        return None

    def lacks_value_of(self, dimension: str, port: int, far_port: int) -> bool:
        """Whether the device of a port has no links in the rail or plane of `far_port`.

        False if a switch serves both: then none is crossed. For a node it is always True: each of its ports has one
        rail and plane.
        """
        cabling = self.after.cabling
        is_node = cabling.read_device("tier", int(self.after.device[port])) == NODE
        return is_node or cabling.read_link(dimension, far_port) not in self.list_served(dimension, port)

    def find_crossings(self, group: ChainGroup) -> Crossing | None:
        """Return the rails or planes that the chains of a group cross; None if one of them crosses none."""
        crossings = {self.find_crossing(mendable.chain) for mendable in group.chains}
        ordered = sorted(filter(None, crossings), key=lambda crossing: make_natural_key(crossing.text))
        if None in crossings:
            return None
        return Crossing(ordered[0].dimension, tuple(pair for crossing in ordered for pair in crossing.exchanged))

    def list_served(self, dimension: str, port: int) -> set[str]:
        """Return the rails or planes in which the device of a port has links, in the fabric of the port."""
        cabling, device = self.after.cabling, int(self.after.device[port])
        fabric = str(cabling.read_link("fabric", port))
        if (dimension, fabric, device) not in self._served:
            self._served[dimension, fabric, device] = {
                str(cabling.read_link(dimension, device_port))
                for device_port in cabling.list_device_ports(device).tolist()
                if cabling.read_link("fabric", device_port) == fabric
            }
        return self._served[dimension, fabric, device]

    def find_exchange_instead(self, group: ChainGroup, repair: Repair) -> list[Alternative]:
        """Return an exchange of two small boxes that explains as much as a repair; [] if none does."""
        topology = self.after
        devices = {int(topology.device[port]) for move in repair.plug_moves for port in (move.source, move.target)}
        link_counts = [len(topology.cabling.list_device_ports(device)) for device in devices]
        if not group.closed or len(devices) != 2 or max(link_counts) > SMALL_BOX:
            return []
        device_a, device_b = sorted(devices)
        if topology.cabling.read_device("model", device_a) != topology.cabling.read_device("model", device_b):
            return []
        gain = BOXES.measure_gain(topology, {device_a: device_b, device_b: device_a})
        # it must explain all that the moves do, and put more links right than it may break unseen ones
        if gain.cable_rows < len(repair.plug_moves) or gain.links <= gain.unseen:
            return []
        names = " and ".join(str(topology.cabling.device_names[device]) for device in (device_a, device_b))
        return [Alternative(Kind.EXCHANGE, f"or {names} are exchanged: swap the two boxes", 0, boxes=2)]

    def describe_repair(self, group: ChainGroup, repair: Repair, kind: Kind | None, steps: Sequence[Step]) -> str:
        """Say what is wrong and what to do; without a kind, only what to do."""
        location = describe_location([*(step.pull for step in steps), *(step.put for step in steps)])
        prefix, count = f"{location}: " if location else "", len(self.list_pulls(repair.source_targets))
        if kind is None:
            return f"{prefix}move {describe_steps(steps)}"
        moves = f"move {describe_steps(steps, MOST_STEPS)}"
        if kind is Kind.SHIFT:
            return f"{prefix}{self.describe_shift(repair.source_targets, group.closed)}; {moves}."
        if kind is Kind.MOVE:
            if count == 1:
                return f"{prefix}one plug is in the wrong place; {moves}."
            return f"{prefix}{count} plugs are in the wrong places; {moves}, in this order."
        if kind is Kind.SPLITTER:
            return f"{prefix}the ends of breakout {self.find_splitter(repair)} are in the wrong order; {moves}."
        if kind is Kind.CROSSED and (crossing := self.find_crossings(group)):
            return f"{prefix}{crossing.text} are crossed; {moves}."
        if kind is Kind.SWAP:
            ends = sorted((step.pull for step in steps), key=lambda end: (end.device, make_natural_key(end.port)))
            first_end, last_end = ends[0], ends[-1]
            if len(steps) > count:
                cages = describe_cage(first_end), describe_cage(last_end)
                return f"{prefix}both plugs of {cages[0]} are swapped with those of {cages[1]}; {moves}."
            if first_end.device == last_end.device:
                return f"{prefix}the plugs in {describe_port(first_end)} and {describe_port(last_end)} are swapped."
            return f"the plugs in {describe_plug(first_end)} and {describe_plug(last_end)} are swapped."
        return f"{prefix}{count} plugs are in each other's places; {moves}."


def _count_in_words(number: int, unit: str) -> str:
    """Return a number with its unit: `one cage`, `2 cages`."""
    return f"one {unit}" if number == 1 else f"{number} {unit}s"
