"""Both ends of every sighting as numbers: devices of the plan and their ports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.verify.port_numbers import UNKNOWN, PortNumbers
from fabricgen.verify.sightings import Sightings
from fabricgen.wiring.tables import Ints

if TYPE_CHECKING:
    from fabricgen.verify.sightings import Bytes


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


# Which device of the plan each box is, and how that is known.


class How(IntEnum):
    """How a box was matched with a device, from the surest; WEAK is inferred from a single port."""

    NAME, ADDRESS, CHASSIS, FILE, INFERRED, WEAK, UNKNOWN = range(7)


@dataclass(frozen=True)
class Identities:
    """Devices of boxes. Columns, one entry a box of Sightings:

    - `device`, int32: the row of the device, -1 for none.
    - `how`, uint8: of `How`.
    - `port`, int32: the planned port that the box is itself, as an adapter of InfiniBand whose GUID is known; else -1.
    - `hardware`, int32: the row of the device whose MAC or GUID it has, by the inventory or the plan; -1: not known.
    - `adapter`, int32: index into `adapters`, the names of adapters in node descriptions (`mlx5_0`), of which the first
      is "".

    `ports` finds the ports of devices. `notes` say in sentences what was inferred and what could not be matched.
    """

    device: Ints
    how: Bytes
    port: Ints
    hardware: Ints
    adapter: Ints
    adapters: tuple[str, ...]
    ports: PortNumbers
    notes: tuple[str, ...] = ()
