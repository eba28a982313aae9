"""Actions for plugs in wrong places: what pattern the moves of a chain have, and what else would mend it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from fabricgen.blueprint.models import natural
from fabricgen.verify.actions import Action, Alternative, Kind, Step
from fabricgen.verify.diagnosis.boxes import BOXES
from fabricgen.verify.diagnosis.chains import Chain
from fabricgen.verify.diagnosis.moving import Group, Repair
from fabricgen.verify.diagnosis.plugs import Plugs
from fabricgen.verify.diagnosis.shifts import LEAST_CLOSED, LEAST_OPEN, shift_of
from fabricgen.verify.diagnosis.topology import Topology
from fabricgen.verify.diagnosis.wording import (
    MOST_STEPS,
    cage_text,
    end_of,
    listed,
    plug,
    run,
    spot_on_device,
    steps_text,
    where,
)

SMALL_BOX = 16
"""Boxes with more links than this are not taken for exchanged because of two or three of them."""


class Pull(NamedTuple):
    """What a hand moves at once: all plugs of a cage that go to one other cage; devices are rows.

    Of plugs that are crossed within one cage, each is moved: these have ports in place of cages.
    """

    device: int
    cage: str
    to_device: int
    to_cage: str


@dataclass
class Explainer:
    """Makes actions of chains.

    `topology` has boxes and common plugs taken for what they stand in for, `before` boxes only.
    """

    before: Topology
    topology: Topology
    plugs: Plugs
    _ranks: dict[int, dict[int, int]] = field(default_factory=dict)
    _served: dict[tuple[str, str, int], set[str]] = field(default_factory=dict)

    def pulls(self, places: Iterable[tuple[int, int]]) -> set[Pull]:
        """What a hand does to move plugs from the first ports of places to those of others: both plugs of a cage that
        go to one other cage are one pull.
        """
        return {self._pull(*places_of_plug) for places_of_plug in places}

    def _pull(self, source: int, target: int) -> Pull:
        here, there = self.cage(source), self.cage(target)
        if here != there:
            return Pull(*here, *there)
        return Pull(*self.topology.place(source), *self.topology.place(target))  # crossed within one cage

    def cage(self, port: int) -> tuple[int, str]:
        """(Device, cage of a port; the port where its cage is not known.)"""
        device, name = self.topology.place(port)
        told = self.topology.cabling.cage(port) if port < self.topology.planned else ""
        return device, told or self.topology.fronts.socket(device, name).cage or name

    def action(self, group: Group) -> tuple[Action, Repair]:
        """What to do about a group of chains, and the repair that it follows."""
        joined = [pair for each in group.chains for pair in each.chain.joined]
        cables = self.cables([each.chain for each in group.chains])
        best = group.way(0)
        if best is None:
            ends = tuple(end_of(self.topology, end) for pair in joined for end in pair)
            pairs = [
                f"{ends[at].device}:{ends[at].port} sees {ends[at + 1].device}:{ends[at + 1].port}"
                for at in range(0, len(ends), 2)
            ]
            text = f"{listed(pairs)}, which is wrong; but too little was seen beside to tell what to move."
            return Action(Kind.PORT, 0, cables, ends, text), Repair(())
        if not best.moves:
            ends = tuple(end_of(self.topology, end) for pair in best.surplus for end in pair)
            return Action(Kind.PORT, 0, cables, ends, f"{self.surplus(best)}."), best
        steps = self.steps(best)
        kind = self.kind(group, best)
        ends = tuple(step.pull for step in steps)
        other = group.way(1)
        others = [self.alternative(group, other)] if other else []
        others += [each for way in (best, other) if way for each in self.boxes_instead(group, way)]
        text = self.text(group, best, kind, steps)
        if best.surplus:
            text = f"{text[:-1]}; then {self.surplus(best)}."
        moves = len(self.pulls(best.places))
        return Action(kind, moves, cables, ends, text, steps=steps, alternatives=tuple(others)), best

    def is_risky(self, repair: Repair) -> bool:
        """Whether a plug would be put where, but for common plugs that are to be moved, all may be as planned.

        Or pulled where this may be so: a plug with more links than the place where it belongs, some of them not seen.
        """
        planned = [move for move in repair.moves if move.target < self.topology.planned]
        if any(self.before.is_unseen(move.target) for move in planned):
            return True
        pulled = [
            self.plugs.lanes(move.source)
            for move in planned
            if move.source < self.topology.planned
            and len(self.plugs.lanes(move.source)) > len(self.plugs.lanes(move.target))
        ]
        return any(self.before.is_unseen(lane) for lanes in pulled for lane in lanes)

    def surplus(self, repair: Repair) -> str:
        """What to do about cables that belong nowhere."""
        pairs = [[plug(end_of(self.topology, end)) for end in joined] for joined in repair.surplus]
        return " and ".join(f"the cable between {one} and {other} has no place: take it out" for one, other in pairs)

    def cables(self, chains: Sequence[Chain]) -> tuple[str, ...]:
        """The ids of the cables that are planned at the ends of some chains."""
        cabling = self.topology.cabling
        pairs = [pair for chain in chains for pair in chain.joined]
        ends = [end for pair in pairs for end in pair if end < self.topology.planned]
        return tuple(sorted({str(cabling.cable_ids[cabling.cable[end >> 1]]) for end in ends}))

    def steps(self, repair: Repair) -> tuple[Step, ...]:
        """The moves of a repair as steps."""
        cabling = self.topology.cabling
        found = []
        for move in repair.moves:
            at = move.target if move.target < self.topology.planned else move.keeps
            cable = str(cabling.cable_ids[cabling.cable[at >> 1]]) if at < self.topology.planned else ""
            found.append(Step(cable, end_of(self.topology, move.source), end_of(self.topology, move.target)))
        return tuple(found)

    def alternative(self, group: Group, way: Repair) -> Alternative:
        """The same mended at the other side."""
        steps, moves = self.steps(way), len(self.pulls(way.places))
        return Alternative(self.kind(group, way), f"or {self.text(group, way, None, steps)}", moves, steps=steps)

    def kind(self, group: Group, repair: Repair) -> Kind:
        """The pattern of the moves."""
        if self.shifted(group.closed, repair.places):
            return Kind.SHIFT
        if self.splitter(repair):
            return Kind.SPLITTER
        if not group.closed:
            return Kind.MOVE
        if self.crossed_by(group):
            return Kind.CROSSED
        return Kind.SWAP if len(self.pulls(repair.places)) == 2 else Kind.RING

    def ranks(self, device: int) -> dict[int, int]:
        """The place of each plug among those of a device, as on its front; by first port."""
        if device not in self._ranks:
            ends = {self.plugs.first(port, self.topology.planned) for port in self.topology.ports_of(device)}
            order = sorted(ends, key=lambda end: natural(self.topology.place(end)[1]))
            self._ranks[device] = {end: rank for rank, end in enumerate(order)}
        return self._ranks[device]

    def shifted(self, closed: bool, moves: Sequence[tuple[int, int]]) -> str:
        """How a row of plugs of one device is shifted as a whole, in words ("": it is not).

        `moves` has the first ports of where each plug is and where it belongs; `closed`: each is where another belongs.
        """
        devices = {int(self.topology.device[port]) for move in moves for port in move}
        if len(devices) != 1:
            return ""
        ranks = self.ranks(devices.pop())
        by = shift_of([(ranks[source], ranks[target]) for source, target in moves], closed=closed)
        if not by:
            return ""
        sources, targets = (sorted(ports, key=lambda port: ranks[port]) for ports in zip(*moves, strict=True))
        names = [run([self.topology.place(port)[1] for port in ports]) for ports in (sources, targets)]
        cages = {(self.cage(source), self.cage(target)) for source, target in moves}
        count, way = len(cages), "high" if by > 0 else "low"
        if count < (LEAST_CLOSED if closed else LEAST_OPEN):
            return ""
        if closed:
            places = _counted_places(abs(by), "port")
            return f"{count} plugs in {names[0]} are shifted round, each sits {places} too {way}"
        off = {int(one) - int(other) if one.isdigit() and other.isdigit() else 0 for (_, one), (_, other) in cages}
        told = (
            _counted_places(abs(off.pop()), "cage")
            if len(off) == 1 and 0 not in off
            else _counted_places(abs(by), "place").removesuffix(" place")
        )
        return f"{count} plugs are shifted by {told}: {names[0]} hold what belongs in {names[1]}"

    def splitter(self, repair: Repair) -> str:
        """The id of the breakout whose tails are in the wrong order ("": none)."""
        cabling, planned = self.topology.cabling, self.topology.planned
        keeps = [move.keeps for move in repair.moves]
        if len(keeps) < 2 or max(keeps) >= planned:
            return ""
        plugs = {int(cabling.plug[end]) for end in keeps}
        if len(plugs) > 1 or any(move.target >= planned for move in repair.moves):
            return ""
        return str(cabling.cable_ids[cabling.cable[keeps[0] >> 1]])

    def crossed(self, chain: Chain) -> str:
        """The rails or planes that are crossed ("": none).

        Each cable has one end on the right device, and the other on one that does not serve its rail or plane. That of
        a device which serves both is none: it has the same links still; but each NIC of a node is of one.
        """
        topology, cabling = self.topology, self.topology.cabling
        told: dict[str, set[str]] = {"rail": set(), "plane": set()}
        differs = {"rail": 0, "plane": 0}
        for one, other in chain.joined:
            if topology.device[other ^ 1] == topology.device[one]:
                kept, strayed = one, other
            elif topology.device[one ^ 1] == topology.device[other]:
                kept, strayed = other, one
            else:
                continue
            for what in told:
                ours, theirs = cabling.of_link(what, kept), cabling.of_link(what, strayed)
                if ours and theirs and ours not in self.served(what, strayed) and self.is_of(what, kept, strayed):
                    differs[what] += 1
                    told[what] |= {ours, theirs}
        for what, count in differs.items():
            if count == len(chain.joined):
                return f"{what}s {' and '.join(sorted(told[what], key=natural))}"
        return ""

    def is_of(self, what: str, kept: int, strayed: int) -> bool:
        """Whether a port is of one rail or plane: of a node, or of a device without links of that of another port."""
        cabling = self.topology.cabling
        is_node = cabling.of_device("tier", int(self.topology.device[kept])) == "node"
        return is_node or cabling.of_link(what, strayed) not in self.served(what, kept)

    def crossed_by(self, group: Group) -> str:
        """The rails or planes that all chains of a group cross, in words ("": one does not)."""
        told = [self.crossed(each.chain) for each in group.chains]
        if not all(told):
            return ""
        first, *rest = sorted(set(told), key=natural)
        return ", ".join([first, *(each.partition(" ")[2] for each in rest)])

    def served(self, what: str, port: int) -> set[str]:
        """The rails or planes that the device of a port has links of, in the fabric of the port."""
        cabling, device = self.topology.cabling, int(self.topology.device[port])
        fabric = str(cabling.of_link("fabric", port))
        if (what, fabric, device) not in self._served:
            ports = cabling.ports_of_device(device).tolist()
            ours = [each for each in ports if cabling.of_link("fabric", each) == fabric]
            self._served[what, fabric, device] = {str(cabling.of_link(what, each)) for each in ours}
        return self._served[what, fabric, device]

    def boxes_instead(self, group: Group, repair: Repair) -> list[Alternative]:
        """An exchange of two small boxes that would explain as much."""
        topology = self.topology
        devices = {int(topology.device[port]) for move in repair.moves for port in (move.source, move.target)}
        if not group.closed or len(devices) != 2:
            return []
        if any(len(topology.cabling.ports_of_device(device)) > SMALL_BOX for device in devices):
            return []
        one, two = sorted(devices)
        if topology.cabling.of_device("model", one) != topology.cabling.of_device("model", two):
            return []
        gain = BOXES.gain(topology, {one: two, two: one})
        if gain.plugs < len(repair.moves) or gain.links <= gain.unseen:
            return []
        names = " and ".join(str(topology.cabling.device_names[device]) for device in (one, two))
        return [Alternative(Kind.EXCHANGE, f"or {names} are exchanged: swap the two boxes", 0, boxes=2)]

    def text(self, group: Group, repair: Repair, kind: Kind | None, steps: Sequence[Step]) -> str:
        """What is wrong and what to do; without the kind only the latter."""
        place = where([*(step.pull for step in steps), *(step.put for step in steps)])
        at, count = f"{place}: " if place else "", len(self.pulls(repair.places))
        if kind is None:
            return f"{at}move {steps_text(steps)}"
        moves = f"move {steps_text(steps, MOST_STEPS)}"
        if kind is Kind.SHIFT:
            return f"{at}{self.shifted(group.closed, repair.places)}; {moves}."
        if kind is Kind.MOVE:
            if count == 1:
                return f"{at}one plug is in the wrong place; {moves}."
            return f"{at}{count} plugs are in the wrong places; {moves}, in this order."
        if kind is Kind.SPLITTER:
            return f"{at}the ends of breakout {self.splitter(repair)} are in the wrong order; {moves}."
        if kind is Kind.CROSSED:
            return f"{at}{self.crossed_by(group)} are crossed; {moves}."
        if kind is Kind.SWAP:
            ends = sorted((step.pull for step in steps), key=lambda end: (end.device, natural(end.port)))
            one, two = ends[0], ends[-1]
            if len(steps) > count:
                return f"{at}both plugs of {cage_text(one)} are swapped with those of {cage_text(two)}; {moves}."
            if one.device == two.device:
                return f"{at}the plugs in {spot_on_device(one)} and {spot_on_device(two)} are swapped."
            return f"the plugs in {plug(one)} and {plug(two)} are swapped."
        return f"{at}{count} plugs are in each other's places; {moves}."


def _counted_places(number: int, what: str) -> str:
    """`one cage`, `2 cages`."""
    return f"one {what}" if number == 1 else f"{number} {what}s"
