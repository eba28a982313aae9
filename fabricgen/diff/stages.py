"""In which order the configurations that a change touches are pushed, so that the fabric stays whole meanwhile.

A stage is the switches of one tier, those above before those below: new prefixes and sessions then find a way. In a
wave there are never two switches of a pair, nor two that one node hangs on, nor more than half of switches that stand
in for each other, and never more than the share that the user names. What manages the other switches comes last: these
are reached over it. New switches carry nothing yet, and come first.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from fabricgen.diff.compare import Change
from fabricgen.diff.listing import Listing
from fabricgen.kernel.diagnostics import fault

NODE = "node"
"""The tier of what is no switch."""


@dataclass(frozen=True, slots=True)
class Stage:
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

    def of(self, size: int) -> int:
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
    mates: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    above: dict[tuple[str, str], set[tuple[str, str]]] = field(default_factory=lambda: defaultdict(set))
    managing: set[str] = field(default_factory=set)
    """Fabrics whose switches the management ports of others hang on."""

    def height(self, tier: tuple[str, str], below: frozenset[tuple[str, str]] = frozenset()) -> int:
        """How many tiers lie above: 0 for the uppermost."""
        over = self.above[tier] - below - {tier}
        return 1 + max(self.height(each, below | {tier}) for each in over) if over else 0


def stages(change: Change, at_once: AtOnce) -> tuple[Stage, ...]:
    """The stages of all switches whose configurations are added or changed; none where these are not compared."""
    files = change.configs.files if change.configs else ()
    states: dict[str, set[str]] = defaultdict(set)
    for file in files:
        states[file.device].add(file.state)
    wiring = _wiring(change)
    come = set(change.devices.new.picked(change.devices.added)["device"].tolist())
    wanted = [device for device in sorted(states) if device in wiring.tier and states[device] != {"removed"}]
    found = []
    if new := [device for device in wanted if device in come]:
        found.append(Stage("new switches, which carry nothing yet", (tuple(new),)))
    tiers = {wiring.tier[device] for device in wanted if device not in come}
    for tier in sorted(tiers, key=lambda tier: (tier[0] in wiring.managing, wiring.height(tier), tier)):
        devices = [device for device in wanted if wiring.tier[device] == tier and device not in come]
        found.append(Stage(" ".join(tier), tuple(_waves(devices, wiring, at_once))))
    return tuple(found)


def _wiring(change: Change) -> _Wiring:
    found = _Wiring()
    devices = change.devices.new
    columns = [devices[name].tolist() for name in ("device", "fabric", "tier", "site", "pod", "su", "plane", "rail")]
    for device, fabric, tier, *place in zip(*columns, strict=True):
        if fabric and tier != NODE:
            found.tier[device], found.group[device] = (fabric, tier), (fabric, tier, *place)
    _add_links(found, change.links.new)
    return found


def _add_links(found: _Wiring, links: Listing) -> None:
    """Who hangs on whom; a link's lower end comes first (docs/outputs.md: links.csv)."""
    ends = (links[name].tolist() for name in ("fabric", "a_device", "b_device"))
    for fabric, one, other in zip(*ends, strict=True):
        lower, upper = found.tier.get(one), found.tier.get(other)
        if lower is None and upper is not None:
            found.nodes[other].add(one)
        elif lower is None or upper is None:
            continue
        elif lower == upper:
            found.mates[one].add(other)
            found.mates[other].add(one)
        elif fabric == upper[0] != lower[0]:
            found.managing.add(fabric)
        else:
            found.above[lower].add(upper)


def _waves(devices: list[str], wiring: _Wiring, at_once: AtOnce) -> Iterator[tuple[str, ...]]:
    """Fill wave by wave with what may go together, taking groups in turn."""
    sizes = Counter(wiring.group.values())
    tiers = Counter(wiring.tier.values())
    left = _in_turn(devices, wiring.group)
    while left:
        wave: list[str] = []
        nodes: set[str] = set()
        used: Counter[tuple[str, ...]] = Counter()
        for device in left:
            group = wiring.group[device]
            share = min(at_once.of(sizes[group]), max(1, sizes[group] // 2))
            together = len(wave) < at_once.of(tiers[wiring.tier[device]]) and used[group] < share
            if together and wiring.mates[device].isdisjoint(wave) and nodes.isdisjoint(wiring.nodes[device]):
                wave.append(device)
                nodes |= wiring.nodes[device]
                used[group] += 1
        taken = set(wave)
        left = [device for device in left if device not in taken]
        yield tuple(sorted(wave))


def _in_turn(devices: list[str], group: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Devices with those of one group as far apart as may be: the first of each, then the second of each."""
    rank: Counter[tuple[str, ...]] = Counter()
    keyed = []
    for device in devices:
        keyed.append((rank[group[device]], device))
        rank[group[device]] += 1
    return [device for _, device in sorted(keyed)]
