"""Structured cabling as columns: panels, trunks, and the front ports that cables use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fabricgen.design.media.patching import PatchPolicy
from fabricgen.wiring.arrays import Floats, Ints

AT_FAR_END, AT_COMMON_END, NOWHERE, IN_SHUFFLE = range(4)
"""Where the splitter of a breakout is: at the far end of the trunk if all far ends are in one place, else at the common
end; nowhere if each leg fills connectors of its own and is a straight channel; in a fibre shuffle, between two straight
jumpers. Straight cables count as the first.
"""


@dataclass(frozen=True, slots=True)
class PanelTable:
    """Patch panels, int32 columns of one length: policy, kind of fibre, place, rack, lowest rack unit, and number.

    `fibre` indexes design.media.patching.FIBRES. `number` is that of the panel among those of its policy, fibre and
    place, from 0, slots kept for growth included.
    """

    policy: Ints
    fibre: Ints
    place: Ints
    rack: Ints
    u: Ints
    number: Ints

    def __len__(self) -> int:
        return len(self.policy)


@dataclass(frozen=True, slots=True)
class TrunkTable:
    """Trunks, columns of one length; `a` is the end at the place with the lower number.

    `number` counts from 0 among those of a policy and fibre between the same places. `a_panel` and `b_panel` are rows
    of the panel table, `a_port` and `b_port` the first front port, from 0, that each serves there. `used` counts front
    ports, `length_m` is as stocked, `run_m` as measured.
    """

    policy: Ints
    fibre: Ints
    number: Ints
    a_panel: Ints
    a_port: Ints
    b_panel: Ints
    b_port: Ints
    used: Ints
    length_m: Floats
    run_m: Floats

    def __len__(self) -> int:
        return len(self.policy)


@dataclass(frozen=True, slots=True)
class PatchTable:
    """Front ports that cables take, a row for each cable end row and connector; int32 columns of one length.

    `row` is a row of cable ends; far ends of a splitter share a port. `port` counts, from 0, the front ports of the
    trunk; `flipped` where the cable's a end is at the trunk's b end; `lanes` are those of the connector.
    """

    row: Ints
    trunk: Ints
    port: Ints
    flipped: Ints
    lanes: Ints

    def __len__(self) -> int:
        return len(self.row)


@dataclass(frozen=True, slots=True)
class ShuffleTable:
    """Fibre pairs that pass a shuffle, a row for each cable end row; int32 columns of one length.

    `row` is a row of cable ends, `panel` one of panels. `shuffle` is the number of the shuffle in its housing, from 0;
    `port_in` and `port_out` are ports of the shuffle, from 0. A port in spreads its pairs over all ports out: pair
    number `port_out` of `port_in` is pair number `port_in` of `port_out`.
    """

    row: Ints
    panel: Ints
    shuffle: Ints
    port_in: Ints
    port_out: Ints

    def __len__(self) -> int:
        return len(self.row)


class Patching(NamedTuple):
    """The structured cabling of a cluster; `places` are the names of the racks or rows that trunks connect.

    Per cable: its policy (-1 for direct ones), the stocked and measured lengths of its jumpers, m, and where a breakout
    splits.
    """

    policies: tuple[PatchPolicy, ...]
    places: tuple[str, ...]
    policy: Ints
    a_jumper_m: Floats
    b_jumper_m: Floats
    a_run_m: Floats
    b_run_m: Floats
    split: Ints
    panels: PanelTable
    trunks: TrunkTable
    patches: PatchTable
    shuffles: ShuffleTable
