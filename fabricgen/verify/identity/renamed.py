"""Interfaces that hosts call by names of their own (ens6np0, mlx5_4): which planned port each is.

All hosts of a model name their interfaces alike, so that most cables tell: the planned port is the one that the plan
joins with the port where the interface is seen. One host alone proves nothing.
"""

from __future__ import annotations

import numpy as np

from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.identity.ends import ends_of, texts_of
from fabricgen.verify.identity.identities import Identities
from fabricgen.verify.ports.numbers import UNKNOWN, is_mac
from fabricgen.verify.sightings import Sightings

LEAST = 2
"""Devices that have to agree."""


def infer_names(cabling: PlannedCabling, sightings: Sightings, identities: Identities) -> list[str]:
    """Find the planned names of unknown interfaces, put them into the ports of `identities`, and say so in notes."""
    ends, said = ends_of(sightings, identities), texts_of(sightings, identities)
    ports, names, texts = identities.ports, max(len(cabling.port_texts), 1), said.texts
    parts = []
    for port, device, other, text in (
        (ends.own, ends.own_device, ends.far, said.own),
        (ends.far, ends.far_device, ends.own, np.where(said.told > 0, said.told, said.described)),
    ):
        rows = np.flatnonzero((port == UNKNOWN) & (device >= 0) & (other >= 0) & (text > 0))
        planned = other[rows] ^ 1
        right = cabling.device[planned] == device[rows]
        parts.append((other[rows][right], text[rows][right], planned[right], device[rows][right]))
    other, text, planned, device = (np.concatenate(column) for column in zip(*parts, strict=True))
    if not len(other):
        return []
    _, first = np.unique(other.astype(np.int64) * len(texts) + text, return_index=True)
    text, planned, device = text[first].astype(np.int64), planned[first], device[first]
    kind = ports.kind[device].astype(np.int64)
    keys, counts = np.unique((kind * len(texts) + text) * names + cabling.name[planned], return_counts=True)
    notes = []
    taken: set[tuple[int, int]] = set()
    subjects, totals = keys // names, dict[int, int]()
    for subject, count in zip(subjects.tolist(), counts.tolist(), strict=True):
        totals[subject] = totals.get(subject, 0) + count
    for i in np.argsort(-counts, kind="stable").tolist():
        subject, name, count = int(subjects[i]), int(keys[i] % names), int(counts[i])
        of_kind, said_text = divmod(subject, len(texts))
        if count < LEAST or 2 * count <= totals[subject] or (of_kind, name) in taken or is_mac(texts[said_text]):
            continue
        taken.add((of_kind, name))
        own = str(cabling.port_texts[name])
        ports.renamed[of_kind, texts[said_text]] = own
        model = cabling.of_device("model", int(device[kind == of_kind][0]))
        notes.append(
            f"port {texts[said_text]} of {model} is taken for {own}: "
            f"{count:,} of {totals[subject]:,} devices that have it are joined so"
        )
    return sorted(notes)
