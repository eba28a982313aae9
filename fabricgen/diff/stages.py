"""The order in which to push the configurations that a change touches, so that the fabric keeps working meanwhile.

A stage has the switches of one tier; upper tiers come before lower ones, so that new prefixes and sessions find a way.
A wave never has both switches of a pair, nor two switches that one node is connected to, nor more than half of the
switches that stand in for each other, nor more than the limit that the user names. Switches that manage others come
last, since the others are reached over them. New switches carry no traffic yet and come first; of these, switches that
manage others come before the others, upper tiers first, so that they can boot by ZTP, whose requests their relays pass
on.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from fabricgen.diff.compare import ClusterChange
from fabricgen.diff.listing import Listing
from fabricgen.kernel.diagnostics import fault

NODE = "node"
"""The tier of nodes and extra devices, which are not switches."""


@dataclass(frozen=True, slots=True)
class PushStage:
    """The switches of a tier in waves: those of a wave are pushed together, and checked before the next wave.

    `what` is the heading of the stage, such as `compute leaf`.
    """

    what: str
    waves: tuple[tuple[str, ...], ...]

    @property
    def devices(self) -> tuple[str, ...]:
        """All switches of the stage."""
        return tuple(device for wave in self.waves for device in wave)


@dataclass(frozen=True, slots=True)
class AtOnce:
    """How many switches may be pushed together: a number, or a share of their tier in percent."""

    count: int = 0
    percent: int = 0

    def compute_limit(self, size: int) -> int:
        """Return the most switches of a tier or group of `size` that may be pushed together, at least one."""
        return max(1, self.count or size * self.percent // 100)


def parse_at_once(text: str) -> AtOnce:
    """Read `8` or `10%`; raises InputError (FG144) for anything else."""
    if not re.fullmatch(r"[1-9]\d{0,5}|(?:[1-9]\d?|100)%", text):
        raise fault("FG144", f"--at-once {text}: a number of switches, 8, or a share of their tier, 10%")
    return AtOnce(percent=int(text[:-1])) if text.endswith("%") else AtOnce(int(text))


@dataclass
class _Wiring:
    """What the lists of the new side say about switches, by name.

    `tier` is the (fabric, tier) of a switch, `nodes` are the nodes that it is connected to, `peers` the switches of its
    own tier that it is connected to; `above` has the tiers above each tier. `managing` are the fabrics whose switches
    manage those of others.
    """

    tier: dict[str, tuple[str, str]] = field(default_factory=dict)
    group: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Switches of one group (equal values) stand in for each other."""
    nodes: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    peers: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    above: dict[tuple[str, str], set[tuple[str, str]]] = field(default_factory=lambda: defaultdict(set))
    managing: set[str] = field(default_factory=set)
    """Fabrics whose switches have the management ports of other fabrics' switches plugged in."""

    def count_tiers_above(self, tier: tuple[str, str], below: frozenset[tuple[str, str]] = frozenset()) -> int:
        """Count the tiers above a tier, on the longest way up: 0 for the uppermost.

        `below` are the tiers by which the way came here; it does not pass them again, so that tiers in a circle end.
        """
        above = self.above[tier] - below - {tier}
        return 1 + max(self.count_tiers_above(upper, below | {tier}) for upper in above) if above else 0


def plan_stages(change: ClusterChange, at_once: AtOnce) -> tuple[PushStage, ...]:
    """Plan the stages of all switches whose configurations are added or changed; none if these were not compared."""
    files = change.configs.files if change.configs else ()
    states: dict[str, set[str]] = defaultdict(set)
    for file in files:
        states[file.device].add(file.state)
    wiring = _read_wiring(change)
    new_devices = set(change.devices.new.pick_rows(change.devices.added)["device"].tolist())
    touched = [device for device in sorted(states) if device in wiring.tier and states[device] != {"removed"}]
    stages_in_order = []
    new = [device for device in touched if device in new_devices]
    for tier in _order_managing_tiers(new, wiring):
        switches = tuple(device for device in new if wiring.tier[device] == tier)
        stages_in_order.append(PushStage(f"new {' '.join(tier)}, over which other new switches boot", (switches,)))
    if others := tuple(device for device in new if wiring.tier[device][0] not in wiring.managing):
        stages_in_order.append(PushStage("new switches, which carry nothing yet", (others,)))
    tiers = {wiring.tier[device] for device in touched if device not in new_devices}
    # fabrics that manage others last (False sorts before True), since the others are reached over them
    for tier in sorted(tiers, key=lambda tier: (tier[0] in wiring.managing, wiring.count_tiers_above(tier), tier)):
        devices = [device for device in touched if wiring.tier[device] == tier and device not in new_devices]
        stages_in_order.append(PushStage(" ".join(tier), tuple(_form_waves(devices, wiring, at_once))))
    return tuple(stages_in_order)


def _order_managing_tiers(new: list[str], wiring: _Wiring) -> list[tuple[str, str]]:
    """Return the tiers of new switches that manage others, upper tiers first."""
    tiers = {wiring.tier[device] for device in new if wiring.tier[device][0] in wiring.managing}
    return sorted(tiers, key=lambda tier: (wiring.count_tiers_above(tier), tier))


def _read_wiring(change: ClusterChange) -> _Wiring:
    """Return the tier, group and links of each switch on the new side; nodes have no tier and no group."""
    wiring = _Wiring()
    devices = change.devices.new
    columns = [devices[name].tolist() for name in ("device", "fabric", "tier", "site", "pod", "su", "plane", "rail")]
    for device, fabric, tier, *coordinates in zip(*columns, strict=True):
        if fabric and tier != NODE:
            wiring.tier[device], wiring.group[device] = (fabric, tier), (fabric, tier, *coordinates)
    _add_links(wiring, change.links.new)
    return wiring


def _add_links(wiring: _Wiring, links: Listing) -> None:
    """Add to `wiring` which nodes and switches are connected to which switches.

    The a end of a link is the lower one (docs/outputs.md: links.csv).
    """
    ends = (links[name].tolist() for name in ("fabric", "a_device", "b_device"))
    for fabric, a, b in zip(*ends, strict=True):
        lower, upper = wiring.tier.get(a), wiring.tier.get(b)
        # a device without a tier is a node
        if lower is None and upper is not None:
            wiring.nodes[b].add(a)
        elif lower is None or upper is None:
            continue
        elif lower == upper:
            wiring.peers[a].add(b)
            wiring.peers[b].add(a)
        # a management port of another fabric's switch, plugged into a switch of the link's own fabric
        elif fabric == upper[0] != lower[0]:
            wiring.managing.add(fabric)
        else:
            wiring.above[lower].add(upper)


def _form_waves(devices: list[str], wiring: _Wiring, at_once: AtOnce) -> Iterator[tuple[str, ...]]:
    """Yield the waves in which the switches of one stage are pushed, each a tuple of names, sorted.

    `devices` are the switches of the stage. Each wave is formed by going through those that are left, in the order of
    `_interleave_groups`, and taking every one that the rules at the head of this module allow beside those taken.
    """
    sizes = Counter(wiring.group.values())
    tiers = Counter(wiring.tier.values())
    waiting = _interleave_groups(devices, wiring.group)
    while waiting:
        wave: list[str] = []
        nodes: set[str] = set()
        used: Counter[tuple[str, ...]] = Counter()
        for device in waiting:
            group = wiring.group[device]
            # at most half of the switches that stand in for each other, and at least one
            most_of_group = min(at_once.compute_limit(sizes[group]), max(1, sizes[group] // 2))
            fits = len(wave) < at_once.compute_limit(tiers[wiring.tier[device]]) and used[group] < most_of_group
            if fits and wiring.peers[device].isdisjoint(wave) and nodes.isdisjoint(wiring.nodes[device]):
                wave.append(device)
                nodes |= wiring.nodes[device]
                used[group] += 1
        pushed = set(wave)
        waiting = [device for device in waiting if device not in pushed]
        yield tuple(sorted(wave))


def _interleave_groups(devices: list[str], group: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Return devices with those of one group far apart: the first of each group, then the second of each, and so on."""
    rank: Counter[tuple[str, ...]] = Counter()
    keyed = []
    for device in devices:
        keyed.append((rank[group[device]], device))
        rank[group[device]] += 1
    return [device for _, device in sorted(keyed)]
