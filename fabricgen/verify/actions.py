"""What a person has to do in the hall, and the state of every cable: what a verification finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from hashlib import sha256

from fabricgen.wiring.arrays import Flags, Ints


class CableState(IntEnum):
    """States of a cable, from the best to the worst; UNSEEN is 0, so that the maximum of several links ignores it.

    A cable with several links has the worst state of its links. But if some of them are unseen and none is dark or
    elsewhere, the cable is unseen.
    """

    UNSEEN, AS_PLANNED, HARMLESS, DARK, ELSEWHERE = range(5)

    @property
    def word(self) -> str:
        """The name of the state in reports: `as_planned`."""
        return self.name.lower()


class Kind(Enum):
    """Kinds of actions, in the order in which a diagnosis lists them; reports use it among actions of equal cost."""

    # boxes of one model stand in each other's places
    EXCHANGE = "exchange"
    # a row of plugs of one device is off by the same number of places
    SHIFT = "shift"
    # one bundle is fanned out wrongly: the tails of a breakout, or the ends of trunks between panels
    SPLITTER = "splitter"
    # plugs of one node are on each other's rail or plane
    CROSSED = "crossed"
    # three plugs or more are in each other's places
    RING = "ring"
    # two plugs are in each other's places
    SWAP = "swap"
    # plugs are in the wrong places, and at least one planned place is free
    MOVE = "move"
    # no neighbour is seen at either end of a planned cable
    DARK = "dark"
    # another module than planned is plugged in
    OPTIC = "optic"
    # no move of plugs explains what is seen: a person has to look at the port
    PORT = "port"


@dataclass(frozen=True, slots=True)
class End:
    """A place in the hall: `port` as the NOS names it, `label` as printed on the plug planned there ("": none).

    `connector` is the socket that the plug is in, as printed on the device and on the label: `33`, or `33/2` in a
    twin-port cage.
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
    """One plug that is pulled at `pull` and put in at `put`.

    `cable` is the planned cable that is then right ("" for a spare cable, or a trunk between panels). `reaches`:
    whether that cable, in its planned length, could reach the place where the plug is found now. If not, another cable
    lies there, and may not reach where the plug has to go. None if the floor is not known or the cable is patched.
    """

    cable: str
    pull: End
    put: End
    reaches: bool | None = None


@dataclass(frozen=True, slots=True)
class Consequence:
    """What a fault costs until it is mended. `links` counts the links that are not as planned (0: not computed).

    `lost_gbps` is the bandwidth that is gone, `astray_gbps` the bandwidth on a wrong path, both in Gb/s by fabric and
    tiers: `compute node-leaf`. `rails` and `planes` are those that are crossed, as (fabric, planned, seen); `fabrics`
    those that are crossed, as (planned, seen). `uplinks` has the switches that lost uplinks, as (switch, lost,
    planned). `uneven` has pairs of switches with more or fewer links than planned, as (switch, other switch, seen,
    planned). `nodes` and `accelerators` count the nodes affected, and the accelerators in them.
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
    """Another explanation of the same sightings, and the work if that one is right; its text begins with "or"."""

    kind: Kind
    text: str
    moves: int
    boxes: int = 0
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Action:
    """One thing to do.

    `moves` counts what a hand pulls and puts elsewhere: plugs (all plugs that go from one cage to one other cage count
    once) or ends of trunks. `boxes` counts the devices that change places. `cables` are the ids of the cables that are
    not as planned because of this fault; `ends` are the places to go to. For an exchange of boxes, `renamed` maps the
    name that each box tells to the planned device in whose place it stands, and `by_hardware` says whether the MACs or
    GUIDs of the boxes confirm it.
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
        """The cables that are wrong because of this fault; if there are none yet, the cables whose plugs are moved.

        A cable can be as planned now, and wrong only after boxes are exchanged.
        """
        return self.cables or tuple(sorted({step.cable for step in self.steps} - {""}))

    @property
    def id(self) -> str:
        """An id that stays the same from run to run: the kind and a digest of the ends."""
        subject = "\n".join(
            [self.kind.value, *sorted(f"{end.device}:{end.connector or end.port}" for end in self.ends)]
        )
        return f"{self.kind.value}-{sha256(subject.encode()).hexdigest()[:8]}"


@dataclass(frozen=True)
class AsFound:
    """What is joined to what, once boxes that stand in each other's places are taken for those planned there.

    Ports are numbered as in PlannedCabling; then come spare ports, whose devices `spare` has by name. `joined_to`
    (int32, by port) is the port at the other end of the cable, -1 if unknown. `gone` (bool, by planned link) says
    whether the link is certainly not there: it is dark, or one of its ends is joined to another port or sees a
    stranger.
    """

    joined_to: Ints
    gone: Flags
    spare: tuple[str, ...]


@dataclass(frozen=True)
class Diagnosis:
    """The state of every cable (int32, a CableState by cable of PlannedCabling), and what is to be done.

    `extra` are links that were seen and are not in the plan; `harmless` are links that are swapped with equal parallel
    ones; both as text. `notes` say in sentences what was inferred, ignored or not matched. `as_found` is the cabling as
    `diagnose` understood it. `named` are the devices whose own dump tells their planned name.
    """

    states: Ints
    actions: tuple[Action, ...]
    extra: tuple[str, ...] = ()
    harmless: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    as_found: AsFound | None = None
    named: frozenset[str] = frozenset()
