"""What a schema of SONiC's asks of a value, in words."""

from __future__ import annotations

import re
from typing import Any

from fabricgen.catalog.sonic_schema import Schema, walk_types
from fabricgen.kernel.diagnostics import nearest

_PREFIX = "an IP prefix with its length, such as 10.0.0.0/24"
_ADDRESS = "an IP address"
_ADDRESS_AND_LENGTH = "an IP address with a prefix length, such as 10.0.0.1/31"
_MAP_NAME = "a name of 1 to 32 letters, digits, `_` and `-`"
_VLAN = "the name of a VLAN, Vlan1 to Vlan4094"
_VRF = "a name that begins with Vrf"

NAMED = {
    "ietf-inet-types:domain-name": "a host name",
    "ietf-inet-types:host": "a host name or address",
    "ietf-inet-types:ip-address": _ADDRESS,
    "ietf-inet-types:ip-address-no-zone": _ADDRESS,
    "ietf-inet-types:ip-prefix": _PREFIX,
    "ietf-inet-types:ipv4-address": "an IPv4 address",
    "ietf-inet-types:ipv4-address-no-zone": "an IPv4 address",
    "ietf-inet-types:ipv4-prefix": "an IPv4 prefix with its length, such as 10.0.0.0/24",
    "ietf-inet-types:ipv6-address": "an IPv6 address",
    "ietf-inet-types:ipv6-address-no-zone": "an IPv6 address",
    "ietf-inet-types:ipv6-prefix": "an IPv6 prefix with its length, such as fd00::/64",
    "ietf-yang-types:mac-address": "a MAC address",
    "sonic-types:hostname": "a host name of at most 63 characters",
    "sonic-types:mac-address-list": "MAC addresses with commas between them",
    "sonic-types:sonic-ip-prefix": _ADDRESS_AND_LENGTH,
    "sonic-types:sonic-ip4-prefix": _ADDRESS_AND_LENGTH,
    "sonic-types:sonic-ip6-prefix": _ADDRESS_AND_LENGTH,
}
"""Words for types that are known by their name."""

BY_PATTERN = {
    "": "an empty value",
    "(1[0-5]|[0-9])((-)(1[0-5]|[0-9]))?": "a queue 0 to 15, or a range such as 0-2",
    "([0-7](,[0-7])*)?": "whole numbers from 0 to 7 with commas between them",
    "6[0-3]|[1-5][0-9]?|[0-9]?": "a whole number from 0 to 63",
    "[0-7]((-)[0-7])?": "a priority group 0 to 7, or a range such as 3-4",
    "[0-7]?": "a whole number from 0 to 7",
    "[0-9]+m": "a length in metres such as 40m",
    "AUTO|([a-fA-F0-9]{2}:){9}[a-fA-F0-9]{2}": "AUTO, or ten bytes of which the first is 00",
    "PortChannel[0-9]{1,4}": "the name of a bond, PortChannelN",
    "Vrf[a-zA-Z0-9_-]+": _VRF,
    "[a-zA-Z0-9]{1}([-a-zA-Z0-9_]{0,31})": _MAP_NAME,
    "Vlan(409[0-5]|40[0-8][0-9]|[1-3][0-9]{3}|[1-9][0-9]{2}|[1-9][0-9]|[2-9])": "the name of a VLAN, Vlan2 to Vlan4095",
    "Vlan([0-9]{1,3}|[1-3][0-9]{3}|[4][0][0-8][0-9]|[4][0][9][0-4])": _VLAN,
    "Vlan[0-9]+": "the name of a VLAN, VlanN",
    "[^ #,]*": "characters without blank, # and comma",
    "[^ @:]*": "characters without blank, @ and :",
    "[^ :@,\\\\']*": "characters without blank, : @ , \\ and '",
    "version_(([1-9]|[1-9]{1}[0-9]{1})_([0-9]{1,2})_([0-9]{1,2})|([1-9]{1}[0-9]{5})_([0-9]{2}))": (
        "a schema such as version_202305_01"
    ),
    "[^\\n]+": "one line",
}
"""Words for patterns, which are of no named type."""

_ENDS = "^(?:", r")$(?!\n)"


def describe_expected(schema: Schema, value: str = "", *, references: bool = True) -> str:
    """What would be right instead of a value, which may be near to one of the right words; without names of rows, where
    `references` are told otherwise.
    """
    types = [(name, kind) for name, kind in walk_types(schema, NAMED) if references or "x-ref" not in kind]
    words = [word for _, kind in types for word in kind.get("enum", ())]
    others = [NAMED.get(name) or _text(kind) for name, kind in types if "enum" not in kind]
    near = nearest(value, words) if value and len(words) > 3 else None
    said = [f"{'one of ' * (len(words) > 1 or not others)}{', '.join(dict.fromkeys(words))}"] if words else []
    return " or ".join([*dict.fromkeys(others), *said]) + (f"; did you mean '{near}'?" if near else "")


def _text(schema: Schema) -> str:
    if "x-range" in schema:
        return _number(schema["x-range"])
    patterns = [rule["pattern"] for rule in (schema, *schema.get("allOf", ())) if "pattern" in rule]
    texts = [pattern.removeprefix(_ENDS[0]).removesuffix(_ENDS[1]) for pattern in patterns]
    length = _length(schema)
    said = [BY_PATTERN.get(text, f"characters like {text}") for text in texts]
    return " and ".join(re.sub("^characters", length, text) for text in said) or length


def _number(ranges: list[list[Any]]) -> str:
    parts = [f"{low}" if low == high else f"from {low} to {high}" for low, high in ranges]
    whole = "whole " if all(isinstance(low, int) for low, _ in ranges) else ""
    return f"a {whole}number {' or '.join(parts)}"


def _length(schema: Schema) -> str:
    low, high = schema.get("minLength", 0), schema.get("maxLength")
    if high is None:
        return f"at least {low} characters" if low else "characters"
    return f"{low} to {high} characters" if low else f"at most {high} characters"
