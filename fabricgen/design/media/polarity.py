"""Fibre polarity: connector positions traced through jumpers, adapters and trunks.

Polarity types are those of ANSI/TIA-568.3, as the catalogue's trunks and panels state them. Two transceivers of one
kind face each other, each transmitting where the other transmits: a signal must arrive at the mirror image of the
position it left, as over a single cord of type B. So of the straight and reversed pieces an odd number has to reverse.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fabricgen.catalog.patch_models import Adapter, PanelProfile, Polarity, TrunkProfile

Swap = Callable[[int], int]
"""Maps a position at one end of a fibre to the position at its other end, both from 1."""


def fibre_map(kind: Polarity, width: int) -> Swap:
    """The position map of a jumper or trunk of a polarity type whose connectors have `width` positions."""
    if kind == "A":
        return lambda position: position
    if kind == "B":
        return lambda position: width + 1 - position
    return lambda position: position + 1 if position % 2 else position - 1


def adapter_map(kind: Adapter, width: int) -> Swap:
    """The position map of two mated connectors: the same position for key up to key down, the mirror image for key up
    to key up.
    """
    return fibre_map("A" if kind == "A" else "B", width)


def width_of(connector: str) -> int:
    """Positions of a multi-fibre connector: 16 in an MPO-16, else 12."""
    return 16 if connector.startswith("MPO-16") else 12


def straight_faults(panel: PanelProfile, trunk: Polarity, jumpers: Sequence[Polarity]) -> str:
    """Why a channel over two such panels joins transmitters to transmitters, in words; "" where it does not.

    Parallel optics have multi-fibre jumpers of the given types; a cassette has duplex jumpers, which cross (A to B).
    """
    width = width_of(panel.rear)
    meet, inside = adapter_map(panel.adapter, width), fibre_map(trunk, width)
    behind: Swap = lambda position: meet(inside(meet(position)))  # noqa: E731 - a composition
    if len(panel.positions) > 1:
        return _duplex_fault(panel, behind)
    first, last = (fibre_map(kind, width) for kind in jumpers)
    for position in panel.positions[0]:
        found, wanted = last(behind(first(position))), width + 1 - position
        if found != wanted:
            return f"a fibre that leaves at position {position} arrives at {found}, where {wanted} listens"
    return ""


def _duplex_fault(panel: PanelProfile, behind: Swap) -> str:
    """The same for cassettes: the signal must come out of the port of the same number, on the other fibre of the pair.

    Two crossing jumpers cancel out, so the fibre between the panels has to cross once more.
    """
    where = {position: (port, side) for port, pair in enumerate(panel.positions) for side, position in enumerate(pair)}
    for port, pair in enumerate(panel.positions):
        for side, position in enumerate(pair):
            found = where.get(behind(position))
            if found is None or found[0] != port:
                other = f"port {found[0] + 1}" if found else "no port"
                return f"what enters port {port + 1} of a cassette comes out at {other} of the other"
            if found[1] == side:
                return f"port {port + 1} of both cassettes joins transmitter to transmitter"
    return ""


def does_not_mate(connector: str, panel: PanelProfile, trunk: TrunkProfile | None) -> str:
    """Why jumpers of a connector, panels and trunks do not plug into each other, in words; "" where they do.

    Transceivers have pins and jumpers have sockets at both ends (NVIDIA LinkX, MMS4X00), so trunks need pins where they
    meet jumpers in adapters. Angled connectors need adapters of type A (ydfiberoptic.com/overview-of-mpo-mtp-adapter).
    """
    if connector != panel.front:
        return f"the transceivers have {connector}, {panel.id} has {panel.front} in front"
    if trunk is None:
        return f"no trunk of the catalogue ends in {panel.rear}"
    if not trunk.pinned and panel.matings == 1:
        return f"jumpers and {trunk.id} both have sockets, no pins"
    if panel.adapter == "B" and "APC" in panel.rear:
        return f"{panel.id} joins key up to key up, where the angles of APC connectors do not meet"
    return ""
