"""The types of what is known of a running cluster, and of what is inferred from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

PagePath: TypeAlias = tuple[str, ...]
"""A path in the page: ("fabrics", "compute", "tiers", "leaf", "per")."""


class End(NamedTuple):
    """A port of a device, both by the names that the sources have for them."""

    device: str
    port: str

    @property
    def text(self) -> str:
        """The port in a sentence."""
        return f"{self.device} port {self.port}"


RECORDED, SEEN = 1, 2
"""The kinds of sources of links: lists, as of a NetBox, say what is meant; dumps say what is plugged."""


class Link(NamedTuple):
    """Two ports that a cable joins; `source` is FILE:LINE of a list, or a URL, "" if no list has the link.

    `gbps` is the rate at which it runs, Gb/s, 0 if no dump tells it. `kinds` is RECORDED, SEEN, or the sum of both if
    both kinds of sources have the link.
    """

    a: End
    b: End
    source: str = ""
    gbps: int = 0
    kinds: int = RECORDED

    @property
    def text(self) -> str:
        """The link in a sentence."""
        return f"{self.a.text} to {self.b.text}"


class DeviceFacts(NamedTuple):
    """What the sources tell of one device, "" for what they do not tell; `model` and `rack` are spelled as they are
    there.
    """

    name: str
    model: str = ""
    nos: str = ""
    site: str = ""
    rack: str = ""

    def join(self, other: DeviceFacts) -> DeviceFacts:
        """Return these facts, with what they do not tell from another source."""
        return DeviceFacts(*(first or second for first, second in zip(self, other, strict=True)))


class Inference(NamedTuple):
    """A row of the report: the value that was inferred for a path of the page.

    `facts` of `total` facts on that path agree with the value; the others contradict it. `note` says how the value was
    decided, or what is not sure of it.
    """

    path: PagePath
    value: str
    facts: int
    total: int
    note: str = ""


class Question(NamedTuple):
    """A choice that the sources leave open, the values that agree with all of them, and the option that answers it."""

    what: str
    candidates: tuple[str, ...]
    hint: str


@dataclass(frozen=True)
class Facts:
    """All that was read of a cluster.

    `links` are sorted, each is there once. `devices` are by name, in natural order. `unlinked` are ports that a dump
    lists without a neighbour. `notes` are sentences on what could not be used.
    """

    links: tuple[Link, ...]
    devices: Mapping[str, DeviceFacts]
    unlinked: tuple[End, ...] = ()
    notes: tuple[str, ...] = ()
