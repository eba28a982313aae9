"""The figures of a side that is known by its lists alone, a built folder: what they tell of why cables move."""

from __future__ import annotations

from collections import Counter, defaultdict

from fabricgen.blueprint.models import natural
from fabricgen.diff.listing import Lists
from fabricgen.diff.sizing_figures import SizingFigures, TierFigures, TierName

NODE = "node"
"""The tier of nodes, and of extra devices, in devices.csv; the latter are in no unit."""


def listed_figures(lists: Lists) -> SizingFigures:
    """Units, nodes and tiers as devices.csv and links.csv have them.

    Whether a count is stated, slots of `omit` and spare nodes, and ports that are free are not in lists.
    """
    columns = ("device", "fabric", "tier", "model", "nos", "pod", "su")
    rows = list(zip(*(lists.devices[name][:].tolist() for name in columns), strict=True))
    of_unit = [(pod, su) for _, _, tier, _, _, pod, su in rows if tier == NODE and su]
    pods = sorted({pod for pod, _ in of_unit}, key=natural)
    tier_of = {device: (fabric, tier) for device, fabric, tier, *_ in rows if tier != NODE}
    members: dict[TierName, list[tuple[str, str]]] = defaultdict(list)
    for device, _, _, model, nos, *_ in rows:
        if device in tier_of:
            members[tier_of[device]].append((model, nos))
    ports = _ports(lists, tier_of)
    return SizingFigures(
        units={pod: len({su for other, su in of_unit if other == pod}) for pod in pods},
        nodes=len(of_unit),
        tiers={key: _tier(members[key], ports.get(key, _Ports())) for key in sorted(members, key=_order)},
        omits={},
        spares=(),
        hardware={},
    )


def _order(key: TierName) -> tuple[object, ...]:
    return tuple(map(natural, key))


class _Ports:
    """Links of the switches of a tier: Gb/s of those below and above it, and of each switch to each upper one."""

    def __init__(self) -> None:
        self.downs: set[int] = set()
        self.ups: set[int] = set()
        self.to: Counter[tuple[str, str]] = Counter()
        self.upper: set[TierName] = set()


def _ports(lists: Lists, tier_of: dict[str, TierName]) -> dict[TierName, _Ports]:
    found: dict[TierName, _Ports] = defaultdict(_Ports)
    columns = (lists.links[name][:].tolist() for name in ("a_device", "b_device", "speed_gbps"))
    for (lower, upper, speed), links in Counter(zip(*columns, strict=True)).items():
        below, above = tier_of.get(lower), tier_of.get(upper)
        if above is None or below == above:
            continue
        found[above].downs.add(int(speed))
        if below is not None:
            found[below].ups.add(int(speed))
            found[below].upper.add(above)
            found[below].to[lower, upper] += links
    return found


def _tier(members: list[tuple[str, str]], ports: _Ports) -> TierFigures:
    models, systems = (sorted(set(column)) for column in zip(*members, strict=True))
    each = Counter[str]()
    for (lower, _), links in ports.to.items():
        each[lower] += links
    return TierFigures(
        model=" and ".join(models),
        nos=" and ".join(systems),
        groups=1,
        count=len(members),
        stated=None,
        downs=tuple(f"{speed}G" for speed in sorted(ports.downs)),
        ups=" and ".join(f"{speed}G" for speed in sorted(ports.ups)),
        uplinks=max(each.values(), default=0),
        upper=next(iter(ports.upper)) if len(ports.upper) == 1 else None,
        pair_links=tuple(sorted(set(ports.to.values()))),
        asked=(),
        capacity=0,
        least_free=0,
        free=0,
        spare=0,
    )
