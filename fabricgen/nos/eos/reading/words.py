"""Words of EOS lines that have several spellings, each brought to one (Arista EOS user manual)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from ipaddress import ip_address, ip_interface
from itertools import islice
from typing import TypeAlias

from fabricgen.running.tree import UnknownTextError

MOST_NAMED = 4096  # more ports or VLANs than a line can name
_PORT_KINDS = ("Ethernet", "Management", "Loopback", "Port-Channel", "Vlan", "Vxlan")
_PORT_KIND = {kind[:letters].lower(): kind for kind in _PORT_KINDS for letters in range(2, len(kind) + 1)}

Words: TypeAlias = tuple[str, ...]


def _limit_words(names: Iterable[str]) -> Words:
    """Return the names of a line as a tuple; raises UnknownTextError for more than any line of a switch has."""
    words = tuple(islice(names, MOST_NAMED + 1))
    if len(words) > MOST_NAMED:
        raise UnknownTextError(f"a line names more than {MOST_NAMED} things at once")
    return words


def _parse_numbers(text: str) -> Words:
    """Return the numbers of a list in order: `10-12,20`, or `0 1 2`."""
    ranges = (number_range.partition("-") for number_range in re.split("[, ]", text))
    numbers = (number for lowest, _, highest in ranges for number in range(int(lowest), int(highest or lowest) + 1))
    return tuple(map(str, sorted(map(int, {*_limit_words(map(str, numbers))}))))


def parse_ports(text: str) -> Words:
    """Return the interfaces of a list by their full names: Et1/1-3,2/5,Po1; a run of cages is 1-4/1, or 1/1-4/1.

    Raises ValueError or LookupError for text that is no list of interfaces.
    """
    return _limit_words(_expand_ports(text))


def _expand_ports(text: str) -> Iterator[str]:
    """Yield each port of `Ethernet1/1-4,7` under its full name; a later run keeps the kind of the one before it."""
    kind = ""
    for port_range in text.split(","):
        letters, numbers = re.findall("^([A-Za-z-]*?)([0-9].*)", port_range)[0]
        kind = _PORT_KIND[letters.lower()] if letters else kind
        start, _, end = numbers.partition("-")
        first_numbers, last_numbers = start.split("/"), (end or start).split("/")
        # `1/2/1-4` ends at 1/2/4: the end has the last numbers alone; `1-3/1` begins at 1/1
        last_numbers = first_numbers[: len(first_numbers) - len(last_numbers)] + last_numbers
        first_numbers += last_numbers[len(first_numbers) :]
        # one of several numbers may run
        (position,) = [
            position for position, number in enumerate(first_numbers) if number != last_numbers[position]
        ] or [-1]
        for number in (
            range(int(first_numbers[position]), int(last_numbers[position]) + 1) if end else [first_numbers[position]]
        ):
            first_numbers[position] = str(number)
            yield kind + "/".join(first_numbers)


def _parse_name(text: str) -> Words:
    """Return a host, peer or next hop: an address or interface in full, or the text itself."""
    for words in (_parse_address, parse_ports):
        try:
            return words(text)
        except (ValueError, LookupError):
            continue
    return (text,)


def _parse_address(text: str) -> Words:
    """Return an IP address in its usual spelling."""
    return (str(ip_address(text)),)


def _parse_as_numbers(text: str) -> Words:
    """Return a word with the AS numbers of a text in decimals, separated by blanks: 65536 for 1.0 (RFC 5396)."""
    halves = [word.rpartition(".") for word in text.split()]
    return (
        " ".join(
            str(int(upper_16_bits or 0) * 65536 + int(lower_16_bits)) for upper_16_bits, _, lower_16_bits in halves
        ),
    )


def _parse_target(text: str) -> Words:
    """Return a route target or distinguisher with its AS number in decimals: 65536:7 for 1.0:7; an IP address stays."""
    administrator, _, number = text.partition(":")
    return (f"{_parse_as_numbers(administrator)[0] if administrator.count('.') == 1 else administrator}:{number}",)


def _parse_secret(text: str) -> Words:
    """Return a secret with the type that it is written in; a plain secret, or a reference to one, has no type."""
    kind, _, secret = text.rpartition(" ")
    return (secret if kind == "0" or secret.startswith("<") else text,)


_MAC = r"[\da-fA-F]{4}\.[\da-fA-F]{4}\.[\da-fA-F]{4}|[\da-fA-F]{2}(?::[\da-fA-F]{2}){5}"
_GSHUT = {"GSHUT": "65535:0"}  # RFC 8326

# Kinds of words, as the forms of `lines.yaml` name them: a regular expression without groups, and what a text of it
# stands for, several words where it is a range; ValueError or LookupError where it is no such word.
KINDS: dict[str, tuple[str, Callable[[str], Words]]] = {
    "WORD": (r"\S+", lambda text: (text,)),
    "TEXT": (r"\S.*", lambda text: (text,)),
    "NUMBER": (r"\d+", lambda text: (str(int(text)),)),
    "DECIMAL": (r"\d+(?:\.\d+)?", lambda text: (f"{float(text):g}",)),
    "NUMBERS": (r"\d+(?:[ ,-]\d+)*", _parse_numbers),
    "VLANS": (r"\d+(?:[,-]\d+)*", lambda text: (",".join(_parse_numbers(text)),)),
    "PORT": (r"[A-Za-z-]+\d[\d/.]*", parse_ports),
    "PORTS": (r"[A-Za-z-]+\d[\w/.,-]*", parse_ports),
    "IP": (r"[\da-fA-F:.]+", _parse_address),
    "NAME": (r"\S+", _parse_name),
    "PREFIX": (r"[\da-fA-F:.]+/\d+|\d[\d.]+ \d[\d.]+", lambda text: (str(ip_interface(text.replace(" ", "/"))),)),
    "ASN": (r"\d+(?:\.\d+)?", _parse_as_numbers),
    "ASNS": (r"\d+(?:\.\d+)?(?: \d+(?:\.\d+)?)*", _parse_as_numbers),
    "TARGET": (r"\S+:\S+", _parse_target),
    "COMMUNITIES": (
        r"(?:\d+:\d+|GSHUT)(?: (?:\d+:\d+|GSHUT))*",
        lambda text: (" ".join(sorted(_GSHUT.get(word, word) for word in text.split())),),
    ),
    "MAC": (_MAC, lambda text: (":".join(re.findall("..", re.sub("[:.]", "", text.lower()))),)),
    "ESI": (r"[\da-fA-F:.]+", lambda text: (text.lower(),)),
    "SPEED": (r"\S+", lambda text: (text.removesuffix("full"),)),
    "SECRET": (r"(?:(?:0|7|8a|L) )?\S+", _parse_secret),
}
