"""Cable ids, and the planned ends of cables, by which overrides and redlines refer to them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from fabricgen.blueprint.sections.cable_overrides import CableOverride
from fabricgen.design.fabric_model import Attachment, Leg
from fabricgen.design.ports import PortRun
from fabricgen.numbering.lazy_columns import ConcatenatedColumn, EncodedColumn, Strings, encode_column
from fabricgen.numbering.ports import PortNames
from fabricgen.wiring.arrays import Ints, Ints64, unique_combinations
from fabricgen.wiring.cabling.far_ends import count_ends_and_lanes
from fabricgen.wiring.cabling.plugs import find_common_ends, find_connector
from fabricgen.wiring.cabling.shelf import split_into_fibres
from fabricgen.wiring.tables import DeviceClass, Segment, Side, WiringPlan


class CableIds(NamedTuple):
    """The stable id of every cable, as two columns: the device of its common end, and the connector there."""

    device: EncodedColumn
    connector: EncodedColumn

    def list_ids(self) -> tuple[str, ...]:
        """Return the id of every cable."""
        return tuple((self.device.texts() + self.connector.texts()).tolist())

    def format_id(self, cable: int) -> str:
        """Return the id of one cable."""
        return "".join(column.vocabulary[column.codes[cable]] for column in (self.device, self.connector))

    def make_id_column(self, cable: Ints) -> ConcatenatedColumn:
        """Return the id of the cable in each row, "" for rows with cable -1."""
        return ConcatenatedColumn((self.device.take_or_empty(cable), self.connector.take_or_empty(cable)))


def make_cable_ids(plan: WiringPlan, names: Strings, cages: tuple[EncodedColumn, EncodedColumn]) -> CableIds:
    """Return the ids of all cables; `names` are the names of devices, `cages` the cage names at the a and b ends of
    links.
    """
    row, lower, connector = find_common_ends(plan.links, plan.cables)
    device = np.where(lower, plan.links.a_device[row], plan.links.b_device[row])
    cage = np.where(lower, cages[0].codes[row], cages[1].codes[row])
    # + 1, since a connector may be -1, and numbers that are combined must not be below 0
    first_rows, code = unique_combinations(cage, connector + 1)
    labels = cages[0].vocabulary[cage[first_rows]].tolist()
    tails = [
        f":{label}.{n + 1}" if n >= 0 else f":{label}"
        for label, n in zip(labels, connector[first_rows].tolist(), strict=True)
    ]
    return CableIds(EncodedColumn(names, device), encode_column(tails, code.astype(np.int32)))


class CableEnd(NamedTuple):
    """An end of a cable, and the links that it carries."""

    upper: bool
    """Whether it is the b end, at the upper device."""
    device: int
    """The row of its device."""
    name: str
    """The name of its device."""
    cls: DeviceClass
    side: Side
    """The kind of port that it is plugged into."""
    cage: str
    """The label of its cage."""
    connector: int
    """The connector of the cage, from 0."""
    rows: tuple[int, ...]
    """The rows of its links."""
    ports: tuple[int, ...]
    """The ports of these links at this end, in the same order."""

    @property
    def word(self) -> str:
        """The prefix of the columns of its end: `a` or `b`."""
        return "b" if self.upper else "a"

    @property
    def place(self) -> str:
        """The name of the end in overrides: DEVICE:CAGE."""
        return f"{self.name}:{self.cage}"


def _assign_plugs(side: Attachment, jumpers: int) -> Attachment:
    """Return an attachment in which the connector of each leg is the number, from 0, of the plug in its cage that it is
    in, if a cable of `jumpers` fibres has a plug for each fibre in the cage.
    """
    legs_by_plug: dict[tuple[str, int], list[Leg]] = {}
    for leg in side.legs:
        legs_by_plug.setdefault((leg.cage, leg.connector), []).append(leg)
    if all(len(legs) == 1 for legs in legs_by_plug.values()):
        return side
    # the legs of a cage go to its plugs in order and in equal shares
    plug_of_leg = {id(leg): i * jumpers // len(legs) for legs in legs_by_plug.values() for i, leg in enumerate(legs)}
    return replace(side, legs=tuple(leg._replace(connector=plug_of_leg[id(leg)]) for leg in side.legs))


class CableIndex:
    """Finds the cables of a plan, their links and ends; indexes are built when they are first needed."""

    def __init__(self, plan: WiringPlan, names: Sequence[str], port_names: PortNames) -> None:
        self.plan, self.names, self.port_names = plan, names, port_names

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """The id of every cable."""
        return make_cable_ids(self.plan, np.array(self.names, dtype=object), self.port_names.cage_columns).list_ids()

    @cached_property
    def index(self) -> dict[str, int]:
        """The row of every cable, by id."""
        return {name: i for i, name in enumerate(self.ids)}

    @cached_property
    def _by_cable(self) -> tuple[Ints64, Ints64]:
        """(rows of links sorted by cable, where the links of each cable begin), int64."""
        # a stable sort, so that the links of a cable stay in the order of the plan; those of no cable, -1, come first
        order = np.argsort(self.plan.links.cable, kind="stable")
        return order, np.searchsorted(self.plan.links.cable[order], np.arange(len(self.plan.cables) + 1))

    def links_of(self, cable: int) -> list[int]:
        """Return the rows of the links that a cable carries."""
        order, start = self._by_cable
        links: list[int] = order[start[cable] : start[cable + 1]].tolist()
        return links

    def list_ends(self, cable: int, *, upper: bool) -> tuple[CableEnd, ...]:
        """Return the distinct ends of a cable at its a or b side, in the order of links."""
        if (cable, upper) not in self._ends:
            self._ends[cable, upper] = self._find_ends(cable, upper=upper)
        return self._ends[cable, upper]

    @cached_property
    def _ends(self) -> dict[tuple[int, bool], tuple[CableEnd, ...]]:
        """A cache of ends by (cable, whether it is the b side)."""
        return {}

    def _find_ends(self, cable: int, *, upper: bool) -> tuple[CableEnd, ...]:
        """Return the lower or upper ends of a cable, which group its links by device, cage and connector."""
        links = self.plan.links
        device, port = (links.b_device, links.b_port) if upper else (links.a_device, links.a_port)
        groups: dict[tuple[int, str, int], list[int]] = {}
        sides: dict[tuple[int, str, int], Side] = {}
        for row in self.links_of(cable):
            side = self._separate_plugs(cable, row, upper=upper)
            # the only connector of a cage, -1, is number 0 here
            connector = max(0, find_connector(side, int(port[row])))
            # `cages` are those of the a ends, and those of the b ends
            key = int(device[row]), str(self.port_names.cages[int(upper)][row]), connector
            groups.setdefault(key, []).append(row)
            sides.setdefault(key, side)
        return tuple(
            self._make_end(key, rows, sides[key], port[rows].tolist(), upper=upper) for key, rows in groups.items()
        )

    def _find_side(self, row: int, *, upper: bool) -> Side:
        segment: Segment = self.plan.links.segments[self.plan.links.segment[row]]
        return segment.b if upper else segment.a

    @cached_property
    def _jumpers(self) -> Ints:
        """How many fibres each cable is made of, int32; 1 for a cable with fixed ends, or if its far ends cannot be
        shared out over fibres equally (`split_into_fibres`).
        """
        cables, links = self.plan.cables, self.plan.links
        far_ends, lanes = count_ends_and_lanes(
            links, cables.end_cable, cables.end_link, cables.end_links, cables.connectors
        )
        first_rows, code = unique_combinations(cables.medium, far_ends, lanes)
        keys = zip(*(column[first_rows].tolist() for column in (cables.medium, far_ends, lanes)), strict=True)
        fibre_counts = [
            1 if cables.media[i].attached else (split_into_fibres(cables.media[i], *key) or (1, 1))[0]
            for i, *key in keys
        ]
        return np.array(fibre_counts, dtype=np.int32)[code]

    def _separate_plugs(self, cable: int, row: int, *, upper: bool) -> Side:
        """Return the lower or upper side of link `row`, with a connector for each plug in a cage: a cage may take
        several fibres, of this cable or of others, where the design counts one connector.
        """
        side, jumpers = self._find_side(row, upper=upper), int(self._jumpers[cable])
        if isinstance(side, PortRun):
            return self._extend_connectors(cable, row, side)
        if jumpers == 1 or not isinstance(side, Attachment):
            return side
        segment = int(self.plan.links.segment[row])
        if (segment, upper, jumpers) not in self._with_plugs:
            self._with_plugs[segment, upper, jumpers] = _assign_plugs(side, jumpers)
        return self._with_plugs[segment, upper, jumpers]

    def _extend_connectors(self, cable: int, row: int, run: PortRun) -> PortRun:
        """Return a run whose cages have a connector for each fibre that the lanes of a whole cage take in the medium of
        the cable. The run is returned as it is if the medium has fixed ends, if it has as many connectors already, or
        if its ports cannot be shared out over them equally.
        """
        medium = self.plan.cables.media[self.plan.cables.medium[cable]]
        segment: Segment = self.plan.links.segments[self.plan.links.segment[row]]
        connectors = run.ways * segment.lanes // medium.lanes_per_connector
        if medium.attached or connectors <= run.connectors or run.ways % connectors:
            return run
        return replace(run, connectors=connectors)

    @cached_property
    def _with_plugs(self) -> dict[tuple[int, bool, int], Side]:
        """A cache of what `_assign_plugs` returned, by (segment, whether it is the upper side, fibres of the cable)."""
        return {}

    def _make_end(
        self, key: tuple[int, str, int], rows: list[int], side: Side, ports: list[int], *, upper: bool
    ) -> CableEnd:
        """Return a cable end; `key` is (device row, cage, connector), `rows` its links and `ports` their ports."""
        device, cage, connector = key
        devices = self.plan.devices
        cls = devices.classes[devices.device_class[device]]
        return CableEnd(upper, device, self.names[device], cls, side, cage, connector, tuple(rows), tuple(ports))


# The planned wiring, beside the wiring as built.


class PlannedCables(NamedTuple):
    """The wiring plan without overrides of cables; cable ids and addresses of links follow from it."""

    plan: WiringPlan
    port_names: PortNames
    overrides: Mapping[int, CableOverride]
    """The overrides, by row of the cable table."""
