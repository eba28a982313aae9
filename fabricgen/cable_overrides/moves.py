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
    position: CagePosition
    path: Path


def apply_moves(plan: WiringPlan, moves: Sequence[EndMove]) -> WiringPlan:
    """Return the plan with cable ends moved; whether the ports are free is checked elsewhere.

    Links keep their rows and cables. Rail and plane of a link follow its lower end: the NIC port, or the lower switch.
    """
    extended_cages = _extend_runs(moves)
    links = _extend_segments(plan, extended_cages)
    changed = ("a_device", "a_port", "b_device", "b_port", "rail", "plane")
    links = replace(links, **{name: getattr(links, name).copy() for name in changed})
    for move in moves:
        device, column = (links.b_device, links.b_port) if move.end.upper else (links.a_device, links.a_port)
        for row, port in _list_new_ports(move, extended_cages):
            device[row], column[row] = move.position.device, port
            if isinstance(move.end.side, Attachment) and move.end.cls.kind == NODE:
                leg = move.end.side.legs[port]
                links.rail[row], links.plane[row] = leg.rail, leg.plane
            elif not move.end.upper and move.position.device != move.end.device:
                _follow_switch(plan.devices.rail, links.rail, row, move)
                _follow_switch(plan.devices.plane, links.plane, row, move)
    return plan._replace(links=links)


def _follow_switch(of_device: Ints, of_link: Ints, row: int, move: EndMove) -> None:
    """Set the rail (or plane) of a link to that of the switch it is on now, if it was that of its planned lower
    switch.
    """
    old, new = int(of_device[move.end.device]), int(of_device[move.position.device])
    # rails count from 0 on devices and from 1 on links; -1 stands for a device of several rails
    if old >= 0 and of_link[row] == old + 1:
        of_link[row] = new + 1


def list_relocations(moves: Sequence[EndMove]) -> list[Relocation]:
    """Return the links whose end is on another device than planned."""
    return [
        Relocation(row, move.end.upper, move.end.device, move.position.device, move.path)
        for move in moves
        if move.position.device != move.end.device
        for row in move.end.rows
    ]


def _make_run_key(end: CableEnd, run: PortRun) -> RunKey:
    return end.cls.first, run.cages, run.ways


def _extend_runs(moves: Sequence[EndMove]) -> dict[RunKey, tuple[int, ...]]:
    """Return the cages of each run from which a move leads to a cage outside the run: those of the run, then the
    further ones, ascending.
    """
    added: dict[RunKey, set[int]] = {}
    for move in moves:
        run, cage = move.end.side, move.position.cage
        if isinstance(run, PortRun) and isinstance(cage, int) and cage not in run.cages:
            added.setdefault(_make_run_key(move.end, run), set()).add(cage)
    return {key: (*key[1], *sorted(cages)) for key, cages in added.items()}


def _extend_segments(plan: WiringPlan, extended_cages: dict[RunKey, tuple[int, ...]]) -> LinkTable:
    """Return the link table with the cages of `extended_cages` in its runs of ports.

    All segments with such a run change, so that a port has one number in all of them.
    """
    if not extended_cages:
        return plan.links
    segments = tuple(_extend_segment(plan, i, segment, extended_cages) for i, segment in enumerate(plan.links.segments))
    return replace(plan.links, segments=segments)


def _extend_segment(
    plan: WiringPlan, number: int, segment: Segment, extended_cages: dict[RunKey, tuple[int, ...]]
) -> Segment:
    """Return a segment whose runs include the further cages that moved ends are in."""
    links, devices = plan.links, plan.devices
    rows = links.find_rows(number)
    if rows.start == rows.stop:
        return segment

    def extend_side(side: Side, device: int) -> Side:
        # a run of ports of the device's class, with the further cages that moved ends need
        if not isinstance(side, PortRun):
            return side
        first = devices.classes[devices.device_class[device]].first
        return replace(side, cages=extended_cages.get((first, side.cages, side.ways), side.cages))

    a, b = int(links.a_device[rows.start]), int(links.b_device[rows.start])
    return segment._replace(a=extend_side(segment.a, a), b=extend_side(segment.b, b))


def _list_new_ports(move: EndMove, extended_cages: dict[RunKey, tuple[int, ...]]) -> Iterator[tuple[int, int]]:
    """Yield (link, port) of each link of a moved end: links of a breakout keep their order in the connector."""
    end, side, position = move.end, move.end.side, move.position
    if isinstance(side, PortRun):
        assert isinstance(position.cage, int)  # noqa: S101 - cages of switches are numbered
        cages = extended_cages.get(_make_run_key(end, side), side.cages)
        first_port = cages.index(position.cage) * side.ways + position.connector * side.links_per_connector
        yield from (
            (row, first_port + port % side.links_per_connector) for row, port in zip(end.rows, end.ports, strict=True)
        )
    elif isinstance(side, Attachment):
        old_legs, new_legs = (
            _list_legs(side, end.cage, end.connector),
            _list_legs(side, str(position.cage), position.connector),
        )
        yield from ((row, new_legs[old_legs.index(port)]) for row, port in zip(end.rows, end.ports, strict=True))
    else:
        yield from zip(end.rows, end.ports, strict=True)


def _list_legs(side: Attachment, cage: str, connector: int) -> list[int]:
    """Return the numbers of the legs in a connector of a cage."""
    return [i for i, leg in enumerate(side.legs) if (leg.cage, leg.connector) == (cage, connector)]
