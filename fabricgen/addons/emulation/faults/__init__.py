"""What goes wrong in a hall. These twenty were named before anybody looked at how `verify` searches:

| fault | what happened |
|---|---|
| swap_at_leaf | two plugs of a leaf are in each other's socket |
| swap_at_node | two plugs of a node are in each other's socket |
| swap_across_racks | two plugs of two switches of a tier, as spines in two racks, are in each other's socket |
| jumper_in_another_cage | one jumper of a pair and one of another cage are exchanged |
| jumpers_crossed | both jumpers of a cage are exchanged |
| plug_in_free_cage | a plug, half a module or both its jumpers, is in a cage that should be free |
| ring | three to six plugs of a device went round |
| block_shifted | neighbouring cages of a device are displaced, into free cages or round the block |
| first_jumpers_shifted | the first jumpers of up to eight neighbouring cages went on by a cage |
| uplinks_low | all uplinks of a leaf are the same number of cages too low |
| legs_crossed | two legs of a node are on each other's rail or plane, crossed at the node |
| rail_groups_exchanged | the NICs of a node are plugged 1<->2, 3<->4, 5<->6, 7<->8 |
| boxes_exchanged | two boxes are racked in each other's place, each with its name |
| names_exchanged | two boxes were provisioned with each other's name |
| tails_permuted | the tails of a splitter are in the wrong order |
| splitter_in_another_cage | the common ends of two splitters are exchanged |
| trunk_crossed | two connectors of a trunk are exchanged behind a panel |
| cable_unplugged | a plug hangs loose, at one end or both |
| cable_dark | a cord carries no light: one of a cage, both, or a batch of wrong polarity (all uplinks of a leaf) |
| device_off | a leaf or a node has no power |

A fault is a function of a hall and a random generator. It changes the hall and returns what was laid in, or None if the
hall has nothing that it could happen to (no splitter, no panel, no free cage). Faults may meet in a device or a socket,
but nothing dark is moved or at an exchanged box, because no dump could tell where it belongs.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from fabricgen.addons.emulation.faults import boxes, moves, ranges
from fabricgen.addons.emulation.faults.laid import Laid
from fabricgen.addons.emulation.model import Hall

# faults are drawn from this order: another one would give other faults for a seed
FAULTS: dict[str, Callable[[Hall, Random], Laid | None]] = {
    fault.__name__: fault for fault in (*moves.FAULTS, *ranges.FAULTS, *moves.SPLITTER_FAULTS, *boxes.FAULTS)
}
