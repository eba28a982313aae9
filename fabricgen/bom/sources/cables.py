"""Cables and fibres: one for each cable however many far ends it has, and every jumper of a patched one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fabricgen.bom.cables import CableParts
from fabricgen.bom.need import Needs, OrderedPart, join_needs, make_needs
from fabricgen.bom.optics import find_end_powers
from fabricgen.bom.sets import JOINT
from fabricgen.cluster import Cluster
from fabricgen.wiring.arrays import Floats, Ints64, unique_combinations


def needs(cluster: Cluster, cables: CableParts) -> Needs:
    """Return one piece for each part that a cable consists of: most cables are one part."""
    names, descriptions = cables.parts
    indexes = {name: i for i, name in enumerate(dict.fromkeys(names.vocabulary.tolist()))}
    number = np.array([indexes[name] for name in names.vocabulary.tolist()], dtype=np.int32)
    row, code = unique_combinations(number[names.codes])
    # NaN, which is not equal to itself, is no figure
    power = [None if watts != watts else watts for watts in _sum_powers_w(cluster, cables)[row].tolist()]
    parts_by_kind = [
        [OrderedPart(part, text, "cable", watts) for part, text in _split_pieces(names[cable], descriptions[cable])]
        for cable, watts in zip(row.tolist(), power, strict=True)
    ]
    most_parts = max(map(len, parts_by_kind), default=0)
    needs = [_need_nth_parts(parts_by_kind, nth, code) for nth in range(most_parts)]
    return join_needs([_place_jumpers(cluster, cables, nth, nth_parts) for nth, nth_parts in enumerate(needs)])


def _split_pieces(name: str, description: str) -> list[tuple[str, str]]:
    """Return (part, description) of each part of a cable, whose names and descriptions are joined by `JOINT`.

    If there is one description for several parts, each part has it.
    """
    names, texts = name.split(JOINT), description.split(JOINT)
    return list(zip(names, texts if len(texts) == len(names) else [description] * len(names), strict=True))


def _need_nth_parts(parts_by_kind: list[list[OrderedPart]], nth: int, code: Ints64) -> Needs:
    """Return the needs for the n-th part of every cable that has more than `nth` parts; `nth` counts from 0.

    `code` is the kind of each cable, an index into `parts_by_kind`, which has the parts of each kind.
    """
    has = np.array([len(parts) > nth for parts in parts_by_kind], dtype=bool)
    # number of each kind among those that have an n-th part
    index = np.cumsum(has) - 1
    rows = np.flatnonzero(has[code]).astype(np.int32)
    return make_needs([parts[nth] for parts in parts_by_kind if len(parts) > nth], index[code[rows]], cable=rows)


def _place_jumpers(cluster: Cluster, cables: CableParts, nth: int, needs: Needs) -> Needs:
    """Return the same needs, but those of patched cables with the device that their n-th jumper plugs into.

    `needs` are those for the n-th part (`nth`, from 0) of cables. The first jumpers of a cable are at its a end.
    """
    channels, patching = cables.channels, cluster.plan.patching
    if channels is None or patching is None:
        return needs
    at_a = np.array([len(a) for a, _ in channels.kinds])[channels.kind] > nth
    links, table = cluster.plan.links, cluster.plan.cables
    link = table.end_link[table.find_first_rows()[channels.cable]]
    device = np.full(len(table), -1, dtype=np.int32)
    device[channels.cable] = np.where(at_a, links.a_device[link], links.b_device[link])
    return replace(needs, device=device[needs.cable])


def _sum_powers_w(cluster: Cluster, cables: CableParts) -> Floats:
    """Return the power of the attached ends of each cable, W, float64; NaN if the figure of an end is not known.

    A cable that takes transceivers, which are parts of their own, has 0.
    """
    ends = find_end_powers(cluster, cables)
    return np.bincount(ends.cable, weights=ends.power_w, minlength=len(cluster.plan.cables)).astype(np.float64)
