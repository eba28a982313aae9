"""What stands on the order sheet: single pieces, and switches by the part numbers of their variants."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from fabricgen.bom.bill import Bill, Line, single_pieces
from fabricgen.bom.need import COLUMNS, Needs
from fabricgen.bom.remarks import remarks
from fabricgen.bom.sources.devices import with_racks
from fabricgen.bom.variants import switches_of, variants_of
from fabricgen.catalog.models import Variant
from fabricgen.cluster import Cluster
from fabricgen.wiring.tables import Ints

UNNUMBERED = "no part number is published for this form with this NOS: order it by its description"
_DC_UNNUMBERED = "no part number is published for the DC form: order it by its description"


def order_lines(bill: Bill) -> tuple[Line, ...]:
    """The single pieces to order, switches by part number where that is published; spares as the commonest variant.

    Power cords whose length the blueprint does not state say so, and remarks say what else to know of a part.
    """
    known, included = remarks(bill), with_racks(bill.cluster)
    lines = (replace(line, remark=known.get(line.part, "")) for line in single_pieces(bill.lines))
    return tuple(part for line in lines for part in ([line] if line.part in included else _split(bill.cluster, line)))


def models_of_numbers(cluster: Cluster, lines: Iterable[Line]) -> dict[str, str]:
    """Name of a variant on the order sheet -> the model, as the bill has it."""
    found: dict[str, str] = {}
    for line in lines:
        if line.kind == "switch":
            found |= {ordered_as(v, line.part): line.part for v in variants_of(cluster, line.part)}
    return {name: model for name, model in found.items() if name != model}


def ordered_as(variant: Variant, model: str) -> str:
    """The part number of a variant; where none is published, the model, with `-dc` for the form on a busbar."""
    return variant.part_number or (f"{model}-dc" if variant.supply == "dc" else model)


def needs_of_number(cluster: Cluster, needs: Needs, number: str) -> Needs:
    """Those needs of a model that are of the variant of a name on the order sheet."""
    model = needs.parts[0].part
    wanted = np.zeros(len(cluster.plan.devices), dtype=bool)
    for variant, switches in switches_of(cluster, model):
        wanted[switches] = ordered_as(variant, model) == number
    rows = np.flatnonzero(wanted[needs.device])
    part: Ints = np.zeros(len(rows), dtype=np.int32)
    return Needs((replace(needs.parts[0], part=number),), part, *(getattr(needs, name)[rows] for name in COLUMNS))


def _split(cluster: Cluster, line: Line) -> Sequence[Line]:
    """A line of switches as one for each variant."""
    if line.kind != "switch":
        return (line,)
    counts = variants_of(cluster, line.part)
    unnumbered = replace(line, remark=_also(line.remark, UNNUMBERED))
    if all(ordered_as(variant, line.part) == line.part for variant in counts):
        return (unnumbered if any(variant.text for variant in counts) else line,)
    most = max(counts, key=lambda variant: counts[variant])
    name = line.description.split(" (")[0]
    return [
        replace(
            line,
            part=ordered_as(variant, line.part),
            description=f"{name}, {variant.text}" if variant.text else name,
            quantity=count,
            remark=_remark(line.remark, variant),
            spares=line.spares if variant == most else 0,
        )
        for variant, count in counts.items()
    ]


def _remark(of_model: str, variant: Variant) -> str:
    if variant.part_number:
        return of_model
    return _also(of_model, _DC_UNNUMBERED if variant.supply == "dc" else UNNUMBERED)


def _also(remark: str, more: str) -> str:
    return "; ".join(filter(None, (remark, more)))
