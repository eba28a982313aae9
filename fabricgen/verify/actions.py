"""What a person has to do in the hall, and the state of every cable: what a verification finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from hashlib import sha256

from fabricgen.wiring.arrays import Flags, Ints


class CableState(IntEnum):
    """States of a cable, from the best to the worst; a breakout has the worst state of its links, and is unseen unless
    all of them are seen or one is dark or elsewhere.
    """

    UNSEEN, AS_PLANNED, HARMLESS, DARK, ELSEWHERE = range(5)

    @property
    def word(self) -> str:
        """The name of the state in reports: `as_planned`."""
        return self.name.lower()


class Kind(Enum):
    """Kinds of actions, in the order in which reports list them."""

    # boxes of one model stand in each other's places
    EXCHANGE = "exchange"
    # a row of plugs of one device is off by as much
    SHIFT = "shift"
    # one bundle is fanned out wrongly: the tails of a breakout, or the ends of trunks between panels
    SPLITTER = "splitter"
    # plugs of one node are in each other's rail or plane
    CROSSED = "crossed"
    # three plugs or more are in each other's places
    RING = "ring"
    # two plugs are in each other's places
    SWAP = "swap"
    # plugs are in the wrong places, and one place at least is free
    MOVE = "move"
    # nobody is seen where a cable should be
    DARK = "dark"
    # another module than planned is plugged in
    OPTIC = "optic"
    # nothing that could be moved explains it: a person has to look at the port
    PORT = "port"


@dataclass(frozen=True, slots=True)
class End:
    """A place in the hall: `port` as the NOS calls it, `label` as printed on the plug planned there ("": none).

    `connector` is where the plug is, as printed on the device and its label: `33`, or `33/2` of a twin-port cage.
    """

    device: str
    port: str
    rack: str = ""
    u: int = 0
    cage: str = ""
    label: str = ""
    connector: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One plug that is pulled and put elsewhere. `cable` is the planned cable that is then right ("": a spare one, or a
    trunk between panels).

    `reaches`: whether that cable, as planned, is long enough to be the one that is plugged where the plug is found now.
    If not, another cable lies there, and may not reach where the plug has to go. None where the floor is not known, and
    through patch panels.
    """

    cable: str
    pull: End
    put: End
    reaches: bool | None = None


@dataclass(frozen=True, slots=True)
class Consequence:
    """What it costs until it is mended. `links` counts the links that are not as planned (0: not computed).

    `lost_gbps` is what is gone, `astray_gbps` what takes a wrong path, Gb/s by fabric and tiers: `compute node-leaf`.
    `rails` and `planes` are those that are crossed, by fabric: (fabric, planned, seen); `fabrics` (planned, seen).
    `uplinks` of switches that have lost some: (switch, lost, planned); `uneven` where a switch has other numbers of
    links to another: (switch, other, seen, planned). `nodes` and `accelerators`: of the nodes affected.
    """

    links: int = 0
    lost_gbps: Mapping[str, float] = field(default_factory=dict)
    astray_gbps: Mapping[str, float] = field(default_factory=dict)
    rails: tuple[tuple[str, int, int], ...] = ()
    planes: tuple[tuple[str, int, int], ...] = ()
    fabrics: tuple[tuple[str, str], ...] = ()
    uplinks: tuple[tuple[str, int, int], ...] = ()
    uneven: tuple[tuple[str, str, int, int], ...] = ()
    nodes: int = 0
    accelerators: int = 0


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another explanation of the same sightings, and what mending it by that would take; its text begins with "or"."""

    kind: Kind
    text: str
    moves: int
    boxes: int = 0
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Action:
    """One thing to do. `moves` counts what a hand pulls and puts elsewhere: plugs, those of a cage that go to one other
    cage together, or ends of trunks; `boxes` devices that change places.

    `cables` are the ids of the cables that are not as planned because of it; `ends` where one has to go.
    `renamed` maps, for an exchange, the name of each box as it tells it to the device that it stands for; `by_hardware`
    says whether the MACs or GUIDs of the boxes say so, too.
    """

    kind: Kind
    moves: int
    cables: tuple[str, ...]
    ends: tuple[End, ...]
    text: str
    boxes: int = 0
    steps: tuple[Step, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    consequence: Consequence = Consequence()
    renamed: Mapping[str, str] = field(default_factory=dict)
    by_hardware: bool = False

    @property
    def concerned(self) -> tuple[str, ...]:
        """Its cables; where these are as planned until boxes are exchanged, those whose plugs it moves."""
        return self.cables or tuple(sorted({step.cable for step in self.steps} - {""}))

    @property
    def id(self) -> str:
        """A name that stays while the same finding stays: its kind and a digest of what is wrong."""
        subject = "\n".join(
            [self.kind.value, *sorted(f"{end.device}:{end.connector or end.port}" for end in self.ends)]
        )
        return f"{self.kind.value}-{sha256(subject.encode()).hexdigest()[:8]}"


@dataclass(frozen=True)
class AsFound:
    """What is joined to what, once boxes that stand in each other's places are taken for those planned there.

    Ports are numbered as in PlannedCabling, then spare ones, of which `spare` has the devices. `mate`, int32 by port,
    is the port that it is joined to (-1: none that is known); `gone`, bool by planned link, whether it is surely not
    there: it is dark, or one of its ends is joined to another port or sees a stranger.
    """

    mate: Ints
    gone: Flags
    spare: tuple[str, ...]


@dataclass(frozen=True)
class Diagnosis:
    """The state of every cable (int32, of CableState, by cable of PlannedCabling), and what is to be done.

    `extra` are links that were seen and that no plan has, as text. `notes` say what was inferred, ignored or not
    matched, in sentences. `as_found` is what `diagnose` made of the sightings. `named` are devices whose own dump tells
    their planned name.
    """

    states: Ints
    actions: tuple[Action, ...]
    extra: tuple[str, ...] = ()
    harmless: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    as_found: AsFound | None = None
    named: frozenset[str] = frozenset()
