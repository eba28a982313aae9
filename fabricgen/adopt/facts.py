"""What is known of a running cluster, and what was inferred from it: the types that all of `adopt` shares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

Place: TypeAlias = tuple[str, ...]
"""A path in the page: ("fabrics", "compute", "tiers", "leaf", "per")."""


class End(NamedTuple):
    """A port of a device, as the sources call both."""

    device: str
    port: str


class Joint(NamedTuple):
    """Two ports that are joined; `source` is FILE:LINE, "" of dumps."""

    a: End
    b: End
    source: str = ""


class DeviceFacts(NamedTuple):
    """What the sources tell of one device; "" where they do not. `model` and `rack` are as they write them."""

    name: str
    model: str = ""
    nos: str = ""
    site: str = ""
    rack: str = ""

    def join(self, other: DeviceFacts) -> DeviceFacts:
        """Both together; where they differ, what stands here."""
        return DeviceFacts(*(ours or theirs for ours, theirs in zip(self, other, strict=True)))


class Inference(NamedTuple):
    """A row of the table that is told: what was inferred, from how many facts, of how many that speak of it.

    Where `facts` is less than `of`, the rest contradicts it. `note` says how it was decided, or what is not known.
    """

    what: Place
    value: str
    facts: int
    of: int
    note: str = ""


class Question(NamedTuple):
    """What the sources do not decide, with what would be right for all of them, and how to answer."""

    what: str
    candidates: tuple[str, ...]
    hint: str


@dataclass(frozen=True)
class Facts:
    """All that was read. `joints` are sorted, each once; `devices` are by name, in natural order of names.

    `alone` are ports that a dump lists and that see nobody. `notes` are sentences on what could not be used.
    """

    joints: tuple[Joint, ...]
    devices: Mapping[str, DeviceFacts]
    alone: tuple[End, ...] = ()
    notes: tuple[str, ...] = ()
