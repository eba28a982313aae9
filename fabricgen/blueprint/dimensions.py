"""The dimensions that a tier may be grouped by in `per`, in one table: the name, count and meaning of each.

A place dimension says where switches stand; a leg dimension tells the ports of one node apart. Another dimension is
another entry of DIMENSIONS: names, counts, groups, wiring, numbering and messages ask here and know no dimension by
name. Only rules about a particular dimension (rails that are regrouped, planes that are mixed) name it.
"""

from collections.abc import Callable, Collection
from functools import cache
from typing import Literal, NamedTuple, Protocol

WHOLE = "all"
"""The scope of a tier that is grouped by no place."""


class LegNumbers(Protocol):
    """The numbers of a leg, all from 1. A leg is a logical port of a node: a NIC port split over planes has several."""

    @property
    def rail(self) -> int:
        """The NIC's number in the node."""

    @property
    def rail_group(self) -> int:
        """The number of the rail group that its rail is in; the rails of a group share leaves."""

    @property
    def plane(self) -> int:
        """The number of the copy of the fabric that it leads to."""

    @property
    def port(self) -> int:
        """Its number among the legs of the same NIC in the same plane: 2 for the second port of a dual-port NIC."""


class UnitSize(Protocol):
    """What the size of a place, in scalable units or racks, is computed from."""

    @property
    def racks_per_su(self) -> int:
        """Node racks in a scalable unit."""


UsualStand = Literal["rack-top", "unit-end", "network-row"]


class Dimension(NamedTuple):
    """One dimension of `per`, such as `su` (a place where switches stand) or `rail` (which ports of a node they serve).

    At most one of `leg`, `units` and `racks` is set. `leg` returns the number (from 1) that a leg, a port of a node,
    has in this dimension. `units` returns how many adjacent scalable units of a pod make up one such place, `racks` how
    many racks of a scalable unit do. If none is set, it is a place that the blueprint names: a site, a pod.
    """

    name: str
    """Its name in `per`, in messages, and as a field of templates of names."""
    short: str
    """The letters before its number in names of switches: `su01`, `r1`."""
    digits: int = 1
    """The fewest digits of its number in names of switches."""
    noun: str = ""
    """The word for one of it in sentences; "" for its name."""
    leg: Callable[[LegNumbers], int] | None = None
    follows: str = ""
    """The finer leg dimension from whose value its own follows, as a rail group's from a rail; "" for none. Places need
    none: each nests in the wider ones.
    """
    units: Callable[[UnitSize], int] | None = None
    racks: Callable[[UnitSize], int] | None = None
    stand: UsualStand = "network-row"
    """Where switches of such places stand by default: in racks of a unit only if the place is within one."""

    @property
    def is_place(self) -> bool:
        """Whether it says where switches stand."""
        return self.leg is None

    @property
    def is_named(self) -> bool:
        """Whether its places have names of their own in the blueprint instead of numbers."""
        return self.is_place and self.units is None and self.racks is None

    @property
    def template(self) -> str:
        """Its field in the usual name of a switch: `{pod}`, `su{su:02}`, `r{rail}`."""
        if self.is_named:
            return f"{{{self.name}}}"
        return f"{self.short}{{{self.name}{f':0{self.digits}' if self.digits > 1 else ''}}}"


DIMENSIONS = (
    Dimension("site", ""),
    Dimension("pod", ""),
    Dimension("su", "su", 2, noun="scalable unit", units=lambda _: 1, stand="unit-end"),
    Dimension("rack", "rk", 2, racks=lambda _: 1, stand="rack-top"),
    Dimension("rail", "r", leg=lambda leg: leg.rail),
    Dimension("rail-group", "rg", leg=lambda leg: leg.rail_group, follows="rail"),
    Dimension("plane", "pl", leg=lambda leg: leg.plane),
    Dimension("port", "pt", leg=lambda leg: leg.port),
)
"""All of them: places from wide to narrow, each of which nests in those before it, then what tells legs apart.

Every place wider than `su` spans scalable units (`units`), every narrower one is a part of one (`racks`).
"""


@cache
def list_dimension_names() -> tuple[str, ...]:
    """Return the names of all dimensions in the order of `DIMENSIONS`: places from wide to narrow, then what tells legs
    apart.
    """
    return tuple(dimension.name for dimension in DIMENSIONS)


@cache
def find_dimension(name: str) -> Dimension:
    """Return the dimension of a name. Raises KeyError for any other name, and for the scope `all`."""
    for dimension in DIMENSIONS:
        if dimension.name == name:
            return dimension
    raise KeyError(name)


@cache
def list_scopes() -> tuple[str, ...]:
    """Return the scopes at which the switches of a tier's group may stand, from wide to narrow: `all`, then the
    places.
    """
    return (WHOLE, *(dimension.name for dimension in DIMENSIONS if dimension.is_place))


@cache
def list_leg_dimensions() -> tuple[str, ...]:
    """Return the names of the dimensions that tell the ports of a node apart, in order."""
    return tuple(dimension.name for dimension in DIMENSIONS if not dimension.is_place)


def find_leg_number(name: str, leg: LegNumbers) -> int:
    """Return the number, from 1, of a leg in a leg dimension. Raises KeyError for any other dimension."""
    number = find_dimension(name).leg
    if number is None:
        raise KeyError(name)
    return number(leg)


def is_told(name: str, per: Collection[str]) -> bool:
    """Whether `per` determines the value of the dimension or tier `name`: it names it, or a finer dimension that it
    follows from, as a rail group follows from a rail.
    """
    return name in per or any(
        dimension.follows in per for dimension in DIMENSIONS if dimension.name == name and dimension.follows
    )


def find_noun(name: str) -> str:
    """Return the word for one place or value of a dimension in sentences: `scalable unit`, `pod`, `rail`.

    Raises KeyError for the name of no dimension.
    """
    return find_dimension(name).noun or name
