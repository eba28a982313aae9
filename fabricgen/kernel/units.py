"""Quantities as people write them: speeds, counts, ratios, percentages."""

from __future__ import annotations

import re
from fractions import Fraction

_SPEED = re.compile(r"^(\d+(?:\.\d+)?)(?:\s*([GMTgmt])(?:b(?:it)?(?:/[sS]|[pP][sS])?|[bB][eE])?)?$", re.ASCII)
_IN_BYTES = re.compile(r"^(\d+(?:\.\d+)?)\s*([GMTgmt])B(?:/[sS]|[pP][sS])?$", re.ASCII)
_COUNT_OF = re.compile(r"^(\d+)\s*[x×]\s*(\S.*)$", re.IGNORECASE | re.ASCII)
_RATIO = re.compile(r"^(\d+(?:\.\d+)?)\s*(?::\s*(\d+(?:\.\d+)?))?$", re.ASCII)
_PERCENT = re.compile(r"^(\d+(?:\.\d+)?)\s*%$", re.ASCII)
_SIZE = re.compile(r"^([1-9][0-9]{0,12})(?:([KMGT])i?)?B?$", re.ASCII)
_SCALE = {"M": Fraction(1, 1000), "G": Fraction(1), "T": Fraction(1000), "": Fraction(1)}


def parse_speed(text: str | int | float) -> int:
    """Return a speed such as `400G`, `1.6T`, `400Gb/s` or a bare number of Gb/s, in Gb/s.

    Bits are written `b`, `bit`, `b/s`, `bps`, `bit/s`, `bE` or not at all. Raises ValueError if the text is no speed,
    counts bytes (a capital B), or is not a whole number of Gb/s.
    """
    match = _SPEED.match(str(text).strip())
    if in_bytes := _IN_BYTES.match(str(text).strip()):
        bits = f"{float(in_bytes[1]) * 8:g}{in_bytes[2].upper()}"
        raise ValueError(f"'{text}' counts bytes (B); a speed counts bits: {bits} is as much")
    if not match:
        raise ValueError(f"'{text}' is not a speed; write it like 400G")
    gbps = Fraction(match[1]) * _SCALE[(match[2] or "").upper()]
    if gbps.denominator != 1 or gbps < 1:
        raise ValueError(f"'{text}' is not a whole number of Gb/s")
    return int(gbps)


def parse_count(text: str) -> tuple[int, str]:
    """Return the count and the name in a text such as `32 x dgx-b200`. Raises ValueError for another form."""
    match = _COUNT_OF.match(text.strip())
    if not match:
        raise ValueError(f"'{text}' is not a count of something; write it like '32 x dgx-b200'")
    return int(match[1]), match[2].strip()


def parse_ratio(text: str | int | float) -> Fraction:
    """Return an oversubscription such as `4:3`, `1.5:1` or 2 as downlink over uplink bandwidth.

    Raises ValueError if it is no ratio or one side is zero.
    """
    match = _RATIO.match(str(text).strip())
    if not match or not Fraction(match[1]) or not Fraction(match[2] or 1):
        raise ValueError(f"'{text}' is not a ratio; write it like \"2:1\"")
    return Fraction(match[1]) / Fraction(match[2] or 1)


def parse_percent(text: str | int | float) -> float:
    """Return `10%`, or a bare fraction such as 0.1, as 0.1. Raises ValueError for another form."""
    if isinstance(text, int | float) and not isinstance(text, bool):
        return float(text)
    match = _PERCENT.match(str(text).strip())
    if not match:
        raise ValueError(f"'{text}' is not a percentage; write it like 10%")
    return float(match[1]) / 100


def parse_size(text: str) -> int:
    """Return a number of bytes such as `64K`, `16MiB` or `8G`, in powers of 1024. Raises ValueError for another
    form.
    """
    match = _SIZE.match(text.strip())
    if not match:
        raise ValueError(f"'{text}' is no size: write 64K, 16M or 8G")
    # `*` binds before `<<`: ten bits for each letter on; without one, none
    return int(match[1]) << 10 * " KMGT".index(match[2] or " ")


def round_up_to_power_of_two(n: int) -> int:
    """Return the smallest power of two that is >= n (1 for n <= 1)."""
    return 1 << max(0, n - 1).bit_length()


def format_number(value: int | float) -> str:
    """Return a number rounded to ten-thousandths, as prices are held, without a needless fraction: 15, 0.5."""
    rounded = round(value, 4)
    return str(int(rounded)) if float(rounded).is_integer() else repr(float(rounded))
