"""What a device was asked to show of its configuration: text, or JSON, which is parsed once for all who look at it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple


class ShownConfiguration(NamedTuple):
    """The configuration in a dump: the NOS, the files of its reader by name, and the host name in them, or ""."""

    nos: str
    files: Mapping[str, str]
    hostname: str


@dataclass(frozen=True)
class Dump:
    """A text that a device or a file of it shows, without the prompts of a terminal."""

    text: str

    @cached_property
    def is_json(self) -> bool:
        """Whether it starts as JSON does."""
        return self.text.lstrip()[:1] in ("{", "[")

    @cached_property
    def data(self) -> Any:
        """Its value where it is JSON, else None."""
        try:
            return json.loads(self.text) if self.is_json else None
        except (ValueError, RecursionError):
            return None


def text_at(records: Any, *keys: str) -> str:
    """The text below some keys of the first record of a list that has one; "" for none."""
    for record in records:
        value = record
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        if isinstance(value, str):
            return value
    return ""
