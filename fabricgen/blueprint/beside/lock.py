"""The lock file: the slots, numbers and blocks of addresses that are given away, so that no later change takes them
back.

It lies beside the blueprint (`superpod.yaml` has `superpod.lock.yaml`) and goes into git with it. A section has the
numbers of one kind (`pods`, `units`, `asns`), with a line for each holder: the name of what they were given to, such as
`p1`, or `compute leaf` for a tier. So a person can review it, and two branches that gave one number to different
holders either meet in a text conflict or are refused when the lock is read.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from fabricgen.blueprint.beside.adopted import ADOPTED, format_adopted, parse_adopted, parse_adopted_section, parse_key
from fabricgen.blueprint.beside.sized import SIZED, STACKED, parse_history, parse_sized
from fabricgen.blueprint.models import MOST_SLOTS
from fabricgen.blueprint.sections.asn import LAST as LAST_ASN
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Severity, Span, fault
from fabricgen.kernel.intervals import Allocations, Interval, Intervals, find_overlap
from fabricgen.kernel.text_input import read_bytes
from fabricgen.yaml.located import Located, parse_located

VERSION = 1
"""Of the file's format."""

CODE = "FG038"

_SUFFIX = ".lock.yaml"

# Patterns are texts that are compiled when a lock has something of their kind.
_RANGE = r"(\d{1,20})(?:-(\d{1,20}))?"
_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"})
"""Names that YAML would read as something else."""

_KIND_OF_PORT = r"[1-9]\d?\d? x \d{1,6} over \d{1,6}(\.\d+)?( copper)?( for (down|extra)\.[a-z0-9-]{1,32})?"
_ON_SWITCHES = ("managed", "cages", "downlinks", "hosts")
_LAST_PLACE = (1 << 22) - 1
"""The last number of the kinds `_ON_SWITCHES`, which are counted one by one and so must end early."""

_NAME = r"[A-Za-z0-9][A-Za-z0-9 .,()/*+-]{0,199}"


@dataclass(frozen=True, slots=True)
class Lock:
    """What a lock holds: the numbers of each kind by holder, and `rooms`: how many numbers each part of a holder has,
    used or not, so that a part that grows shifts no others.
    """

    blueprint: str = ""
    """The name of the cluster; "" for an empty lock."""
    held: Mapping[str, Allocations] = field(default_factory=dict)
    """Kind of numbers (`KINDS`, with a site or kind of unit behind it where these are apart) -> numbers by holder."""
    rooms: Mapping[str, int] = field(default_factory=dict)
    """Name of a room -> how many numbers it has: a power of two, or a count (see `_Reader._check_rooms`)."""
    words: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By section of `WORDS` or `ADOPTED`, what is remembered that is no number: holder -> text."""
    lines: Mapping[str, Span] = field(default_factory=dict, compare=False)
    """Key of an adopted value -> its line in the file, for findings."""
    file: str = ""
    """Where it was read; "" for none."""

    def find_allocations(self, kind: str) -> Allocations:
        """Return the numbers of a kind, by holder; {} if nobody holds any."""
        return self.held.get(kind, {})

    def find_words(self, kind: str) -> Mapping[str, str]:
        """Return the texts of a section of `WORDS` or `ADOPTED`, by holder; {} if there are none."""
        return self.words.get(kind, {})


PORTS = "ports of "
"""How the names of rooms begin that are counts of ports."""

UNNUMBERED = "unnumbered"
"""The section of words for sites, halls and planes that were the only one when names left them out."""

SETS = "sets"
"""The kind of words for sets of nodes, and of what stands beside them, in the order in which units were filled."""

WORDS: Mapping[str, str] = {
    "dealing": "tiers whose down ports are numbered by reserved `slot` or by `unit` there is",
    SIZED: "switches of a group of each tier, uplinks of each, and into how many ports cages are split",
    "extras": "switch and cage of each port of extra devices",
    SETS: "sets of nodes, and of what stands in each rack beside them, in the order in which units were filled",
    STACKED: "steps in which tiers grew in shared racks: so many groups of so many switches",
    UNNUMBERED: "the site, the hall, or the plane of a tier in names of racks, that names leave out as it was alone",
}
"""Kinds of what is remembered in words, besides what is adopted."""

INDEXES = "indexes"
"""Kinds of numbers that begin so are the running numbers of names."""

_OF_PLACES = (  # kinds that may be kept apart by kind of unit or by site: `units /b300 east`
    *("pods", "units", "ports", "managed", "halls", "rows", "hosts", "cages", "downlinks"),
    *("floor", "racked", "shelved", "joined", INDEXES),
)

KINDS: Mapping[str, str] = {
    "sites": "numbers of sites",
    "pods": "numbers of pods",
    "units": "slots of scalable units, those reserved for growth included",
    "ports": "places of scalable units on switches that have no room for every reserved one",
    "managed": "places of management ports among those who share a rack, unit, pod, site or all",
    "cages": "cages of each kind of down port on the lowest switches, in the order of their ports; 0 for one that "
    "another kind has taken",
    "downlinks": "ports of nodes and management among the down ports of one kind",
    "halls": "slots of scalable units in halls that pods name and in the others of their site, by kind of unit",
    "rows": "node rows of the kinds of units, where there are several",
    "floor": "places of racks in network rows",
    "racked": "places of switches in the racks of a unit: hundreds are its network racks, the rest rack units",
    "shelved": "places of extra devices in their racks: hundreds are racks, the rest rack units",
    "joined": "places of what shares network racks, by the first in them: hundreds are racks, the rest rack units",
    INDEXES: "running numbers in names, from 0, where units are of several kinds",
    "hosts": "places at the end of a switch's addresses: of further kinds of ports, of extra devices on rails",
    "vlans": "VLANs of fabrics, and of tenants in them",
    "tenants": "numbers of tenants",
    "vnis": "VRFs over EVPN, by the place of their VNI",
    "asns": "AS numbers of tiers",
    "srv6": "SRv6 identifiers of tiers",
    "management": "places of switches in the management subnet",
    "ipv4": "blocks of addresses",
    "ipv6": "blocks of addresses",
}
"""Kinds of numbers in the order of the file, and what they are."""


_MOST_PLACES = 1 << 24
LAST_TENANT = (1 << 15) - 3  # of the 15 bits of a partition of InfiniBand: the last are of no tenant, and the default
"""The last number of a tenant."""
LAST_VNI = 4095
"""The last place of a VNI."""
LAST_IDENTIFIER = 0xDFFF
"""The last SRv6 identifier of a switch; those behind it are local to a switch."""
_LAST: Mapping[str, int] = {
    **dict.fromkeys(("sites", "pods", "units", "ports", "halls"), MOST_SLOTS - 1),
    **dict.fromkeys(_ON_SWITCHES, _LAST_PLACE),
    "tenants": LAST_TENANT,
    "vnis": LAST_VNI,
    "asns": LAST_ASN,
    "srv6": LAST_IDENTIFIER,
    "management": (1 << 32) - 1,
}
"""The last number of each kind that a cluster can come to; of kinds that are not here, the last of _MOST_PLACES."""


_FIRST_UNIT: Mapping[str, int] = {"racked": 1, "shelved": 101, "joined": 101}
"""The first rack unit by kind: 100 times the rack plus the rack unit; rack 0 stands for every node rack."""


def find_lock_path(blueprint: str) -> Path | None:
    """Return where the lock of a blueprint file lies; None for standard input."""
    return None if blueprint == "-" else Path(blueprint).with_suffix(_SUFFIX)


def is_lock(path: str) -> bool:
    """Whether a file is a lock, by its name."""
    return path.endswith(_SUFFIX)


def list_blueprints(path: str) -> list[str]:
    """Return the blueprints that a path stands for: those directly in a folder, the one beside a lock, or the file
    itself.

    Raises InputError (FG001) for a folder without blueprints.
    """
    if not Path(path).is_dir():
        return [find_locked_blueprint(path)]
    files = sorted(str(file) for ending in ("yaml", "yml") for file in Path(path).glob(f"[!.]*.{ending}"))
    blueprints = [file for file in files if not is_lock(file)]
    if not blueprints:
        raise fault("FG001", f"there is no blueprint in the folder {path!r}", span=Span(path, 1, 1))
    return blueprints


def find_locked_blueprint(path: str) -> str:
    """Return the blueprint that lies beside a lock; return any other path as it is."""
    if not is_lock(path):
        return path
    stem = path.removesuffix(_SUFFIX)
    return next((stem + suffix for suffix in (".yaml", ".yml") if Path(stem + suffix).is_file()), path)


def read_lock(blueprint: str, name: str) -> Lock:
    """Read the lock beside a blueprint whose `name:` is given; return an empty lock if there is no file.

    Raises InputError (FG038) for a lock that is damaged, of a newer version, or of another cluster.
    """
    path = find_lock_path(blueprint)
    if path is None or not path.exists():
        return Lock()
    lock = parse_lock(read_bytes(path, str(path)), str(path))
    if lock.blueprint != name:
        raise fault(
            CODE,
            f"this lock is of '{lock.blueprint}', and the blueprint is named '{name}'",
            span=Span(str(path), 1, 1),
            hint=f"if it is the same cluster under a new name, write `blueprint: {name}` here; else delete this file",
        )
    return lock


def parse_lock(data: bytes, shown_as: str) -> Lock:
    """Read the text of a lock. Raises InputError (FG038, or FG001 to FG006) with every place that is damaged."""
    try:
        located = parse_located(data, shown_as)
    except InputError as error:
        raise InputError(replace(d, hint=d.hint or _WAY_OUT) for d in error.diagnostics) from None
    return _Reader(located, shown_as).read_lock()


_WAY_OUT = "restore this file from git, or resolve the conflict in it; one holder a line"


class _Reader:
    """Turns the YAML of a lock into a Lock, and collects its faults."""

    def __init__(self, located: Located, file: str) -> None:
        self._located, self._file = located, file
        self._faults: list[Diagnostic] = []

    def read_lock(self) -> Lock:
        """Return the lock. Raises InputError (FG038) with every fault that was found."""
        data = self._located.data
        if not isinstance(data, dict) or "fabricgen-lock" not in data:
            raise fault(CODE, "this is no lock of fabricgen", span=Span(self._file, 1, 1), hint=_WAY_OUT)
        version = data["fabricgen-lock"]
        if type(version) is not int or version < 1:
            self._add_fault(("fabricgen-lock",), f"the version of a lock is a number, not {version!r}")
        elif version > VERSION:
            raise fault(
                CODE,
                f"this lock is of version {version}; this fabricgen reads version {VERSION}",
                span=self._located.span(("fabricgen-lock",)),
                hint="update fabricgen to the version that your colleagues use",
            )
        for key in data:
            if key not in ("fabricgen-lock", "blueprint", "rooms", ADOPTED, *WORDS) and not _is_kind(key):
                self._add_fault((key,), f"a lock has no '{key}'")
        blueprint = data.get("blueprint")
        if not isinstance(blueprint, str):
            self._add_fault(("blueprint",), "a lock names its blueprint")
        held = {kind: self._read_held(kind) for kind in data if _is_kind(kind)}
        rooms = self._read_section("rooms", _parse_room) if "rooms" in data else {}
        self._check_rooms(rooms)
        words = {kind: self._read_section(kind, _parse_word) for kind in WORDS if kind in data}
        self._check_words(words)
        words |= {ADOPTED: self._read_adopted()} if ADOPTED in data else {}
        lines = {text: self._located.span((ADOPTED, text)) for text in words.get(ADOPTED, ())}
        if self._faults:
            raise InputError(self._faults)
        return Lock(str(blueprint), held, rooms, words, lines, self._file)

    def _check_rooms(self, rooms: Mapping[str, int]) -> None:
        """Add a fault for each room that is no power of two, or too small: below 2 for links, or 4 for a subnet.

        Rooms that are plain counts, of ports or of places on the floor, may be any number up to `_LAST_PLACE`.
        """
        for name, room in rooms.items():
            smallest = 2 if name.partition(" +")[0].endswith(("uplink", "peer")) or " nodes of " in name else 1
            smallest = 4 if name == "management" else smallest  # a subnet; a link takes 2
            is_count = name.startswith(("managed ", "floor ", PORTS)) or " for extras " in name
            if is_count and room > _LAST_PLACE:
                self._add_fault(("rooms", name), f"{room} is too large: these counts end at {_LAST_PLACE}")
            elif not is_count and (room & (room - 1) or room < smallest):  # `room & (room - 1)`: 0 for powers of two
                self._add_fault(("rooms", name), f"{room} is no room: a power of two from {smallest} on")

    def _check_words(self, words: Mapping[str, Mapping[str, str]]) -> None:
        """Add a fault for each text of `dealing`, `stacked` or `sized` (`WORDS`) that cannot be read, and for each port
        that two extra devices hold.
        """
        for name, word in words.get("dealing", {}).items():
            if word not in ("slot", "unit"):
                self._add_fault(("dealing", name), f"'{word}' is not how ports are dealt: by `slot` or by `unit`")
        checks: Mapping[str, Callable[[str], object]] = {STACKED: parse_history, SIZED: parse_sized}
        for section, check in checks.items():
            for name, word in words.get(section, {}).items():
                try:
                    check(word)
                except ValueError as error:
                    self._add_fault((section, name), str(error))
        holders: dict[str, str] = {}
        for name, port in words.get("extras", {}).items():
            first_holder = holders.setdefault(port, name)
            if first_holder != name:
                hint = "delete the line of the one that is not plugged in yet; `fabricgen lock` gives it another port"
                self._add_fault(
                    ("extras", name), f"'{first_holder}' and '{name}' both hold {port}: two branches gave it away", hint
                )

    def _read_held(self, kind: str) -> Allocations:
        """Read the numbers of one kind by holder, and add a fault for two holders that have the same number."""
        last = _LAST.get(kind.partition(" ")[0], _MOST_PLACES - 1)
        first = _FIRST_UNIT.get(kind.partition(" ")[0])
        read = _parse_vlan if kind == "vlans" else partial(_parse_ranges, last=last)
        read = partial(_parse_rack_units, first=first) if first else read
        if kind in ("ipv4", "ipv6"):
            read = partial(_parse_prefixes, network=getattr(ipaddress, f"IPv{kind[-1]}Network"))
        held = self._read_section(kind, read)
        has_gaps = kind.startswith("cages ")
        for name in held if has_gaps else ():
            if not re.fullmatch(_KIND_OF_PORT, name):
                self._add_fault((kind, name), f"'{name}' is no kind of port such as '2 x 400 over 100'")
        clash = find_overlap({name: _drop_gaps(intervals) for name, intervals in held.items()} if has_gaps else held)
        if clash:
            a, b, interval = clash
            self._add_fault(
                (kind, b),
                f"'{a}' and '{b}' both hold {show_interval(kind, interval)}: two branches gave it away",
                f"delete the line of the one that is not built yet; `fabricgen lock` gives it {kind} anew",
            )
        return held

    def _read_mapping(self, kind: str) -> Iterable[tuple[Any, Any]]:
        """Return the (holder, value) pairs of a section; none, and a fault is added, if it is no mapping."""
        section = self._located.data[kind]
        if isinstance(section, dict):
            return section.items()
        self._add_fault((kind,), f"'{kind}' is a mapping from holders to numbers")
        return ()

    def _read_adopted(self) -> dict[str, str]:
        """Return the adopted values by key, both in their usual spelling."""
        adopted: dict[str, str] = {}
        for text, value in self._read_mapping(ADOPTED):
            try:
                key = parse_key(str(text))
                adopted[key.text()] = parse_adopted(key, value)
            except ValueError as error:
                self._add_fault((ADOPTED, text), str(error))
        return adopted

    def _read_section(self, kind: str, read: Callable[[Any], Any]) -> dict[str, Any]:
        """Return a section by holder, its values read by `read`, which raises ValueError for a value that it cannot
        read.
        """
        section = {}
        for name, value in self._read_mapping(kind):
            if not isinstance(name, str) or not re.fullmatch(_NAME, name):
                self._add_fault((kind, name), f"{name!r} is no holder")
                continue
            try:
                section[name] = read(value)
            except ValueError as error:
                self._add_fault((kind, name), str(error))
        return section

    def _add_fault(self, path: tuple[str, ...], message: str, hint: str = _WAY_OUT) -> None:
        self._faults.append(Diagnostic(CODE, Severity.ERROR, message, (), hint, self._located.span(path)))


def _is_kind(key: Any) -> bool:
    """Whether a key is one of `KINDS`, perhaps with a kind of units or a site behind it: `units /b300 east`."""
    kind, _, site = str(key).partition(" ")
    return (
        isinstance(key, str)
        and kind in KINDS
        and (not site or (kind in _OF_PLACES and bool(re.fullmatch(f"/[a-z0-9.+-]*( {_NAME})?|{_NAME}", site))))
    )


def _parse_room(value: Any) -> int:
    """Return the size of a room, 1 to 2^128; raises ValueError for anything else."""
    text = str(value)
    if isinstance(value, bool) or not re.fullmatch(r"\d{1,39}", text) or not 0 < int(text) <= 1 << 128:
        raise ValueError(f"{value!r} is no count")
    return int(text)


def _format_count(number: int) -> str:
    """Return a count as YAML, in quotes beyond 18 digits."""
    return str(number) if number < 10**18 else f'"{number}"'


def _parse_word(value: Any) -> str:
    """Return a name as it is; raises ValueError for anything that is not a name."""
    if not isinstance(value, str) or not re.fullmatch(_NAME, value):
        raise ValueError(f"{value!r} is no name")
    return value


def _parse_ranges(value: Any, last: int) -> Intervals:
    """Return the numbers of a text such as `0-15, 32-47`. Raises ValueError for another text and for numbers above
    `last`.
    """
    intervals = []
    for text in str(value).split(","):
        match = re.fullmatch(_RANGE, text.strip())  # a number alone has no second group
        if isinstance(value, bool) or not match or int(match[2] or match[1]) < int(match[1]):
            raise ValueError(f"'{value}' is no list of numbers such as 0-15, 32-47")
        if int(match[2] or match[1]) > last:
            raise ValueError(f"{match[2] or match[1]} is too large: these numbers end at {last}")
        intervals.append(Interval(int(match[1]), int(match[2] or match[1]) - int(match[1]) + 1))
    return tuple(intervals)


def _parse_rack_units(value: Any, first: int) -> Intervals:
    """Return places in racks, written as 100 times the rack plus the rack unit. Raises ValueError for a place before
    `first`, for rack unit 0, and for a range over two racks.
    """
    intervals = _parse_ranges(value, _MOST_PLACES - 1)
    for interval in intervals:
        if interval.first < first or not interval.first % 100 or interval.first // 100 != (interval.end - 1) // 100:
            raise ValueError(f"'{value}' is no place in racks: 100 times the rack plus the rack unit, from {first} on")
    return intervals


def _drop_gaps(cages: Intervals) -> Intervals:
    """Return cage numbers without 0, which stands for a cage that another kind of port has taken."""
    clipped = (Interval(max(1, interval.first), interval.end - max(1, interval.first)) for interval in cages)
    return tuple(interval for interval in clipped if interval.size > 0)


def _parse_vlan(value: Any) -> Intervals:
    """Return a VLAN id, 2 to 4094, as an interval of one number; raises ValueError for anything else."""
    if type(value) is not int or not 2 <= value <= 4094:
        raise ValueError(f"{value!r} is no VLAN: 2 to 4094")
    return (Interval(value, 1),)


def _parse_prefixes(value: Any, network: type[ipaddress.IPv4Network | ipaddress.IPv6Network]) -> Intervals:
    """Return the intervals of prefixes of one family, with commas between them. Raises ValueError for another text."""
    try:
        prefixes = [network(text.strip()) for text in str(value).split(",")]
    except ValueError as error:
        raise ValueError(f"'{value}' is no list of prefixes: {error}") from None
    return tuple(Interval(int(prefix.network_address), prefix.num_addresses) for prefix in prefixes)


def _split_interval(kind: str, interval: Interval) -> list[Interval]:
    """Return an interval in pieces that `show_interval` can write: addresses as prefixes, other numbers as they are."""
    if kind not in ("ipv4", "ipv6"):
        return [interval]
    pieces, first = [], interval.first
    while first < interval.end:
        size = 1 << (interval.end - first).bit_length() - 1  # the largest power of two that still fits
        # no larger than the power of two that `first` is a multiple of, or it would be no prefix
        size = min(size, first & -first) if first else size
        pieces.append(Interval(first, size))
        first += size
    return pieces


def _quote_name(name: str) -> str:
    """Return a name as YAML of the lock: in quotes if YAML would read it as a truth value or null."""
    return f'"{name}"' if name in _WORDS else name


def show_interval(kind: str, interval: Interval) -> str:
    """Return an interval as the lock writes it: `0-15`, `7`, or a prefix such as `10.0.0.0/28` for addresses.

    An interval of addresses has to be a prefix: a power of two of them that begins at a multiple of its size.
    """
    # 2^k addresses have a bit length of k + 1, and are a prefix of 32 - k bits
    if kind == "ipv4":
        return f"{ipaddress.IPv4Address(interval.first)}/{33 - interval.size.bit_length()}"
    if kind == "ipv6":
        return f"{ipaddress.IPv6Address(interval.first)}/{129 - interval.size.bit_length()}"
    return str(interval.first) if interval.size == 1 else f"{interval.first}-{interval.end - 1}"


_HEAD = """\
# What is given away of slots, numbers and addresses. `fabricgen lock` and `fabricgen build` keep it; commit it with
# the blueprint. What is no longer in the blueprint stays here, and unused, until `fabricgen lock --release`.
"""


def format_lock(lock: Lock) -> str:
    """Return the text of a lock, sorted, so that equal locks have equal bytes."""
    lines = [_HEAD + f"fabricgen-lock: {VERSION}", f'blueprint: "{lock.blueprint}"']
    order = list(KINDS)
    for kind in sorted(lock.held, key=lambda kind: (order.index(kind.partition(" ")[0]), kind)):
        if lock.find_allocations(kind):
            lines.append(f"{kind}:")
            for name, intervals in sorted(lock.find_allocations(kind).items()):
                text = ", ".join(
                    show_interval(kind, part) for interval in intervals for part in _split_interval(kind, interval)
                )
                lines.append(f"  {_quote_name(name)}: " + (f'"{text}"' if kind == "ipv6" else text))
    for word in WORDS:
        if lock.find_words(word):
            lines.append(f"{word}:")
            lines += [
                f"  {_quote_name(name)}: {_quote_name(text)}" for name, text in sorted(lock.find_words(word).items())
            ]
    if lock.find_words(ADOPTED):
        lines.append(f"{ADOPTED}:")
        lines += [
            f"  {format_adopted(*adopted)}"
            for adopted in sorted(parse_adopted_section(lock.find_words(ADOPTED)).items())
        ]
    if lock.rooms:
        lines.append("rooms:")
        lines += [f"  {_quote_name(name)}: {_format_count(room)}" for name, room in sorted(lock.rooms.items())]
    return "\n".join(lines) + "\n"
