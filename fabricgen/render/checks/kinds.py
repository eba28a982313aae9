"""Value checks for config_db.json, where every value is a string; a check returns the value or says what is wanted."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from functools import lru_cache
from typing import TypeAlias

Check: TypeAlias = Callable[[str], str]


class UnwantedError(ValueError):
    """Raised by a check; its text says what would be right."""


def number(low: int, high: int) -> Check:
    """A whole number from `low` to `high` in digits."""

    def check(text: str) -> str:
        if not re.fullmatch(r"-?\d{1,20}", text) or not low <= int(text) <= high:
            raise UnwantedError(f"a whole number from {low} to {high}")
        return text

    return check


def one_of(*words: str) -> Check:
    """One of some words."""

    def check(text: str) -> str:
        if text not in words:
            raise UnwantedError("one of " + ", ".join(words))
        return text

    return check


def pattern(expression: str, wanted: str) -> Check:
    """Text that a regular expression matches in full."""
    compiled = re.compile(expression)

    def check(text: str) -> str:
        if not compiled.fullmatch(text):
            raise UnwantedError(wanted)
        return text

    return check


def listed(check: Check, separator: str = ",", *, empty: bool = False) -> Check:
    """A separated list of values of one kind; with `empty` single values may be missing."""

    def check_all(text: str) -> str:
        for part in text.split(separator):
            if part or not empty:
                check(part)
        return text

    return check_all


@lru_cache(maxsize=1 << 14)
def address(text: str) -> str:
    """An IP address."""
    try:
        ipaddress.ip_address(text)
    except ValueError:
        raise UnwantedError("an IP address") from None
    return text


@lru_cache(maxsize=1 << 14)
def interface_address(text: str) -> str:
    """An IP address with its prefix length."""
    try:
        ipaddress.ip_interface(text)
    except ValueError:
        raise UnwantedError("an IP address with a prefix length, such as 10.0.0.1/31") from None
    if "/" not in text:
        raise UnwantedError("an IP address with a prefix length, such as 10.0.0.1/31")
    return text


@lru_cache(maxsize=1 << 14)
def network(text: str) -> str:
    """An IP prefix without host bits."""
    try:
        ipaddress.ip_network(text)
    except ValueError:
        raise UnwantedError("an IP prefix without host bits, such as 10.0.0.0/24") from None
    if "/" not in text:
        raise UnwantedError("an IP prefix with its length, such as 10.0.0.0/24")
    return text


def anything(text: str) -> str:
    """Any text."""
    return text


port_name = pattern(r"Ethernet\d{1,4}", "the name of a port, EthernetN")
bond_name = pattern(r"PortChannel\d{1,4}", "the name of a bond, PortChannelN")
bridged_name = pattern(r"(Ethernet|PortChannel)\d{1,4}", "the name of a port or bond, EthernetN or PortChannelN")
vlan_name = pattern(r"Vlan([1-9]\d{0,2}|[1-3]\d{3}|40[0-8]\d|409[0-4])", "Vlan1 to Vlan4094")
own_vrf = pattern(r"Vrf[A-Za-z0-9_-]{0,12}", "a name that begins with Vrf")
vrf_name = pattern(r"Vrf[A-Za-z0-9_-]{0,12}|default", "a name that begins with Vrf, or default")
own_name = pattern(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?", "a host name of at most 63 characters")
host_name = pattern(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,253}[A-Za-z0-9])?", "a host name or address")
map_name = pattern(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}", "a name of 1 to 32 letters, digits, `_` and `-`")
"""Of maps, WRED profiles and the table of cable lengths (sonic-dscp-tc-map.yang and its like)."""

_label = r"([A-Za-z0-9_][A-Za-z0-9_-]{0,61})?[A-Za-z0-9]"
_domain = re.compile(rf"(?=.{{1,253}}$)({_label}\.)*{_label}\.?")


def server(text: str) -> str:
    """An IP address or a host name (inet:host, RFC 6991)."""
    try:
        return address(text)
    except UnwantedError:
        if not _domain.fullmatch(text):
            raise UnwantedError("a host name or address") from None
        return text


label = pattern(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}", "a name of letters, digits, `_`, `.` and `-`")
line = pattern(r"[^\x00-\x1f\x7f]{0,255}", "one line of at most 255 characters")
name = pattern(r"[^\x00-\x1f\x7f]{1,255}", "one line of 1 to 255 characters")
traffic_class = number(0, 7)
dscp = number(0, 63)
truth = one_of("true", "false")
up_down = one_of("up", "down")
mac = pattern(r"[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}", "a MAC address")
asn = number(1, (1 << 32) - 1)
size = number(0, (1 << 64) - 1)
