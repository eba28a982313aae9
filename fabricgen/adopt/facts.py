"""What is known of a running cluster, and what was inferred from it: the types that all of `adopt` shares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

NODE = "node"
"""The tier of nodes and of extra devices."""

Value: TypeAlias = str | int
Place: TypeAlias = tuple[str, ...]
"""A path in the page: ("fabrics", "compute", "tiers", "leaf", "per")."""


class End(NamedTuple):
    """A port of a device, as the sources call both."""

    device: str
    port: str


class Joint(NamedTuple):
    """Two ports that are joined; `speed_gbps` is 0 where no source tells it, `source` is FILE or FILE:LINE."""

    a: End
    b: End
    speed_gbps: float = 0
    source: str = ""


class DeviceFacts(NamedTuple):
    """What the sources tell of one device; "" where they do not. `model` and `rack` are as they write them."""

    name: str
    model: str = ""
    nos: str = ""
    role: str = ""
    serial: str = ""
    chassis: str = ""
    site: str = ""
    rack: str = ""
    u: str = ""
    source: str = ""

    def join(self, other: DeviceFacts) -> DeviceFacts:
        """Both together; where they differ, what stands here."""
        return DeviceFacts(*(ours or theirs for ours, theirs in zip(self, other, strict=True)))


class Coordinates(NamedTuple):
    """Where a device belongs in the inferred form.

    `fabric` is "" of nodes and extra devices. `tier` is that of a switch, else NODE. `label` is the node set, or the
    extra set's key. `at` has the values by dimension (site, pod, su, rack, rail, rail-group, plane, a lower tier), and
    the number in the group as `n`, for nodes in the unit as `node`; numbers count from 1. `profile` is the catalogue's.
    """

    fabric: str
    tier: str
    label: str
    profile: str
    nos: str
    at: Mapping[str, Value]


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


@dataclass(frozen=True)
class Topology:
    """The form that was inferred of the facts: the page's words on wiring, and where each device belongs.

    `words` is the page as nested mappings, in the order in which it is written. `devices` are by the names of the
    facts. `default_names` are the names that the page gives without `names`, by the names of the facts.
    """

    words: Mapping[str, Any]
    devices: Mapping[str, Coordinates]
    inferences: Sequence[Inference] = ()
    notes: Sequence[str] = ()
    default_names: Mapping[str, str] = field(default_factory=dict)
