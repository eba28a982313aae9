"""The port table of a SONiC switch: every port, breakout modes, and the HwSKU that suits them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from fabricgen.catalog.models import CageClass, SwitchProfile
from fabricgen.catalog.sonic_models import PlatformCage, SonicPlatform, find_breakout_mode, parse_mode
from fabricgen.views.switch import SwitchView


class CageUse(NamedTuple):
    """How a cage is used: split into `ways` ports of a speed."""

    ways: int
    speed_gbps: int


@dataclass(frozen=True, slots=True)
class TablePort:
    """A port of the switch, cabled or not, as a row of SONiC's table PORT has it.

    `index` is the number of its cage, `lanes` are numbers with commas between them, and `subport` is its number in a
    split cage, from 1; 0 if the cage is not split.
    """

    name: str
    alias: str
    index: int
    lanes: str
    subport: int
    speed_gbps: int
    copper: bool
    """Twisted pair, where both ends negotiate their speed (IEEE 802.3, clause 40: 1000BASE-T knows no other way)."""


@dataclass(frozen=True, slots=True)
class PortTable:
    """The port table that switches of one model have if they use their cages alike."""

    hwsku: str
    ports: tuple[TablePort, ...]
    breakouts: tuple[tuple[str, str], ...]
    """(first port, breakout mode) of each cage, by the order of the keys."""


@dataclass(frozen=True, slots=True)
class _TableKey:
    """Cache key of a port table: platform and profile are compared by identity, and kept alive by the key."""

    platform_id: int
    profile_id: int
    used: tuple[tuple[int, CageUse], ...]
    platform: SonicPlatform = field(compare=False)
    profile: SwitchProfile = field(compare=False)


def find_port_table(view: SwitchView, platform: SonicPlatform) -> PortTable:
    """Return the port table of a switch: its HwSKU, how cages are split, and every port, cabled or not.

    It leaves out cages that are not in use and have no port in the HwSKU: its SAI profile does not start them.
    """
    used = {port.cage: CageUse(port.ways, port.speed_gbps) for port in view.ports}
    return _make_port_table(_TableKey(id(platform), id(view.profile), tuple(used.items()), platform, view.profile))


@lru_cache(maxsize=256)
def _make_port_table(key: _TableKey) -> PortTable:
    """Return all ports of a platform: cages in use as they are used, others as the HwSKU has them."""
    used, platform = dict(key.used), key.platform
    hwsku = choose_hwsku(used, platform)
    ports: list[TablePort] = []
    modes: list[tuple[str, str]] = []
    classes = (cage_class for cage_class in key.profile.cages for _ in range(cage_class.count))
    for number, (cage, cage_class) in enumerate(zip(platform.cages, classes, strict=True), 1):
        if number not in used and platform.find_run(hwsku, number) is None:
            continue
        use = used.get(number) or choose_native_use(cage_class)
        mode = find_breakout_mode(platform, cage_class, use.ways, use.speed_gbps)
        parsed = parse_mode(mode)
        lanes_used = parsed.lanes if parsed and use.ways == 1 else None
        ports += _make_cage_ports(platform, cage, use, lanes_used, copper=cage_class.form_factor == "RJ45")
        if mode:
            modes.append((f"Ethernet{cage.port}", mode))
    return PortTable(hwsku, tuple(ports), tuple(sorted(modes)))


def choose_native_use(cage_class: CageClass) -> CageUse:
    """Return how an unused cage is left: split as little as it can be, at full speed."""
    breakout = min(cage_class.breakouts)
    return CageUse(breakout, max(cage_class.breakouts[breakout]))


def _make_cage_ports(
    platform: SonicPlatform, cage: PlatformCage, use: CageUse, lanes_used: int | None, *, copper: bool
) -> list[TablePort]:
    """Return the ports of a cage, with lanes in the order of the platform's table.

    A port has only the first `lanes_used` of its lanes, or all of them for None.
    """
    # SONiC calls a port after the first of its lanes
    lanes_each = len(cage.lanes) // use.ways
    return [
        TablePort(
            name=f"Ethernet{cage.port + sub * lanes_each}",
            alias=platform.find_alias(cage, use.ways, sub),
            index=cage.index,
            lanes=",".join(map(str, cage.lanes[sub * lanes_each : (sub + 1) * lanes_each][:lanes_used])),
            subport=sub + 1 if use.ways > 1 else 0,
            speed_gbps=use.speed_gbps,
            copper=copper,
        )
        for sub in range(use.ways)
    ]


def choose_hwsku(used: dict[int, CageUse], platform: SonicPlatform) -> str:
    """Return the HwSKU whose own breakout agrees with most cages in use (`used`, by number), in ways and speed.

    A HwSKU brings the SAI profile that fixes how many ports the ASIC starts with, so that the nearest one leaves the
    least to dynamic breakout. A HwSKU without a port in a cage in use comes after all others; of equals, the default is
    chosen.
    """

    def rank_hwsku(name: str) -> tuple[int, int]:
        """Return (cages in use without a port, minus cages in use with the same split and speed) of a HwSKU."""
        runs = [(platform.find_run(name, cage), use) for cage, use in used.items()]
        agree = sum(run is not None and (run.ways, run.speed_gbps) == (use.ways, use.speed_gbps) for run, use in runs)
        return sum(run is None for run, _ in runs), -agree

    if not platform.hwskus:
        return platform.default_hwsku
    return min(platform.hwskus, key=lambda name: (rank_hwsku(name), name != platform.default_hwsku, name))
