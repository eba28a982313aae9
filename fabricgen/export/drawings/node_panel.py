"""The side of a node that has its cages: one drawing for each model, with what labels say and which cables they take.

Where cages are is published of few models in words, and never to scale: cages are drawn in blocks that say where they
are, with an unbroken edge, or else by role and name, with a dashed one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fabricgen.catalog.models import NodeProfile
from fabricgen.export.drawings.node_ports import CageBlock, NodeCage, NodePorts, Socket
from fabricgen.export.drawings.port_layout import PAGE_WIDTH
from fabricgen.export.drawings.svg import box, drawing, label, path, rect, width_of
from fabricgen.export.palette import LIGHT

_SIZE, _SMALL, _NAME = 2.4, 2.1, 2.9
"""Text sizes, mm: 6.8, 6 and 8.2 points."""

_LINE, _PAD, _GAP = 3.8, 1.2, 4.0
_HEAD_LINE, _BLOCK_HEAD = 4.6, 5.0
_NARROWEST = 17.0
"""The least width of a cage, mm; an OSFP cage is 22.6 mm wide."""

_MOST_TAGS = 4
"""Tags of one socket that are told; where nodes differ in more, the number of the others."""


def node_panel(ports: NodePorts, *, alone: bool = False) -> str:
    """A model of node as SVG, of at most the width of a page; `alone` makes it a complete file."""
    body: list[str] = []
    head = _head(ports)
    x, y, high = 0.3, 3.2 + _HEAD_LINE * len(head), 0.0
    for block in (*ports.blocks, *_supplies(ports.profile)):
        width, height = _size(block)
        if x > 1 and x + width > PAGE_WIDTH - 1:
            x, y, high = 0.3, y + high + _GAP, 0.0
        body += _block(block, x, y, (width, height))
        x, high = x + width + _GAP, max(high, height)
    title = f"Ports of {ports.profile.id}"
    return drawing(PAGE_WIDTH, y + high + 1, "".join([*head, *body]), title=title, alone=alone)


def _head(ports: NodePorts) -> list[str]:
    profile = ports.profile
    maker = f"{profile.vendor} " if profile.vendor and not profile.name.startswith(profile.vendor) else ""
    many = "1 of it" if ports.count == 1 else f"{ports.count} of them"
    lines = (f"{profile.id}: {maker}{profile.name}, {profile.rack_units} U, {many}", *_known(profile))
    sizes = (3.8, 2.6, 2.3)
    return [
        label(0.5, 2.6 + _HEAD_LINE * i, text, size, "b" if i == 0 else "" if i == 1 else "g", PAGE_WIDTH - 2)
        for i, (text, size) in enumerate(zip(lines, sizes, strict=False))
    ]


def _known(profile: NodeProfile) -> tuple[str, ...]:
    """What is known of where its cages are, and the source."""
    if profile.panel is None:
        return (
            "The catalogue has neither side nor places of its ports: blocks are roles, cages in the order of names",
        )
    blocks = "blocks with an unbroken edge as published" if profile.panel.groups else "places are not published"
    text = f"Ports at the {profile.panel.side}, seen from there; {blocks}, dashed ones by role, in the order of names"
    return text, profile.panel.source


def _supplies(profile: NodeProfile) -> tuple[CageBlock, ...]:
    """The inlets of the power supplies, if the catalogue has any."""
    if profile.psu is None:
        return ()
    inlets = tuple(NodeCage(f"PSU {i + 1}", profile.psu.inlet or "", None) for i in range(profile.psu.count))
    return (CageBlock("power supplies", False, inlets),)


def _widths(block: CageBlock) -> list[float]:
    return [max(_NARROWEST, max(width_of(*line) for line in _lines(cage)) + 2) for cage in block.cages]


def _lines(cage: NodeCage) -> Iterable[tuple[str, float]]:
    """(text, its size) of the lines of a cage."""
    yield cage.name, _NAME
    yield cage.form_factor, _SMALL
    yield from ((f"{socket.label} {_tags(socket)}", _SIZE) for socket in cage.sockets or ())


def _per_row(widths: Sequence[float]) -> int:
    return max(1, int((PAGE_WIDTH - 2 - 2 * _PAD) / max(widths)))


def _size(block: CageBlock) -> tuple[float, float]:
    """(width, height) of a block, mm; long ones have several rows."""
    widths = _widths(block)
    across = _per_row(widths)
    wide = max(sum(widths[at : at + across]) for at in range(0, len(widths), across))
    rows = -(-len(widths) // across)
    return max(wide, width_of(_heading(block), _SIZE)) + 2 * _PAD, _BLOCK_HEAD + rows * _tall(block) + _PAD


def _tall(block: CageBlock) -> float:
    return 9 + _LINE * max(1, *(len(cage.sockets or ()) for cage in block.cages)) + 1


def _heading(block: CageBlock) -> str:
    return block.where if block.published else f"{block.where}: place not published"


def _block(block: CageBlock, x: float, y: float, size: tuple[float, float]) -> list[str]:
    """A block of cages with its upper left corner at (x, y)."""
    found = [path([box(x, y, *size)], "l" if block.published else "d")]
    found.append(label(x + _PAD, y + _BLOCK_HEAD / 2, _heading(block), _SIZE, "b" if block.published else "g"))
    widths, tall = _widths(block), _tall(block)
    across = _per_row(widths)
    for i, cage in enumerate(block.cages):
        left = x + _PAD + sum(widths[i - i % across : i])
        found += _cage(cage, left, y + _BLOCK_HEAD + i // across * tall, (widths[i], tall))
    return found


def _cage(cage: NodeCage, x: float, y: float, size: tuple[float, float]) -> list[str]:
    """A cage: its name, its form factor, and a band in the colour of the cable for each socket."""
    width, height = size[0] - 1, size[1] - 1
    middle = x + width / 2
    found = [rect(x, y, width, height)]
    found.append(label(middle, y + 2.6, cage.name, _NAME, "m b", width - 1))
    found.append(label(middle, y + 6.4, cage.form_factor, _SMALL, "m g", width - 1))
    for i, socket in enumerate(cage.sockets or ()):
        top, tag = y + 9 + i * _LINE, socket.tags[0]
        alike = len({one.fill for one in socket.tags}) == 1
        found.append(rect(x + 0.4, top, width - 0.8, _LINE - 0.4, tag.fill if alike else "#FFFFFF"))
        ink = " w" if alike and tag.ink == LIGHT else ""
        found.append(
            label(middle, top + _LINE / 2 - 0.2, f"{socket.label} {_tags(socket)}", _SIZE, f"m b{ink}", width - 1)
        )
    if cage.sockets == ():
        found.append(label(middle, y + 9 + _LINE / 2, "spare", _SIZE, "m g"))
    return found


def _tags(socket: Socket) -> str:
    """The tags of a socket's cables: `C3A`, or several where nodes differ."""
    told = [tag.text for tag in socket.tags]
    more = f" +{len(told) - _MOST_TAGS}" if len(told) > _MOST_TAGS else ""
    return " ".join(told[:_MOST_TAGS]) + more
