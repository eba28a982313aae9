"""Which device of the plan each box is, and how that is known."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from fabricgen.verify.ports.numbers import PortNumbers
from fabricgen.wiring.tables import Ints

if TYPE_CHECKING:
    from fabricgen.verify.sightings import Bytes


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
