"""What a lock keeps of a fabric that was there before: names, places and numbers of single devices, one a line.

Devices are known by the names that they have without templates, so that a new name loses nothing.
"""

import ipaddress
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from fabricgen.blueprint.sections.asn import parse_asn
from fabricgen.blueprint.sections.cable_overrides import parse_address
from fabricgen.blueprint.sections.floor import HIGHEST, DevicePlace, is_rack_name
from fabricgen.blueprint.sections.naming import LONGEST, is_host_name
from fabricgen.kernel.intervals import Interval

ADOPTED = "adopted"
"""The section of the lock, and the first part of a path into it."""

PLACE = "place"
"""The key of a device's place: its rack and rack unit."""

_KEY = (
    r"(?a)(?P<device>[A-Za-z0-9][A-Za-z0-9-]{0,199}) "
    r"((?P<plain>name|asn|place)|(?P<v6>ipv6 )?((?P<own>loopback|mgmt)|port (?P<port>[A-Za-z0-9]([\w ./:-]{0,98}\w)?)))"
)


class Key(NamedTuple):
    """The key of an adopted value of a device, which has its name without templates (`compute-spine-01`).

    `what` is name, asn, place, loopback, mgmt or port; the last three are addresses of one family, IPv6 if `v6`. `port`
    is the name of the port whose address it is, "" for all else.
    """

    device: str
    what: str
    port: str = ""
    v6: bool = False

    def text(self) -> str:
        """Return the key as the lock writes it: `compute-spine-01 port Ethernet0`."""
        return " ".join(word for word in (self.device, "ipv6" if self.v6 else "", self.what, self.port) if word)


def parse_key(text: str) -> Key:
    """Return the key that a text of the lock stands for. Raises ValueError for any other text."""
    match = re.fullmatch(_KEY, text)
    if not match:
        raise ValueError(f"'{text}' is nothing that can be adopted; `leaf-01 asn` is")
    kind = match["plain"] or match["own"] or "port"
    return Key(match["device"], kind, match["port"] or "", bool(match["v6"]))


def parse_adopted(key: Key, value: Any) -> str:
    """Return the value of a key in its usual spelling: `leaf-01`, `65001`, `net-row-01 u40`, `10.0.0.1`.

    Raises ValueError, in the user's terms, for a value that does not fit.
    """
    if key.what == "asn":
        return str(parse_asn(value))
    if key.what == PLACE:
        place = parse_place(str(value))
        return format_place(place.rack, place.u)
    if key.what == "name":
        if not isinstance(value, str) or not is_host_name(value):
            raise ValueError(
                f"'{value}' is not a host name: letters, digits and '-' inside, at most {LONGEST} characters"
            )
        return value
    address = parse_address(str(value))
    if (":" in address) != key.v6:
        raise ValueError(f"{address} is no {'IPv6' if key.v6 else 'IPv4'} address")
    return address


def parse_place(text: str) -> DevicePlace:
    """Return the place that a text such as `net-compute-spine-01 u40` names. Raises ValueError, in the user's terms."""
    rack, _, unit = text.rpartition(" ")
    if not re.fullmatch(r"(?a)u\d{1,2}", unit) or not 1 <= int(unit[1:]) <= HIGHEST or not is_rack_name(rack):
        raise ValueError(
            f"'{text[:120]}' is no place in a rack: its name in lower-case letters, digits and '-' inside, and u1 to "
            f"u{HIGHEST}, such as `net-compute-spine-01 u40`"
        )
    return DevicePlace.model_construct(rack=rack, u=int(unit[1:]))


def format_place(rack: str, u: int) -> str:
    """Return a place (a rack, and the rack unit `u`) as the lock writes it: `net-row-01 u40`."""
    return f"{rack} u{u}"


def format_adopted(key: Key, value: str) -> str:
    """Return the line of the lock for a key and its value: `compute-spine-01 asn: 65001`."""
    return f"{key.text()}: " + (f'"{value}"' if key.what == "name" or key.v6 else value)


def parse_adopted_section(words: Mapping[str, str]) -> dict[Key, str]:
    """Return the adopted values by key, from the section of the lock as `Lock.words` has it: key as text -> value.

    Raises ValueError for a text that is no key.
    """
    return {parse_key(text): value for text, value in words.items()}


def can_be_kept(key: Key) -> bool:
    """Return whether the text of a key has the form that a lock can hold, such as `leaf-01 port Ethernet0`.

    A key has another form if, for example, the name of its port has characters that the lock does not take.
    """
    return re.fullmatch(_KEY, key.text()) is not None


def find_interval(key: Key, value: str) -> tuple[str, Interval] | None:
    """Return (kind of number, the numbers that a value takes): `asns`, `ipv4` or `ipv6`; None for names and places.

    The address of a port takes both addresses of its link.
    """
    if key.what in ("name", PLACE):
        return None
    if key.what == "asn":
        return "asns", Interval(int(value), 1)
    address = int(ipaddress.ip_address(value))
    # a port takes both addresses of its /31 or /127: the even one and the next
    interval = Interval(address & ~1, 2) if key.what == "port" else Interval(address, 1)
    return "ipv6" if key.v6 else "ipv4", interval


def list_taken_numbers(words: Mapping[str, str]) -> dict[str, list[int]]:
    """Return every number that the adopted values in the section `words` (key -> value) take, ascending, by kind.

    Kinds are `asns`, `ipv4` and `ipv6`; addresses are integers. Raises ValueError for a text that is no key.
    """
    numbers_by_kind: dict[str, set[int]] = {}
    for key, value in parse_adopted_section(words).items():
        if interval := find_interval(key, value):
            numbers_by_kind.setdefault(interval[0], set()).update(range(interval[1].first, interval[1].end))
    return {kind: sorted(numbers) for kind, numbers in numbers_by_kind.items()}


def list_keys(words: Iterable[str], device: str) -> set[str]:
    """Return the keys about one device among `words`, the section's keys as text: those that begin with its name."""
    return {text for text in words if text.partition(" ")[0] == device}
