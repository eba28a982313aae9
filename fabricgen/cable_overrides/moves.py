"""Moves of cable ends to other ports: changed columns of devices and ports, and runs extended by further cages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fabricgen.cable_overrides.cage_resolver import CagePosition
from fabricgen.cable_overrides.ends import CableEnd
from fabricgen.cable_overrides.other_device import Relocation
from fabricgen.design.fabric_model import Attachment
from fabricgen.design.ports import PortRun
from fabricgen.kernel.diagnostics import Path
from fabricgen.wiring.arrays import Ints
from fabricgen.wiring.tables import NODE, LinkTable, Segment, Side, WiringPlan

RunKey = tuple[int, tuple[int, ...], int]
"""(first device row of the class, cages, ports a cage): identifies a run of ports."""


@dataclass(frozen=True, slots=True)
class EndMove:
    """A cable end that is plugged in elsewhere, on its device or on another one, and the path of the override."""

    cable: int
    end: CableEnd
    spot: CagePosition
    path: Path


def apply_moves(plan: WiringPlan, moves: Sequence[EndMove]) -> WiringPlan:
    """The plan with cable ends moved; whether the ports are free is checked elsewhere.

    Links keep their rows and cables. Rail and plane of a link follow its lower end: the NIC port, or the lower switch.
    """
    longer = _extend_runs(moves)
    links = _extend_segments(plan, longer)
    changed = ("a_device", "a_port", "b_device", "b_port", "rail", "plane")
    links = replace(links, **{name: getattr(links, name).copy() for name in changed})
    for move in moves:
        device, column = (links.b_device, links.b_port) if move.end.upper else (links.a_device, links.a_port)
        for row, port in _list_new_ports(move, longer):
            device[row], column[row] = move.spot.device, port
            if isinstance(move.end.side, Attachment) and move.end.cls.kind == NODE:
                leg = move.end.side.legs[port]
                links.rail[row], links.plane[row] = leg.rail, leg.plane
            elif not move.end.upper and move.spot.device != move.end.device:
                _follow_switch(plan.devices.rail, links.rail, row, move)
                _follow_switch(plan.devices.plane, links.plane, row, move)
    return plan._replace(links=links)


def _follow_switch(of_device: Ints, of_link: Ints, row: int, move: EndMove) -> None:
    """Set the rail (or plane) of a link that has that of its lower switch to that of the switch it is on now."""
    old, new = int(of_device[move.end.device]), int(of_device[move.spot.device])
    # rails count from 0 on devices and from 1 on links; -1 is a device of several
    if old >= 0 and of_link[row] == old + 1:
        of_link[row] = new + 1


def list_relocations(moves: Sequence[EndMove]) -> list[Relocation]:
    """The links whose end is on another device than planned."""
    return [
        Relocation(row, move.end.upper, move.end.device, move.spot.device, move.path)
        for move in moves
        if move.spot.device != move.end.device
        for row in move.end.rows
    ]


def _make_run_key(end: CableEnd, run: PortRun) -> RunKey:
    return end.cls.first, run.cages, run.ways


def _extend_runs(moves: Sequence[EndMove]) -> dict[RunKey, tuple[int, ...]]:
    """The extended cages of runs that moves leave: their own, then further ones in ascending order."""
    added: dict[RunKey, set[int]] = {}
    for move in moves:
        run, cage = move.end.side, move.spot.cage
        if isinstance(run, PortRun) and isinstance(cage, int) and cage not in run.cages:
            added.setdefault(_make_run_key(move.end, run), set()).add(cage)
    return {key: (*key[1], *sorted(cages)) for key, cages in added.items()}


def _extend_segments(plan: WiringPlan, longer: dict[RunKey, tuple[int, ...]]) -> LinkTable:
    """The link table with extended runs; all segments of a run change, so that port numbers stay consistent."""
    if not longer:
        return plan.links
    segments = tuple(_extend_segment(plan, i, segment, longer) for i, segment in enumerate(plan.links.segments))
    return replace(plan.links, segments=segments)


def _extend_segment(plan: WiringPlan, number: int, segment: Segment, longer: dict[RunKey, tuple[int, ...]]) -> Segment:
    # a segment whose runs have the further cages that moved ends are in
    links, devices = plan.links, plan.devices
    rows = links.find_rows(number)
    if rows.start == rows.stop:
        return segment

    def extend_side(side: Side, device: int) -> Side:
        # a run of ports of the class of a device, with the cages that moved ends need beside its own
        if not isinstance(side, PortRun):
            return side
        first = devices.classes[devices.device_class[device]].first
        return replace(side, cages=longer.get((first, side.cages, side.ways), side.cages))

    a, b = int(links.a_device[rows.start]), int(links.b_device[rows.start])
    return segment._replace(a=extend_side(segment.a, a), b=extend_side(segment.b, b))


def _list_new_ports(move: EndMove, longer: dict[RunKey, tuple[int, ...]]) -> Iterator[tuple[int, int]]:
    """(link, port) of each link of a moved end: links of a breakout keep their order in the connector."""
    end, side, position = move.end, move.end.side, move.spot
    if isinstance(side, PortRun):
        assert isinstance(position.cage, int)  # noqa: S101 - cages of switches are numbered
        cages = longer.get(_make_run_key(end, side), side.cages)
        first = cages.index(position.cage) * side.ways + position.connector * side.per_connector
        yield from ((row, first + port % side.per_connector) for row, port in zip(end.rows, end.ports, strict=True))
    elif isinstance(side, Attachment):
        old, new = _list_legs(side, end.cage, end.connector), _list_legs(side, str(position.cage), position.connector)
        yield from ((row, new[old.index(port)]) for row, port in zip(end.rows, end.ports, strict=True))
    else:
        yield from zip(end.rows, end.ports, strict=True)


def _list_legs(side: Attachment, cage: str, connector: int) -> list[int]:
    return [i for i, leg in enumerate(side.legs) if (leg.cage, leg.connector) == (cage, connector)]
