"""Values in dumps of modules and ports, read into one form: texts, power, speeds, FEC."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

from fabricgen.kernel.diagnostics import make_printable

_NUMBER = re.compile(r"([-+]?(?:\d{1,18}(?:\.\d{0,30})?|\.\d{1,30})(?:[eE][-+]?\d{1,3})?|-inf)\s*([A-Za-z/%]*)")
_SPEED = re.compile(r"(\d{1,7}(?:\.\d{1,3})?)\s*([GM])(?:b|bps|b/s|bit/s)?", re.IGNORECASE)
_NOTHING = ("", "n/a", "na", "none", "unknown", "not present", "not available")
_MOST = 64
"""The longest text of a module that is kept, characters; SFF-8636 has 16 bytes for a name."""

MOST_WORDS = 600
"""The longest text that is kept about what a module is, characters."""

_FEC = {
    "rs": "rs",
    "rs-fec": "rs",
    "reed-solomon": "rs",
    "fc": "fc",
    "fire-code": "fc",
    "base-r": "fc",
    "none": "none",
    "off": "none",
    "disabled": "none",
}


def clean_text(value: Any, most: int = _MOST) -> str:
    """Return a text of a module with unprintable characters spelled out; "" for N/A and the like, or no text."""
    text = make_printable(value.strip()[:most])[:most] if isinstance(value, str) else ""
    return "" if text.lower() in _NOTHING else text


def join_words(words: Iterable[str]) -> str:
    """Join what a module says about itself to one text, each word once."""
    return "; ".join(word for word in dict.fromkeys(words) if word and not word.startswith("Not supported"))[
        :MOST_WORDS
    ]


def read_number(value: Any) -> float | None:
    """Read a number with or without a unit (`-2.5dBm`); -inf is -40, which other systems print; None for no number."""
    match = _NUMBER.fullmatch(value.strip()) if isinstance(value, str) and len(value) < 100 else None
    if match is None:
        return None
    result = float(match[1])
    if result == -math.inf:
        return -40.0
    return result if math.isfinite(result) else None


def read_power(row: Mapping[str, Any], name: str) -> tuple[float, ...]:
    """Read the power of each lane, dBm, up to the first lane without a value.

    `name` is a key such as `rx{}power`, for `rx1power` and so on; SFPs have one lane, `rxpower`.
    """
    lanes: list[float] = []
    if (single := read_number(row.get(name.format("")))) is not None:
        return (single,)
    while len(lanes) < 16 and (value := read_number(row.get(name.format(len(lanes) + 1)))) is not None:
        lanes.append(value)
    return tuple(lanes)


def read_count(value: Any) -> int | None:
    """Read a count, with or without commas between thousands; None for no count."""
    text = value.strip().replace(",", "") if isinstance(value, str) and len(value) < 40 else ""
    return int(text) if text.isdecimal() and text.isascii() else None


def read_speed(value: Any) -> float:
    """Read a speed such as 400G or 1000M, Gb/s; 0 for no speed."""
    match = _SPEED.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        return 0.0
    return float(match[1]) / (1000 if match[2].upper() == "M" else 1)


def read_fec(value: Any) -> str:
    """Read the FEC of a port: rs, fc or none; "" for a value that does not say which (auto, N/A)."""
    return _FEC.get(value.strip().lower(), "") if isinstance(value, str) else ""


def read_state(value: Any) -> str:
    """Read a state: up or down; "" for anything else."""
    text = value.strip().lower() if isinstance(value, str) else ""
    return text if text in ("up", "down") else ""


def count_lanes(value: Any) -> int:
    """Count the lanes in a list such as 1,2,3,4; 0 for no list."""
    text = value.strip() if isinstance(value, str) else ""
    return text.count(",") + 1 if text and re.fullmatch(r"\d{1,6}(,\d{1,6}){0,15}", text) else 0
