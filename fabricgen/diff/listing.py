"""Lists of one side as text columns, and matching of rows between sides by numpy, without a Python object for each
row.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from fabricgen.blueprint.models import make_natural_key
from fabricgen.diff.sizing_figures import SizingFigures, TierFigures, TierName
from fabricgen.diff.texts import Flags, Texts, find_among_texts, find_rows_of_texts
from fabricgen.numbering.lazy_columns import Strings
from fabricgen.wiring.arrays import rank_within

if TYPE_CHECKING:
    import numpy.typing as npt


Column: TypeAlias = "Strings | Texts"
"""The text of every row; indexing returns a text or an object array of texts."""

Rows: TypeAlias = "npt.NDArray[np.int64]"

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "devices": (
        *("device", "fabric", "tier", "model", "nos", "site", "pod", "su", "rack", "u", "rail", "plane"),
        *("asn", "loopback", "mgmt"),
    ),
    "links": ("fabric", "cable", "a_device", "a_port", "a_ip", "b_device", "b_port", "b_ip", "speed_gbps"),
    "cables": (
        *("cable", "fabric", "part", "medium", "length_m", "a_device", "a_cage", "a_transceiver"),
        *("b_device", "b_cage", "b_transceiver", "label_a", "label_b"),
    ),
    "addresses": ("prefix", "kind", "device", "port"),
    "patches": (*("cable", "end", "device", "socket", "rack", "u", "panel", "port", "trunk", "connector", "fibres"),),
    "bom": ("part", "description", "kind", "quantity", "spares", "unit_price", "power_w"),
}
"""The columns that are read of each list; further columns are ignored."""

NUMBERS = frozenset({"u", "asn", "length_m", "speed_gbps", "quantity", "spares", "unit_price", "power_w"})
"""Columns of numbers, which are normalized to the spelling of a build."""


@dataclass(frozen=True, slots=True)
class Listing:
    """Columns of equal length, by name; cells are text, "" if a row has no value.

    In lists of whole cables (`list_cables`), cells of the columns `ends` and `labels` are tuples.
    """

    columns: Mapping[str, Column]

    @classmethod
    def of(cls, columns: Mapping[str, Sequence[Any]]) -> Listing:
        """Make a listing from plain sequences."""
        return cls({name: make_column(values) for name, values in columns.items()})

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def __getitem__(self, name: str) -> Column:
        return self.columns[name]

    def read_row(self, number: int) -> dict[str, Any]:
        """Return one row, as column -> cell."""
        return {name: column[number] for name, column in self.columns.items()}

    def rows(self, numbers: Rows) -> Iterator[dict[str, Any]]:
        """Return an iterator over some rows, as column -> cell, in the given order."""
        picked = [column[numbers].tolist() for column in self.columns.values()]
        return (dict(zip(self.columns, row, strict=True)) for row in zip(*picked, strict=True))

    def pick_rows(self, numbers: Rows) -> Listing:
        """Return a listing with these rows, in this order; columns stay encoded."""
        return Listing({name: column[numbers] for name, column in self.columns.items()})


@dataclass(frozen=True)
class Lists:
    """The lists of one side; `addresses` and `bom` are None if a folder lacks them, `patches` if nothing is patched.

    `in_devices_w` is the power of optics that is also included in the maxima of their devices, W, so that the lines of
    the bill count it twice; None if a folder does not tell it.
    """

    devices: Listing
    links: Listing
    cables: Listing
    addresses: Listing | None = None
    bom: Listing | None = None
    patches: Listing | None = None
    in_devices_w: float | None = None


def make_column(values: Sequence[Any]) -> Strings:
    """Return values as an object array, also if they are tuples."""
    column = np.empty(len(values), dtype=object)
    column[:] = values if isinstance(values, np.ndarray) else list(values)
    return column


def index_rows(names: Sequence[Any]) -> dict[Any, int]:
    """Return the row of each value; for repeated values the last row."""
    return {name: i for i, name in enumerate(names)}


def find_among(chosen: Collection[str], values: Column) -> Flags:
    """Flag the values that are in `chosen`; bool."""
    texts = frozenset(chosen)
    if not texts:
        return np.zeros(len(values), dtype=bool)
    return values.flag_among(texts) if isinstance(values, Texts) else find_among_texts(texts, values)


def find_rows(rows: Mapping[Any, int], values: Column) -> Rows:
    """Return the row of each value by `rows`, -1 if it has none; int64."""
    return values.look_up_rows(rows) if isinstance(values, Texts) else find_rows_of_texts(rows, values)


def encode_rows(*pairs: tuple[Strings, Strings]) -> tuple[Rows, Rows]:
    """Return (codes of the old rows, codes of the new rows), int64; rows with equal cells have equal codes.

    `pairs` are the columns of both sides; all columns of a side have one length.
    """
    # the number of different codes so far, at most
    size, old_length = 1, len(pairs[0][0])
    codes = np.zeros(old_length + len(pairs[0][1]), dtype=np.int64)
    for was, now in pairs:
        # one numbering for both sides, so that equal texts have equal codes
        values = was.tolist() + now.tolist()
        number = {value: i for i, value in enumerate(dict.fromkeys(values))}
        # if one more column would not fit into 64 bits, the codes are renumbered without gaps
        if size * len(number) >= _MOST:
            _, codes = np.unique(codes, return_inverse=True)
            size = len(codes)
        codes = codes * len(number) + np.fromiter(map(number.__getitem__, values), dtype=np.int64, count=len(values))
        size *= max(1, len(number))
    return codes[:old_length], codes[old_length:]


_MOST = 2**62
"""Codes stay below this, so that they fit into int64."""


def match_codes(old: Rows, new: Rows) -> tuple[Rows, Rows, Rows, Rows]:
    """Match rows by their codes (int64); the n-th row with a code is matched with the n-th on the other side.

    Returns rows only in old, rows only in new, and common rows: in old, in new.
    """
    order = np.argsort(new, kind="stable")
    ordered = new[order]
    if _has_repeats(ordered) or _has_repeats(np.sort(old)):
        _, codes = np.unique(np.concatenate([old, new]), return_inverse=True)
        old, new = codes[: len(old)], codes[len(old) :]
        # equal codes are made different by their rank, which is the same on both sides
        old, new = (rank_within(rows).astype(np.int64) * len(codes) + rows for rows in (old, new))
        order = np.argsort(new, kind="stable")
        ordered = new[order]
    positions = np.searchsorted(ordered, old)
    partners = np.full(len(old), -1, dtype=np.int64)
    # positions beyond the last row have no partner
    inside = np.flatnonzero(positions < len(new))
    candidates = order[positions[inside]]
    partners[inside] = np.where(new[candidates] == old[inside], candidates, -1)
    only_new = np.ones(len(new), dtype=bool)
    only_new[partners[partners >= 0]] = False
    return (
        np.flatnonzero(partners < 0),
        np.flatnonzero(only_new),
        np.flatnonzero(partners >= 0),
        partners[partners >= 0],
    )


def _has_repeats(ordered: Rows) -> bool:
    return bool((ordered[1:] == ordered[:-1]).any())


# The figures of a side of which only lists are known (a built folder), as far as they explain why cables move.

NODE = "node"
"""The tier of nodes and of extra devices in devices.csv; extra devices are in no unit."""


def derive_figures(lists: Lists) -> SizingFigures:
    """Return the figures of sizing as far as devices.csv and links.csv tell them: units, nodes and tiers.

    They do not tell whether a count is stated, which slots are omitted or spare, and which ports are free: these are
    None, 0 or empty.
    """
    columns = ("device", "fabric", "tier", "model", "nos", "pod", "su")
    rows = list(zip(*(lists.devices[name][:].tolist() for name in columns), strict=True))
    unit_nodes = [(pod, su) for _, _, tier, _, _, pod, su in rows if tier == NODE and su]
    pods = sorted({pod for pod, _ in unit_nodes}, key=make_natural_key)
    tier_of = {device: (fabric, tier) for device, fabric, tier, *_ in rows if tier != NODE}
    members: dict[TierName, list[tuple[str, str]]] = defaultdict(list)
    for device, _, _, model, nos, *_ in rows:
        if device in tier_of:
            members[tier_of[device]].append((model, nos))
    ports = _list_ports(lists, tier_of)
    return SizingFigures(
        units={pod: len({su for unit_pod, su in unit_nodes if unit_pod == pod}) for pod in pods},
        nodes=len(unit_nodes),
        tiers={
            key: _make_tier_figures(members[key], ports.get(key, _TierPorts()))
            for key in sorted(members, key=_sort_key)
        },
        omits={},
        spares=(),
        hardware={},
    )


def _sort_key(key: TierName) -> tuple[object, ...]:
    return tuple(map(make_natural_key, key))


class _TierPorts:
    """Links of the switches of a tier.

    `downs` and `ups` are the speeds of links down and up, Gb/s; `pair_links` counts the links of each (switch, upper
    switch), and `upper` are the tiers above.
    """

    def __init__(self) -> None:
        self.downs: set[int] = set()
        self.ups: set[int] = set()
        self.pair_links: Counter[tuple[str, str]] = Counter()
        self.upper: set[TierName] = set()


def _list_ports(lists: Lists, tier_of: dict[str, TierName]) -> dict[TierName, _TierPorts]:
    """Return the links of the switches of each tier.

    Links within a tier and links without an upper switch are left out.
    """
    ports_by_tier: dict[TierName, _TierPorts] = defaultdict(_TierPorts)
    columns = (lists.links[name][:].tolist() for name in ("a_device", "b_device", "speed_gbps"))
    # equal rows of parallel links are read once, with their number
    for (lower, upper, speed), links in Counter(zip(*columns, strict=True)).items():
        below, above = tier_of.get(lower), tier_of.get(upper)
        if above is None or below == above:
            continue
        ports_by_tier[above].downs.add(int(speed))
        if below is not None:
            ports_by_tier[below].ups.add(int(speed))
            ports_by_tier[below].upper.add(above)
            ports_by_tier[below].pair_links[lower, upper] += links
    return ports_by_tier


def _make_tier_figures(members: list[tuple[str, str]], ports: _TierPorts) -> TierFigures:
    """Return the figures of a tier as far as lists tell them; `members` has (model, NOS) of its switches.

    Figures that only a design knows are 0, None or empty.
    """
    models, systems = (sorted(set(column)) for column in zip(*members, strict=True))
    uplinks = Counter[str]()
    for (lower, _), links in ports.pair_links.items():
        uplinks[lower] += links
    return TierFigures(
        model=" and ".join(models),
        nos=" and ".join(systems),
        groups=1,
        count=len(members),
        stated=None,
        downs=tuple(f"{speed}G" for speed in sorted(ports.downs)),
        ups=" and ".join(f"{speed}G" for speed in sorted(ports.ups)),
        uplinks=max(uplinks.values(), default=0),
        upper=next(iter(ports.upper)) if len(ports.upper) == 1 else None,
        pair_links=tuple(sorted(set(ports.pair_links.values()))),
        asked=(),
        capacity=0,
        least_free=0,
        free=0,
        spare=0,
    )
