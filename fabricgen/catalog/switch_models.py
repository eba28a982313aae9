"""What the catalogue says of a switch: its cages, its line cards where it is a chassis, its size and power."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from fabricgen.catalog.profile import DeviceProfile, FormFactor
from fabricgen.models.forms import FieldError, FrozenModel

Protocol = Literal["ethernet", "infiniband", "nvlink", "scale-up-ethernet", "ualink", "ub", "pcie", "optical-circuit"]

MOST_CONNECTORS = 2
"""The most connectors that a cage has, of a switch as of a NIC."""

_LITTLE = 0.02
"""The share of a face that ports for management have at most, which chips are not counted with."""


class CageClass(FrozenModel):
    """A run of equal cages on a switch face, numbered in the order of the classes."""

    count: Annotated[int, Field(gt=0, description="Cages of this kind.")]
    form_factor: Annotated[FormFactor, Field(description="OSFP, QSFP-DD, QSFP112, QSFP28, SFP28, RJ45, ...")]
    lanes: Annotated[int, Field(gt=0, description="Electrical lanes of one cage.")]
    lane_gbps: Annotated[float, Field(gt=0, description="Fastest rate of one lane, Gb/s.")]
    connectors: Annotated[
        Literal[1, 2], Field(description="2 for a twin-port cage: two cable connectors, one transceiver.")
    ] = 1
    breakouts: Annotated[
        dict[int, tuple[int, ...]], Field(description="Ports a cage may be split into -> speeds offered by each, Gb/s.")
    ]
    breakout_blocks: Annotated[
        dict[int, int],
        Field(
            description=(
                "Ports a cage may be split into -> how many cages one so split takes up: itself, and the next ones, "
                "which stay empty. Blocks of that many begin at the first cage of the class. Not listed: takes up 1."
            )
        ),
    ] = Field(default_factory=dict)

    made_media: Annotated[
        dict[float, tuple[str, ...]],
        Field(
            description=(
                "Lane rate, Gb/s -> the only cable profiles that are made for these cages at that rate, where their "
                "vendor says so; the first is taken without being asked for. Not listed: any that fits."
            )
        ),
    ] = Field(default_factory=dict)
    top: Annotated[
        Literal["finned", "flat"],
        Field(
            description="The top of OSFP plugs in it: finned where air cools them, flat where the cage or liquid does."
        ),
    ] = "finned"
    optic_w: Annotated[
        float | None, Field(gt=0, description="What a transceiver may draw in each of these cages, W.")
    ] = None
    high_power_w: Annotated[
        float | None, Field(gt=0, description="What one may draw in those of `high_power_cages`, W.")
    ] = None
    high_power_cages: Annotated[
        tuple[int, ...], Field(description="Cages that may draw more, by number on the face.")
    ] = ()
    rows: Annotated[
        int | None,
        Field(ge=1, le=64, description="Rows they form on the face, or on a card. Default: as few as 19 inches take."),
    ] = None
    numbered: Annotated[
        Literal["down", "across"],
        Field(description="Their numbers run down each column, or across each row. Default: down."),
    ] = "down"

    def optic_limit_w(self, cages: Iterable[int]) -> float | None:
        """Return the largest draw, W, that a transceiver may have in each of `cages` (numbers on the face); None if not
        published.

        It is `high_power_w` only if all of these cages allow that.
        """
        if self.high_power_w and set(cages) <= set(self.high_power_cages):
            return self.high_power_w
        return self.optic_w

    @model_validator(mode="after")
    def _check_speeds(self) -> Self:
        """Raise ValueError if breakouts do not divide the lanes of a cage, or its lanes do not carry their speeds."""
        for ways, speeds in self.breakouts.items():
            if ways < 1 or self.lanes % ways:
                raise ValueError(f"{self.lanes} lanes do not split into {ways} ports")
            if max(speeds) > self.lanes / ways * self.lane_gbps:
                raise ValueError(
                    f"{ways} ports of {max(speeds)}G need more than {self.lanes} x {self.lane_gbps}G lanes"
                )
        return self

    @model_validator(mode="after")
    def _check_blocks(self) -> Self:
        """Raise ValueError if cages do not divide into the blocks that a breakout takes up."""
        for ways, cages in self.breakout_blocks.items():
            if ways not in self.breakouts:
                raise ValueError(f"a block is given for {ways} ports, which is no breakout of this cage")
            if cages < 2 or self.count % cages:
                raise ValueError(f"{self.count} cages do not divide into blocks of {cages}; a block is 2 or more")
        return self

    @property
    def speed_gbps(self) -> int:
        """The fastest port that a cage offers, Gb/s."""
        return max(max(speeds) for speeds in self.breakouts.values())

    @property
    def lanes_gbps(self) -> int:
        """What a cage carries at most, however it is split, Gb/s per direction."""
        return max(ways * max(speeds) for ways, speeds in self.breakouts.items())

    @property
    def speeds(self) -> frozenset[int]:
        """Every port speed that a cage offers, Gb/s."""
        return frozenset(s for speeds in self.breakouts.values() for s in speeds)

    def split_for(self, speed_gbps: int, lane_gbps: float) -> int | None:
        """Return into how many ports to split each cage, so that all cages of the class together make the most ports of
        a speed; None if no split makes such ports.

        `lane_gbps` is the rate of each lane of these ports: one of 100G over four 25G lanes takes four lanes of its
        cage, whatever these could carry. A fine split may disable cages beside it: if two splits make equally many
        ports, the coarser is returned.
        """
        fits = [ways for ways in self.breakouts if self.carries(ways, speed_gbps, lane_gbps)]
        return max(fits, key=lambda ways: (ways / self.block(ways), -ways), default=None)

    def carries(self, ways: int, speed_gbps: int, lane_gbps: float) -> bool:
        """Whether a cage split into `ways` offers ports of a speed, and has the lanes for all of them."""
        lanes_used = -(-speed_gbps // lane_gbps)
        return speed_gbps in self.breakouts.get(ways, ()) and lanes_used * ways <= self.lanes

    def block(self, ways: int) -> int:
        """Return how many cages a cage takes up if it is split into `ways`: 1, or more if the split disables cages
        beside it.
        """
        return self.breakout_blocks.get(ways, 1)


class Pipelines(FrozenModel):
    """How many ports a pipeline of the ASIC serves, and the cages (from 1) that share each."""

    ports: Annotated[int, Field(gt=0, description="Ports of one pipeline at most, however its cages are split.")]
    cages: Annotated[
        tuple[tuple[int, ...], ...], Field(min_length=1, description="The cages of each pipeline, by number.")
    ]

    @cached_property
    def of_cage(self) -> dict[int, int]:
        """Cage -> its pipeline, from 0."""
        return {cage: i for i, cages in enumerate(self.cages) for cage in cages}


class LineCards(FrozenModel):
    """Equal line cards of a chassis, in consecutive slots."""

    count: Annotated[int, Field(gt=0, description="Cards of this kind.")]
    cages: Annotated[int, Field(gt=0, description="Cages of one card.")]
    first_slot: Annotated[
        int, Field(gt=0, description="The slot of the first of these cards, as the chassis numbers them.")
    ]
    model: Annotated[str, Field(description="What the card is called.")]
    part_number: Annotated[
        str, Field(min_length=1, pattern=r"^[A-Za-z0-9][A-Za-z0-9.-]*$", description="What is ordered.")
    ]
    source: Annotated[str, Field(description="Where its part number is printed.")] = ""


class LaserModules(FrozenModel):
    """The external laser modules of a switch with co-packaged optics: plugged into its front, and exchanged there."""

    count: Annotated[int | None, Field(gt=0, le=512, description="How many it takes; null where nobody says.")] = None
    part_number: Annotated[
        str,
        Field(
            max_length=64,
            pattern=r"^([A-Za-z0-9][A-Za-z0-9._/-]*)?$",
            description="What is ordered; empty: not published.",
        ),
    ] = ""
    power_w: Annotated[float | None, Field(gt=0, le=200, description="What one draws, W; null where nobody says.")] = (
        None
    )
    source: Annotated[str, Field(min_length=8, description="Where this was read.")]


class Tables(FrozenModel):
    """What a switch is published to hold at most; what is not published is left out, and not judged."""

    routes_v4: Annotated[int | None, Field(gt=0, description="IPv4 routes, with the profile that takes most.")] = None
    routes_v6: Annotated[
        int | None, Field(gt=0, description="IPv6 routes longer than /64, with the profile that takes most.")
    ] = None
    ecmp_groups: Annotated[int | None, Field(gt=0, description="Groups of equal-cost next hops.")] = None
    ecmp_width: Annotated[int | None, Field(gt=0, description="Next hops of one group.")] = None
    bgp_neighbors: Annotated[int | None, Field(gt=0, description="BGP sessions.")] = None
    source: Annotated[str, Field(min_length=8, description="Where these figures are published.")]


class Variant(FrozenModel):
    """A form in which a switch is sold: which way air goes through it, and whether it manages itself.

    Power-to-connector (P2C) air leaves at the ports, which face the hot aisle; connector-to-power (C2P) air enters
    there.
    """

    airflow: Annotated[
        Literal["exhaust", "intake"] | None,
        Field(description="What its port side is: exhaust (P2C), intake (C2P); null where nobody says."),
    ] = None
    managed: Annotated[
        bool | None, Field(description="Whether it has a processor of its own; null where all have.")
    ] = None
    nos: Annotated[tuple[str, ...], Field(description="NOS that it is sold for. Default: any.")] = ()
    supply: Annotated[
        Literal["dc"] | None,
        Field(description="dc: fed by the busbar of its rack, for which it is taken. Default: AC, by cords."),
    ] = None
    model: Annotated[str, Field(max_length=40, description="What this form is called, where that differs.")] = ""
    part_number: Annotated[
        str,
        Field(pattern=r"^([A-Za-z0-9][A-Za-z0-9._-]*)?$", description="What is ordered; empty: not published."),
    ] = ""
    source: Annotated[str, Field(description="Where its part number is printed.")] = ""

    @property
    def aisle(self) -> str:
        """The aisle that its ports face: hot or cold; "" if it is not known."""
        return {"exhaust": "hot", "intake": "cold"}.get(self.airflow or "", "")

    @property
    def text(self) -> str:
        """What it is, for people; "" if nothing is known."""
        words = (
            f"form {self.model}" if self.model else "",
            {True: "managed", False: "unmanaged", None: ""}[self.managed],
            f"port side {self.airflow}" if self.airflow else "",
            "DC power from the busbar of its rack" if self.supply == "dc" else "",
        )
        return ", ".join(filter(None, words))


class SwitchProfile(DeviceProfile):
    """A switch: its face, size, power and the network operating systems it runs.

    A chassis has one face too: its cages are numbered through, card by card. Its power is that of the chassis with
    all its cards, fabric and supervisor modules.
    """

    kind: Annotated[Literal["switch"], Field(description="What the file describes.")] = "switch"
    vendor: Annotated[str, Field(description="Who makes it.")]
    model: Annotated[str, Field(description="What its maker calls it.")]
    protocol: Annotated[Protocol, Field(description="What it switches.")]
    asic: Annotated[str, Field(description="Its switching chip.")]
    throughput_gbps: Annotated[float | None, Field(gt=0, description="Per direction, Gb/s.")] = None
    latency_ns: Annotated[
        float | None,
        Field(gt=0, description="From port to port without queueing, ns, where that is published."),
    ] = None
    cages: Annotated[
        tuple[CageClass, ...], Field(min_length=1, description="Its cages by kind, in the order of the face.")
    ]
    nos: Annotated[
        tuple[str, ...],
        Field(min_length=1, description="Network operating systems that run on it, the usual one first."),
    ]
    part_number: Annotated[str, Field(description="What is ordered.")] = ""
    variants: Annotated[
        tuple[Variant, ...],
        Field(description="The forms in which it is sold; the first that suits the NOS is taken unless a tier says."),
    ] = ()
    pipelines: Annotated[
        Pipelines | None,
        Field(description="Where pipelines of the ASIC serve fewer ports than their cages could be split into."),
    ] = None
    lasers: Annotated[
        LaserModules | None, Field(description="Its external laser modules; null: it has none, as without CPO.")
    ] = None
    tables: Annotated[Tables | None, Field(description="What its tables hold at most, where that is published.")] = None
    line_cards: Annotated[
        tuple[LineCards, ...],
        Field(
            description="The line cards of a chassis, which hold its cages in the order of the face; none: a fixed box."
        ),
    ] = ()
    scheduled: Annotated[
        bool, Field(description="Leaf or spine of a scheduled fabric, whose switches link to each other alone.")
    ] = False

    def __eq__(self, other: object) -> bool:
        """Whether another object is this one: a catalogue has each profile once, and it is a key of caches."""
        return self is other

    def __hash__(self) -> int:
        return id(self)

    @model_validator(mode="after")
    def _check_pipelines(self) -> Self:
        """Raise ValueError unless pipelines name cages of the face, each once."""
        cages = [cage for pipeline in self.pipelines.cages for cage in pipeline] if self.pipelines else []
        bad_cages = sorted({cage for cage in cages if cages.count(cage) > 1 or not 1 <= cage <= self.cage_count})
        if bad_cages:
            raise ValueError(f"pipelines name cages once, from 1 to {self.cage_count}; got {bad_cages}")
        return self

    @model_validator(mode="after")
    def _check_throughput(self) -> Self:
        """Raise ValueError if the stated throughput is not what the cages carry together.

        Kinds of cages that carry little of it, such as ports for management, may be counted in the throughput or not.
        """
        stated = self.throughput_gbps
        if stated is None:
            return self
        carried = [cage.count * cage.lanes_gbps for cage in self.cages]
        total, main = sum(carried), sum(gbps for gbps in carried if gbps >= _LITTLE * sum(carried))
        if stated >= total + self.cages[0].speed_gbps or stated < main:
            face = " + ".join(f"{cage.count} x {cage.speed_gbps}G" for cage in self.cages)
            raise FieldError(
                "throughput_gbps",
                f"{stated:g} Gb/s, and its cages carry {total:g} Gb/s in each direction ({face}): state what one "
                "direction carries, or leave it out",
            )
        return self

    @model_validator(mode="after")
    def _check_cards(self) -> Self:
        """Raise ValueError unless line cards hold the cages of the face, and are listed by slot."""
        if not self.line_cards:
            return self
        cage_total = sum(cards.count * cards.cages for cards in self.line_cards)
        if cage_total != self.cage_count:
            raise ValueError(f"the line cards hold {cage_total} cages, and the face has {self.cage_count}")
        slots = [slot for slot, _ in self.cards]
        if sorted(set(slots)) != slots:
            raise ValueError(f"line cards must be listed by slot, one in each; got slots {slots}")
        return self

    @cached_property
    def cards(self) -> tuple[tuple[int, int], ...]:
        """(slot, number of cages) of each line card, in the order of the face; () for a fixed box."""
        return tuple((c.first_slot + i, c.cages) for c in self.line_cards for i in range(c.count))

    @cached_property
    def cages_by_card(self) -> tuple[tuple[int, ...], ...]:
        """Cage numbers (from 1) of each line card; a fixed box counts as one card."""
        cards, first = [], 1
        for _, cages in self.cards or ((0, self.cage_count),):
            cards.append(tuple(range(first, first + cages)))
            first += cages
        return tuple(cards)

    def find_slot(self, cage: int) -> tuple[int, int] | None:
        """Return (slot, cage on the card, from 1) of a cage of the face (from 1); None on a fixed box.

        Raises LookupError if the chassis has no such cage.
        """
        if not self.line_cards:
            return None
        for (slot, _), cages in zip(self.cards, self.cages_by_card, strict=True):
            if cage in cages:
                return slot, cage - cages[0] + 1
        raise LookupError(f"{self.id} has no cage {cage}")

    def cage_label(self, cage: int) -> str:
        """Return what is printed beside a cage (from 1): its number, or SLOT/NUMBER on a line card."""
        slot = self.find_slot(cage)
        return str(cage) if slot is None else f"{slot[0]}/{slot[1]}"

    @cached_property
    def cage_count(self) -> int:
        """How many cages the face has."""
        return sum(c.count for c in self.cages)

    def list_served_cages(self, cages: Iterable[int], ways: int, ports_taken: Mapping[int, int]) -> Iterator[int]:
        """Yield, in order, the cages out of `cages` that can be split into `ways`: those whose pipeline still has ports
        for it.

        Each cage that is yielded takes `ways` ports of its pipeline. `ports_taken` has the ports that are in use
        before, by pipeline (from 0). A cage of no pipeline is always yielded.
        """
        if self.pipelines is None:
            yield from cages
            return
        used = dict(ports_taken)
        for cage in cages:
            pipeline = self.pipelines.of_cage.get(cage)
            if pipeline is not None:
                used[pipeline] = used.get(pipeline, 0) + ways
                if used[pipeline] > self.pipelines.ports:
                    used[pipeline] -= ways
                    continue
            yield cage

    def count_split_ports(self, cage_class: int, ways: int) -> int:
        """Return how many ports the cages of a class (an index into `cages`) make when all are split into `ways`.

        Cages that others disable make none, and a pipeline serves no more ports than it has.
        """
        first, cage = self.find_first_cage(cage_class), self.cages[cage_class]
        blocks = range(first, first + cage.count, cage.block(ways))
        return ways * (len(list(self.list_served_cages(blocks, ways, {}))) if self.pipelines else len(blocks))

    def split_for(self, cage_class: int, speed_gbps: int, lane_gbps: float) -> int | None:
        """Return into how many ports to split each cage of a class, so that they make the most ports of a speed.

        `cage_class` is an index into `cages`. The result is that of `CageClass.split_for`, None included, except that a
        pipeline serves no more ports than it has.
        """
        cage = self.cages[cage_class]
        if self.pipelines is None:
            return cage.split_for(speed_gbps, lane_gbps)
        fits = [ways for ways in cage.breakouts if cage.carries(ways, speed_gbps, lane_gbps)]
        return max(fits, key=lambda ways: (self.count_split_ports(cage_class, ways), -ways), default=None)

    @property
    def speeds_text(self) -> str:
        """The port speeds it offers, fastest first: `800/400/200G`."""
        return "/".join(str(s) for s in sorted({s for c in self.cages for s in c.speeds}, reverse=True)) + "G"

    def find_cage_class(self, number: int) -> CageClass:
        """Return the class of the cage with a number (from 1); raises IndexError beyond the face."""
        for kind in self.cages:
            if number <= kind.count:
                return kind
            number -= kind.count
        raise IndexError(number)

    def find_first_cage(self, cage_class: int) -> int:
        """Return the number (from 1) of the first cage of a class, which is an index into `cages`."""
        return 1 + sum(c.count for c in self.cages[:cage_class])
