"""What stands on the order sheet: single pieces, and switches by the part numbers of their variants."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from fabricgen.bom.bill import Bill, Line, single_pieces
from fabricgen.bom.need import COLUMNS, Needs
from fabricgen.bom.remarks import remarks
from fabricgen.bom.variants import variant_of_class, variants_of
from fabricgen.cluster import Cluster
from fabricgen.wiring.tables import Ints

UNNUMBERED = "no part number is published for this form with this NOS: order it by its description"


def order_lines(bill: Bill) -> tuple[Line, ...]:
    """The single pieces to order, switches by part number where that is published; spares as the commonest variant.

    Power cords whose length the blueprint does not state say so, and remarks say what else to know of a part.
    """
    known = remarks(bill)
    lines = (replace(line, remark=known.get(line.part, "")) for line in single_pieces(bill.lines))
    return tuple(part for line in lines for part in _split(bill.cluster, line))


def models_of_numbers(cluster: Cluster, lines: Iterable[Line]) -> dict[str, str]:
    """Part number of a variant -> the model, as the bill has it."""
    numbers: dict[str, str] = {}
    for line in lines:
        if line.kind == "switch":
            numbers |= {v.part_number: line.part for v in variants_of(cluster, line.part) if v.part_number}
    return numbers


def needs_of_number(cluster: Cluster, needs: Needs, number: str) -> Needs:
    """Those needs of a model that are of the variant of a part number."""
    classes = cluster.plan.devices.classes
    variants = [variant_of_class(cluster, cls) for cls in classes]
    wanted = np.array([v is not None and v.part_number == number for v in variants], dtype=bool)
    rows = np.flatnonzero(wanted[cluster.plan.devices.device_class[needs.device]])
    part: Ints = np.zeros(len(rows), dtype=np.int32)
    return Needs((replace(needs.parts[0], part=number),), part, *(getattr(needs, name)[rows] for name in COLUMNS))


def _split(cluster: Cluster, line: Line) -> Sequence[Line]:
    """A line of switches as one for each variant."""
    if line.kind != "switch":
        return (line,)
    counts = variants_of(cluster, line.part)
    unnumbered = replace(line, remark="; ".join(filter(None, (line.remark, UNNUMBERED))))
    if not any(variant.part_number for variant in counts):
        return (unnumbered if any(variant.text for variant in counts) else line,)
    most = max(counts, key=lambda variant: counts[variant])
    name = line.description.split(" (")[0]
    return [
        replace(
            line,
            part=variant.part_number or line.part,
            description=f"{name}, {variant.text}" if variant.text else name,
            quantity=count,
            remark=line.remark if variant.part_number else unnumbered.remark,
            spares=line.spares if variant == most else 0,
        )
        for variant, count in counts.items()
    ]
