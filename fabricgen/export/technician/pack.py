"""The data of all sheets and lists of a technician: columns of cable ends, and of what is pulled.

`rows` below are numbers of cable end rows (one for each row of cables.csv) or of pulled rows (`records.pull.rows`), as
each docstring says. A pulled row is a direct cable (a row for each of its far ends), a jumper at a panel, or a trunk.
Its home rack is that of the racks at its two ends which comes first on the floor; it is pulled from there. Pulling
order is that of `records.pull.order`: step by step, bundle by bundle, then along the ports of the home rack.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import cast

import numpy as np

from fabricgen.bom.trunks import PatchParts
from fabricgen.cluster import Cluster
from fabricgen.export.files import cables
from fabricgen.export.locations import locate_racks
from fabricgen.export.technician.labels import list_label_ends, make_label_table, number_labels
from fabricgen.export.technician.pulled_rows import DIRECT, TRUNK_END, locate_panel_ports, name_parts
from fabricgen.export.technician.records import NO_TAG, CableTag, Records, count_ends_per_rack, make_records
from fabricgen.numbering.lazy_columns import SelectableColumn, Strings
from fabricgen.wiring.arrays import Flags, Ints64
from fabricgen.wiring.cabling.end_numbers import number_device_connectors, number_ends

CABLE, FIBRE, TAIL, JUMPER, TRUNK = range(5)
"""What is pulled at once: a cable; a fibre or a tail of a cable that goes in another bundle than the cable; a further
jumper of a cable through panels; a trunk between panels.
"""

APART = ("", "fibre", "tail", "jumper", "trunk")
"""Names of what is pulled apart from its cable."""


@dataclass(frozen=True)
class TechnicianPack:
    """The data that all sheets are made from, computed on first use.

    Columns are by cable end row, or by pulled row: a row of `records.pull.rows`.
    """

    cluster: Cluster

    def compute_all(self) -> None:
        """Compute everything now rather than on first use, so that processes forked later share it."""
        for name, value in vars(type(self)).items():
            if isinstance(value, cached_property):
                getattr(self, name)

    @cached_property
    def records(self) -> Records:
        """Positions of the ends, pull plan and tags."""
        return make_records(self.cluster)

    def __getstate__(self) -> dict[str, Cluster]:
        return {"cluster": self.cluster}

    @cached_property
    def wiring(self) -> dict[str, SelectableColumn]:
        """The columns of cables.csv."""
        return cast("dict[str, SelectableColumn]", cables.make_table(self.cluster).columns)

    @cached_property
    def label_numbers(self) -> Strings:
        """The running numbers of the labels of each pulled row's plugs, `81-84` or `85, 88`.

        Jumpers to a panel have their numbers on the first of the rows that are pulled at once.
        """
        records, pulled = self.records, self.records.pull.rows
        leg, (numbers, numbers_by_order) = list_label_ends(records)[0], number_labels(records)
        pulled_row_of_end = pulled.find_rows(len(records.cable))[0]
        numbers_by_row: list[list[int]] = [[] for _ in range(len(pulled))]
        for pulled_row, number in zip(
            pulled_row_of_end[records.plugs.row[leg]].tolist(), numbers.tolist(), strict=True
        ):
            if number:
                numbers_by_row[pulled_row].append(number)
        patched_rows = np.flatnonzero(pulled.end != DIRECT).tolist()
        for pulled_row, order in zip(patched_rows, records.pull.order[patched_rows].tolist(), strict=True):
            numbers_by_row[pulled_row] = numbers_by_order.pop(order, [])
        return np.array([_join_spans(row_numbers) for row_numbers in numbers_by_row], dtype=object)

    @cached_property
    def panel_ports(self) -> tuple[Strings, Strings] | None:
        """The panel ports of the jumpers at both ends of each cable end row; None if nothing is patched."""
        return locate_panel_ports(self.cluster)

    @cached_property
    def pieces_laid(self) -> tuple[Ints64, Ints64]:
        """How many pieces come with the plug at the a end, and at the b end, of each cable end row; int64.

        These are its jumpers, or 1 for the first tail of a splitter and 0 for its other tails.
        """
        pulled, count = self.records.pull.rows, len(self.records.cable)
        is_direct = pulled.end == DIRECT
        a, b = (
            np.bincount(pulled.row[rows], pulled.laid[rows], count).astype(np.int64)
            for rows in (np.flatnonzero(is_direct | (pulled.end == end)) for end in (0, 1))
        )
        return a, b

    @cached_property
    def pulled_kinds(self) -> Ints64:
        """What each pulled row is: CABLE, FIBRE, TAIL, JUMPER or TRUNK; int64.

        Each cable is CABLE once, at the first of its rows in pulling order that brings a piece. Rows that are pulled at
        once have the same kind.
        """
        pulled, order = self.records.pull.rows, self.records.pull.order
        is_trunk, cable = pulled.end == TRUNK_END, self.records.cable[pulled.row]
        # rows that are pulled at once bring a piece if one of them does
        brings_piece = (np.bincount(order, pulled.laid) > 0)[order] & ~is_trunk
        # the first row of a cable, in pulling order, that brings a piece is the cable; later rows are its other fibres
        first_order_of_cable = np.full(len(self.cluster.plan.cables), np.iinfo(np.int32).max)
        np.minimum.at(first_order_of_cable, cable[brings_piece], order[brings_piece])
        cases = [is_trunk, order == first_order_of_cable[cable], brings_piece & (pulled.end == DIRECT), brings_piece]
        return np.select(cases, [TRUNK, CABLE, FIBRE, JUMPER], TAIL).astype(np.int64)

    @cached_property
    def jumpers(self) -> Ints64:
        """How many jumpers each pulled row brings, 0 for a trunk; int64."""
        pulled = self.records.pull.rows
        return np.where(pulled.end == TRUNK_END, 0, pulled.laid).astype(np.int64)

    def count_pulls(self, rows: Ints64) -> list[int]:
        """Return how many things of each kind, from CABLE to TRUNK, are pulled with some pulled rows."""
        counts: list[int] = np.bincount(self.pulled_kinds[find_first_rows(self, rows)], minlength=len(APART)).tolist()
        return counts

    @cached_property
    def piece_names(self) -> Strings:
        """The part number of one piece of each pulled row."""
        return name_parts(self.cluster, self.records.pull.rows)

    def list_locations(self, rows: Ints64) -> tuple[Strings, Strings]:
        """Return `h1.R03.07-U42:12/2` of the a ends and of the b ends of some cable end rows."""
        records = self.records
        a, b = (
            location[rows] + ":" + socket[rows] for location, socket in zip(records.place, records.socket, strict=True)
        )
        return a, b

    @cached_property
    def pulled_ends(self) -> tuple[Strings, Strings]:
        """`h1.R03.07-U42:12/2` of the a ends and of the b ends of all pulled rows, those at panels included."""
        pulled = self.records.pull.rows
        direct = np.flatnonzero(pulled.end == DIRECT)
        a, b = pulled.a_end.copy(), pulled.b_end.copy()
        a[direct], b[direct] = self.list_locations(pulled.row[direct].astype(np.int64))
        return a, b

    @cached_property
    def position(self) -> tuple[Ints64, Ints64]:
        """Sort keys of the a ends and of the b ends of cable end rows; they ascend along the ports of a
        device. int64.
        """
        plan = self.cluster.plan
        numbers = number_ends(plan.devices, plan.links, number_device_connectors)
        rows = plan.cables.end_link
        return numbers.a[rows].astype(np.int64), numbers.b[rows].astype(np.int64)

    @cached_property
    def rack_places(self) -> Strings:
        """The position of each rack as text: hall, row and place in the row, `h1.R03.07`."""
        return locate_racks(self.cluster)

    @cached_property
    def ends_per_rack(self) -> Ints64:
        """Number of cable ends in each rack; int64."""
        return count_ends_per_rack(self.cluster)

    @cached_property
    def plugs_per_rack(self) -> Ints64:
        """Number of plugs at the devices of each rack, each with one label; int64.

        The common end of a splitter is one plug for all of its far ends; an end row with several jumpers has a plug for
        each.
        """
        records, rack = self.records, self.cluster.plan.devices.rack
        leg, is_b_end = list_label_ends(records)
        row = records.plugs.row[leg]
        device = np.where(is_b_end, records.device[1][row], records.device[0][row])
        return np.bincount(rack[device], minlength=len(self.cluster.plan.racks)).astype(np.int64)

    @cached_property
    def panel_plugs_per_rack(self) -> Ints64:
        """Number of plugs at the panels of each rack, each with one label, ends of trunks included; int64."""
        cluster, patching = self.cluster, self.cluster.plan.patching
        if patching is None:
            return np.zeros(len(cluster.plan.racks), dtype=np.int64)
        racks = dict(zip(PatchParts(cluster, patching).panels, patching.panels.rack.tolist(), strict=True))
        near = [racks[str(name)] for name in make_label_table(self.records).columns["near_device"] if name in racks]
        return np.bincount(near, minlength=len(cluster.plan.racks)).astype(np.int64)

    @cached_property
    def ends_by_rack(self) -> tuple[Ints64, Ints64, Flags]:
        """The cable ends of all racks, as (starts, rows, whether it is the b end).

        `rows` are cable end rows, int64; those of rack i are `rows[starts[i]:starts[i + 1]]`. They are sorted from the
        top of each rack down, then along ports. The common end of a cable occurs once for each far end.
        """
        records, rows = self.records, np.arange(len(self.records.cable))
        device, position = np.concatenate(records.device), np.concatenate(self.position)
        devices = self.cluster.plan.devices
        row, is_b_end = np.tile(rows, 2), np.repeat([False, True], len(rows))
        # lexsort takes the most significant column last: rack, from the top down, device, port
        ends_in_order = np.lexsort((row, position, device, -devices.u[device], devices.rack[device]))
        racks = np.arange(len(self.cluster.plan.racks) + 1)
        first_end_of_rack = np.searchsorted(devices.rack[device][ends_in_order], racks)
        return first_end_of_rack, row[ends_in_order], is_b_end[ends_in_order]

    @cached_property
    def rows_by_home(self) -> tuple[Ints64, Ints64]:
        """The pulled rows sorted by their home rack: the index of the first row of each rack, with the total as the
        last entry, and the rows; int64.
        """
        home = self.records.pull.home
        rows_in_order = np.argsort(home, kind="stable")
        return np.searchsorted(home[rows_in_order], np.arange(len(self.cluster.plan.racks) + 1)), rows_in_order

    def list_pulled_tags(self, rows: Ints64, *, rails: bool = True) -> list[CableTag]:
        """Return the coloured tag of each of some pulled rows, without the rail unless `rails`; trunks have no tag."""
        pulled, tags = self.records.pull.rows, self.records.tags if rails else self.records.bundle_tags
        numbers = self.records.tag[pulled.row[rows]].tolist()
        is_trunk = (pulled.end[rows] == TRUNK_END).tolist()
        return [NO_TAG if trunk else tags[i] for i, trunk in zip(numbers, is_trunk, strict=True)]

    def list_tags(self, rows: Ints64) -> list[CableTag]:
        """Return the coloured tag (fabric, rail, plane) of each of some cable end rows."""
        return [self.records.tags[i] for i in self.records.tag[rows].tolist()]


def _join_spans(numbers: list[int]) -> str:
    """Return ascending numbers as text, spans joined: `1-3, 7` for 1, 2, 3 and 7."""
    spans = [[n for _, n in run] for _, run in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0])]
    return ", ".join(f"{span[0]}-{span[-1]}" if len(span) > 1 else str(span[0]) for span in spans)


def list_home_rows(pack: TechnicianPack, racks: tuple[int, ...]) -> Ints64:
    """Return what is pulled from some racks: pulled rows whose home rack is one of `racks`, in pulling order; int64.

    They are indexes into the columns of `records.pull.rows`; `racks` are rows of the rack table.
    """
    records = pack.records
    starts, row = pack.rows_by_home
    rows = _select_racks(starts, row, racks)
    return rows[np.lexsort((rows, records.pull.order[rows]))]


def list_wiring_rows(pack: TechnicianPack, racks: tuple[int, ...]) -> Ints64:
    """Return the cable end rows whose plug at the a end is pulled from one of `racks`; int64.

    If the plug at the a end comes with another row, since it leads to several far ends, the plug at the b end decides.
    So each row of cables.csv belongs to one rack.
    """
    pull, count = pack.records.pull, len(pack.records.cable)
    a, b = pull.rows.find_rows(count)
    return np.flatnonzero(np.isin(pull.home[np.where(a >= 0, a, b)], racks))


def list_end_rows(pack: TechnicianPack, racks: tuple[int, ...]) -> Ints64:
    """Return the rows of cable ends in `racks`; a row with both ends there occurs twice."""
    return _select_racks(*pack.ends_by_rack[:2], racks)


def _select_racks(starts: Ints64, row: Ints64, racks: tuple[int, ...]) -> Ints64:
    """Return the rows of some racks; those of rack i are `row[starts[i]:starts[i + 1]]`."""
    return np.concatenate([row[:0], *(row[int(starts[rack]) : int(starts[rack + 1])] for rack in racks)])


def list_wired_racks(pack: TechnicianPack, racks: tuple[int, ...]) -> list[tuple[int, int]]:
    """Return each of `racks` in which any cable ends, with its number of cable ends."""
    return [(rack, int(pack.ends_per_rack[rack])) for rack in racks if pack.ends_per_rack[rack]]


def find_first_rows(pack: TechnicianPack, rows: Ints64) -> Ints64:
    """Return the first row of each thing that is pulled at once, of the pulled rows `rows`; in pulling order."""
    first: Ints64 = np.unique(pack.records.pull.order[rows], return_index=True)[1]
    return rows[first]


def name_pieces(names: Strings, laid: Ints64) -> list[str]:
    """Return what is laid with each row: `PART`, `2x PART`, or `tail of PART` if the piece comes with another row.

    `names` are the part numbers, `laid` the pieces laid.
    """
    words = {0: "tail of ", 1: ""}
    return [words.get(n, f"{n}x ") + name for n, name in zip(laid.tolist(), names.tolist(), strict=True)]


def name_pulled(pack: TechnicianPack, rows: Ints64) -> Strings:
    """Return the cable that each of some pulled rows is, or is part of; for a trunk its name."""
    pulled, patching = pack.records.pull.rows, pack.cluster.plan.patching
    names: Strings = np.array(pack.cluster.cable_ids, dtype=object)[pack.records.cable[pulled.row[rows]]]
    if patching is not None:
        trunk = pulled.trunk[rows]
        names[trunk >= 0] = np.array(PatchParts(pack.cluster, patching).trunks, dtype=object)[trunk[trunk >= 0]]
    return names
