"""Moves of cable ends to other ports of their devices: changed port columns, and runs extended by further cages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fabricgen.as_built.overrides.cage_resolver import CagePosition
from fabricgen.as_built.overrides.ends import CableEnd
from fabricgen.design.fabric_model import Attachment
from fabricgen.design.ports import PortRun
from fabricgen.kernel.diagnostics import Path
from fabricgen.wiring.tables import NODE, LinkTable, Segment, Side, WiringPlan

RunKey = tuple[int, tuple[int, ...], int]
"""(first device row of the class, cages, ports a cage): identifies a run of ports."""


@dataclass(frozen=True, slots=True)
class Move:
    """A cable end that is plugged in elsewhere on its device, and the path of the override."""

    cable: int
    end: CableEnd
    spot: CagePosition
    path: Path


def apply_moves(plan: WiringPlan, moves: Sequence[Move]) -> WiringPlan:
    """The plan with cable ends moved; whether the ports are free is checked elsewhere.

    Links keep their rows and cables. Rail and plane of node links follow the NIC port.
    """
    longer = _longer_runs(moves)
    links = _with_longer_runs(plan, longer)
    links = replace(
        links, a_port=links.a_port.copy(), b_port=links.b_port.copy(), rail=links.rail.copy(), plane=links.plane.copy()
    )
    for move in moves:
        column = links.b_port if move.end.upper else links.a_port
        for row, port in _new_ports(move, longer):
            column[row] = port
            if isinstance(move.end.side, Attachment) and move.end.cls.kind == NODE:
                leg = move.end.side.legs[port]
                links.rail[row], links.plane[row] = leg.rail, leg.plane
    return replace(plan, links=links)


def _key(end: CableEnd, run: PortRun) -> RunKey:
    return end.cls.first, run.cages, run.ways


def _longer_runs(moves: Sequence[Move]) -> dict[RunKey, tuple[int, ...]]:
    """The extended cages of runs that moves leave: their own, then further ones in ascending order."""
    more: dict[RunKey, set[int]] = {}
    for move in moves:
        run, cage = move.end.side, move.spot.cage
        if isinstance(run, PortRun) and isinstance(cage, int) and cage not in run.cages:
            more.setdefault(_key(move.end, run), set()).add(cage)
    return {key: (*key[1], *sorted(cages)) for key, cages in more.items()}


def _with_longer_runs(plan: WiringPlan, longer: dict[RunKey, tuple[int, ...]]) -> LinkTable:
    """The link table with extended runs; all segments of a run change, so that port numbers stay consistent."""
    if not longer:
        return plan.links
    segments = tuple(_lengthened(plan, i, segment, longer) for i, segment in enumerate(plan.links.segments))
    return replace(plan.links, segments=segments)


def _lengthened(plan: WiringPlan, number: int, segment: Segment, longer: dict[RunKey, tuple[int, ...]]) -> Segment:
    links, devices = plan.links, plan.devices
    rows = links.rows_of(number)
    if rows.start == rows.stop:
        return segment

    def side_of(side: Side, device: int) -> Side:
        if not isinstance(side, PortRun):
            return side
        first = devices.classes[devices.device_class[device]].first
        return replace(side, cages=longer.get((first, side.cages, side.ways), side.cages))

    a, b = int(links.a_device[rows.start]), int(links.b_device[rows.start])
    return replace(segment, a=side_of(segment.a, a), b=side_of(segment.b, b))


def _new_ports(move: Move, longer: dict[RunKey, tuple[int, ...]]) -> Iterator[tuple[int, int]]:
    """(link, port) of each link of a moved end: links of a breakout keep their order in the connector."""
    end, side, spot = move.end, move.end.side, move.spot
    if isinstance(side, PortRun):
        assert isinstance(spot.cage, int)  # noqa: S101 - cages of switches are numbered
        cages = longer.get(_key(end, side), side.cages)
        first = cages.index(spot.cage) * side.ways + spot.connector * side.per_connector
        yield from ((row, first + port % side.per_connector) for row, port in zip(end.rows, end.ports, strict=True))
    elif isinstance(side, Attachment):
        old, new = _legs(side, end.cage, end.connector), _legs(side, str(spot.cage), spot.connector)
        yield from ((row, new[old.index(port)]) for row, port in zip(end.rows, end.ports, strict=True))


def _legs(side: Attachment, cage: str, connector: int) -> list[int]:
    return [i for i, leg in enumerate(side.legs) if (leg.cage, leg.connector) == (cage, connector)]
