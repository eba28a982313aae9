"""Both ends of every sighting as numbers: devices of the plan and their ports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fabricgen.verify.identity.identities import Identities
from fabricgen.verify.ports.numbers import UNKNOWN
from fabricgen.verify.sightings import Sightings
from fabricgen.wiring.tables import Ints


class Ends(NamedTuple):
    """One entry a sighting, int32: devices, -1 for none; ports as `PortNumbers.find` returns them."""

    own_device: Ints
    own: Ints
    far_device: Ints
    far: Ints


class OwnTexts(NamedTuple):
    """What each end of a sighting is called: indexes into `texts`, int32. An adapter's port is called as the adapter.

    `told` is the far port as it was told, `described` its description.
    """

    texts: Sequence[str]
    own: Ints
    told: Ints
    described: Ints


def texts_of(sightings: Sightings, identities: Identities) -> OwnTexts:
    """The names of ports, those of adapters put in place of their port's number: `mlx5_4`, or `HCA-1/2`."""
    if len(identities.adapters) == 1:
        return OwnTexts(sightings.texts, sightings.port, sightings.far_port, sightings.far_text)
    known = {text: code for code, text in enumerate(sightings.texts)}
    own = _of_adapters(sightings.owner, sightings.port, sightings.texts, identities, known)
    told = _of_adapters(sightings.neighbor, sightings.far_port, sightings.texts, identities, known)
    return OwnTexts(tuple(known), own, told, sightings.far_text)


def _of_adapters(box: Ints, text: Ints, texts: Sequence[str], identities: Identities, known: dict[str, int]) -> Ints:
    adapter = np.where(box >= 0, identities.adapter[box], 0)
    at = np.flatnonzero(adapter)
    pairs, inverse = np.unique(adapter[at].astype(np.int64) * len(texts) + text[at], return_inverse=True)
    codes = np.empty(len(pairs), dtype=np.int32)
    for i, pair in enumerate(pairs.tolist()):
        name, port = identities.adapters[pair // len(texts)], texts[pair % len(texts)]
        codes[i] = known.setdefault(name if port in ("", "1") else f"{name}/{port}", len(known))
    found = text.copy()
    found[at] = codes[inverse]
    return found


def ends_of(sightings: Sightings, identities: Identities) -> Ends:
    """The ends of all sightings."""
    said, ports = texts_of(sightings, identities), identities.ports
    own_device = identities.device[sightings.owner]
    far_device = np.where(sightings.neighbor >= 0, identities.device[sightings.neighbor], -1)
    own = ports.find(own_device, said.own, said.texts)
    far = ports.find(far_device, said.told, said.texts)
    unsure = np.flatnonzero((far < 0) & (far_device >= 0) & (said.described > 0))
    if len(unsure):
        described = ports.find(far_device[unsure], said.described[unsure], said.texts)
        far[unsure] = np.where((described >= 0) | (far[unsure] == UNKNOWN), described, far[unsure])
    for end, box in ((own, sightings.owner), (far, sightings.neighbor)):
        adapter = np.where(box >= 0, identities.port[box], -1)
        np.copyto(end, adapter, where=adapter >= 0)
    return Ends(own_device, own, far_device, far)
