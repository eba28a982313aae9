"""The design that the maker of a node publishes for it, at the size that is asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from fabricgen.size.candidates import Work, judge_until_clean, size_shapes
from fabricgen.size.front import Candidate
from fabricgen.size.hardware import Hardware, Shape
from fabricgen.size.shapes import count_most_nodes, list_shapes
from fabricgen.size.wishes import Wishes


def find_reference(work: Work, jobs: int) -> Candidate | None:
    """The maker's design for the nodes of a search, wired and linted, whatever else is wished for.

    But for the racks of nodes, their growth, and ports that are kept free, which it has as they are wished for.

    None where none is published, or what is published does not carry so many nodes. Where its unit is not published,
    it is the one with fewest switches.
    """
    design = work.hardware.node.reference
    if design is None or design.switch not in work.hardware.catalog.ids("switches"):
        return None
    wishes = work.hardware.wishes
    kept = {key: getattr(wishes, key) for key in ("gpus", "node", "growth_to", "spare_ports", "nodes_per_rack")}
    published = {"switch": design.switch, "planes": design.planes, "unit_size": [design.unit] if design.unit else []}
    free_wishes = Wishes.model_validate({**kept, **published, "tiers": (2, 3), "attach": "rail"})
    free = Hardware(free_wishes, work.hardware.catalog)
    shapes = [shape for shape in list_shapes(free, work.nodes) if _is_published(shape, design.pod, free, work.nodes)]
    fewest_tiers = [shape for shape in shapes if shape.tiers == shapes[0].tiers]
    designed = size_shapes(fewest_tiers, replace(work, hardware=free), jobs, Counter())
    built = [candidate for candidate in designed if not candidate.shape.ready]
    ordered = sorted(built, key=lambda one: (one.figures.on("switches"), one.figures.optics, one.name))
    return judge_until_clean(ordered, replace(work, hardware=free))


def _is_published(shape: Shape, pod: int | None, hardware: Hardware, nodes: int) -> bool:
    """Whether a shape is that of the maker: rails meet in spines, pods have the units that are published."""
    pods_fit = shape.tiers == 2 or pod in (None, shape.pod)
    return shape.meet == "spine" and pods_fit and count_most_nodes(shape, hardware) >= nodes


def put_reference(candidates: Sequence[Candidate], reference: Candidate) -> list[Candidate]:
    """The candidates with the maker's design in place of the one that it is, or has the same figures as.

    What is not wished for, such as a switch that is not named, is none of them, and only compared with them.
    """
    merged = []
    for candidate in candidates:
        shapes = (candidate.shape, *candidate.alike)
        is_reference = reference.shape in shapes
        alike = tuple(shape for shape in shapes if shape != reference.shape)
        merged.append(replace(reference, alike=alike) if is_reference else candidate)
    return merged
