"""In which order the configurations that a change touches are pushed, so that the fabric stays whole meanwhile.

A stage is the switches of one tier, those above before those below: new prefixes and sessions then find a way. In a
wave there are never two switches of a pair, nor two that one node hangs on, nor more than half of switches that stand
in for each other, and never more than the share that the user names. What manages the other switches comes last: these
are reached over it. New switches carry nothing yet, and come first, those that manage others before these, from above:
in this order they can also boot by ZTP, whose requests their relays pass on.
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
"""The tier of what is no switch."""


@dataclass(frozen=True, slots=True)
class PushStage:
    """The switches of a tier, in waves: those of a wave are pushed together, and looked at before the next."""

    what: str
    waves: tuple[tuple[str, ...], ...]

    @property
    def devices(self) -> tuple[str, ...]:
        """All of them."""
        return tuple(device for wave in self.waves for device in wave)


@dataclass(frozen=True, slots=True)
class AtOnce:
    """How many switches may be pushed together: a number, or a share in percent of those of their tier."""

    count: int = 0
    percent: int = 0

    def compute_limit(self, size: int) -> int:
        """The most of so many, at least one."""
        return max(1, self.count or size * self.percent // 100)


def parse_at_once(text: str) -> AtOnce:
    """Read `8` or `10%`; raises InputError (FG144) for anything else."""
    if not re.fullmatch(r"[1-9]\d{0,5}|(?:[1-9]\d?|100)%", text):
        raise fault("FG144", f"--at-once {text}: a number of switches, 8, or a share of their tier, 10%")
    return AtOnce(percent=int(text[:-1])) if text.endswith("%") else AtOnce(int(text))


@dataclass
class _Wiring:
    """What is known of switches from the lists of the new side."""

    tier: dict[str, tuple[str, str]] = field(default_factory=dict)
    group: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Switches of one group stand in for each other."""
    nodes: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    peers: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    above: dict[tuple[str, str], set[tuple[str, str]]] = field(default_factory=lambda: defaultdict(set))
    managing: set[str] = field(default_factory=set)
    """Fabrics whose switches the management ports of others hang on."""

    def measure_height(self, tier: tuple[str, str], below: frozenset[tuple[str, str]] = frozenset()) -> int:
        """How many tiers lie above: 0 for the uppermost."""
        over = self.above[tier] - below - {tier}
        return 1 + max(self.measure_height(upper, below | {tier}) for upper in over) if over else 0


def plan_stages(change: ClusterChange, at_once: AtOnce) -> tuple[PushStage, ...]:
    """The stages of all switches whose configurations are added or changed; none where these are not compared."""
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
        of_tier = tuple(device for device in new if wiring.tier[device] == tier)
        stages_in_order.append(PushStage(f"new {' '.join(tier)}, over which other new switches boot", (of_tier,)))
    if others := tuple(device for device in new if wiring.tier[device][0] not in wiring.managing):
        stages_in_order.append(PushStage("new switches, which carry nothing yet", (others,)))
    tiers = {wiring.tier[device] for device in touched if device not in new_devices}
    # fabrics that manage others last (False sorts before True): the others are reached over them
    for tier in sorted(tiers, key=lambda tier: (tier[0] in wiring.managing, wiring.measure_height(tier), tier)):
        devices = [device for device in touched if wiring.tier[device] == tier and device not in new_devices]
        stages_in_order.append(PushStage(" ".join(tier), tuple(_form_waves(devices, wiring, at_once))))
    return tuple(stages_in_order)


def _order_managing_tiers(new: list[str], wiring: _Wiring) -> list[tuple[str, str]]:
    """The tiers of new switches that manage others, from above."""
    tiers = {wiring.tier[device] for device in new if wiring.tier[device][0] in wiring.managing}
    return sorted(tiers, key=lambda tier: (wiring.measure_height(tier), tier))


def _read_wiring(change: ClusterChange) -> _Wiring:
    # tier, group and links of each switch on the new side; nodes are left out
    wiring = _Wiring()
    devices = change.devices.new
    columns = [devices[name].tolist() for name in ("device", "fabric", "tier", "site", "pod", "su", "plane", "rail")]
    for device, fabric, tier, *coordinates in zip(*columns, strict=True):
        if fabric and tier != NODE:
            wiring.tier[device], wiring.group[device] = (fabric, tier), (fabric, tier, *coordinates)
    _add_links(wiring, change.links.new)
    return wiring


def _add_links(wiring: _Wiring, links: Listing) -> None:
    """Enter into `wiring` which switches and nodes hang on which switch; a link's lower end comes first
    (docs/outputs.md: links.csv).
    """
    ends = (links[name].tolist() for name in ("fabric", "a_device", "b_device"))
    for fabric, a, b in zip(*ends, strict=True):
        lower, upper = wiring.tier.get(a), wiring.tier.get(b)
        if lower is None and upper is not None:
            wiring.nodes[b].add(a)
        elif lower is None or upper is None:
            continue
        elif lower == upper:
            wiring.peers[a].add(b)
            wiring.peers[b].add(a)
        elif fabric == upper[0] != lower[0]:
            wiring.managing.add(fabric)
        else:
            wiring.above[lower].add(upper)


def _form_waves(devices: list[str], wiring: _Wiring, at_once: AtOnce) -> Iterator[tuple[str, ...]]:
    """Fill wave by wave with what may go together, taking groups in turn."""
    sizes = Counter(wiring.group.values())
    tiers = Counter(wiring.tier.values())
    waiting = _interleave_groups(devices, wiring.group)
    while waiting:
        wave: list[str] = []
        nodes: set[str] = set()
        used: Counter[tuple[str, ...]] = Counter()
        for device in waiting:
            group = wiring.group[device]
            # never more than half of what stands in for each other, or one where there are two
            share = min(at_once.compute_limit(sizes[group]), max(1, sizes[group] // 2))
            together = len(wave) < at_once.compute_limit(tiers[wiring.tier[device]]) and used[group] < share
            if together and wiring.peers[device].isdisjoint(wave) and nodes.isdisjoint(wiring.nodes[device]):
                wave.append(device)
                nodes |= wiring.nodes[device]
                used[group] += 1
        pushed = set(wave)
        waiting = [device for device in waiting if device not in pushed]
        yield tuple(sorted(wave))


def _interleave_groups(devices: list[str], group: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Devices with those of one group as far apart as may be: the first of each, then the second of each."""
    rank: Counter[tuple[str, ...]] = Counter()
    keyed = []
    for device in devices:
        keyed.append((rank[group[device]], device))
        rank[group[device]] += 1
    return [device for _, device in sorted(keyed)]
