"""The planned cabling to verify against, from a compiled blueprint or from the lists of a built folder.

Both are read from the same tables, so that a folder built last month is judged like the blueprint of today. A port is a
number: twice the row of its link in links.csv, plus one at the b end. So `port ^ 1` is the other end of the planned
link, and `port >> 1` the link.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from ipaddress import ip_interface
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fabricgen.cluster import Cluster
from fabricgen.diff.compare import pause_collector
from fabricgen.diff.folder import check_same_blueprint, read_blocks
from fabricgen.export.files import addresses as addresses_part
from fabricgen.export.files import cables as cables_part
from fabricgen.export.files import devices as devices_part
from fabricgen.export.files import links as links_part
from fabricgen.export.files import patches as patches_part
from fabricgen.export.files import trunks as trunks_part
from fabricgen.export.plugs import make_label_texts
from fabricgen.numbering.lazy_columns import EncodedColumn, LazyColumn, encode_column
from fabricgen.publish.reading import open_built
from fabricgen.verify.actions import End
from fabricgen.verify.connectors import find_connectors, read_sockets
from fabricgen.wiring.arrays import Flags, Ints, Ints64

if TYPE_CHECKING:
    from fabricgen.numbering.lazy_columns import Strings

DEVICES = ("device", "fabric", "tier", "model", "nos", "site", "pod", "su", "rack", "u", "rail", "plane", "mgmt")
LINKS = ("fabric", "cable", "a_device", "a_port", "b_device", "b_port", "speed_gbps", "rail", "plane")
ADDRESSES = ("prefix", "device", "port")
LINK_ADDRESSES = (("a_ip", "a_device", "a_port"), ("b_ip", "b_device", "b_port"))
"""Columns of links.csv that have addresses, for a folder without addresses.csv."""
CABLES = (
    *("cable", "fabric", "part", "medium", "length_m", "a_device", "a_cage", "a_transceiver"),
    *("b_device", "b_cage", "b_transceiver", "label_a", "label_b"),
)
LABELS = ("label_a", "label_b")
PATCHES = ("cable", "end", "device", "cage", "panel", "trunk", "connector", "fibres")
TRUNKS = ("trunk", "a_rack", "a_u", "a_panel", "a_ports", "b_rack", "b_u", "b_panel", "b_ports")

Columns = Mapping[str, Sequence[Any]]
_RANGE = re.compile(r"\d[+-]\d+$")


@dataclass(frozen=True)
class PlannedCabling:
    """Devices, cables, and the links that run over cables, of a plan, as columns.

    `devices`, `links` and `cables` are encoded columns of the lists, except labels, which all differ and are computed
    when they are read. Links without a cable (backplanes) are left out.

    One entry for each port (numbered as the module says), int32: `device` (row of `devices`); `name` (index into
    `port_texts`); `plug` (a number from 0 for what a hand moves: one end of a jumper, while the common end of a
    splitter is one plug for all its links); `connector` (index into `connector_texts`: the socket that the plug is in,
    as labels say). `split` (bool): whether the plug is the common end of a splitter. One entry for each link, int32:
    `cable` (index into `cable_ids`) and `row` (row of `cables`).

    `addresses` reads the list of addresses, `patching` the lists of jumpers and of trunks (None: nothing is patched).
    """

    devices: Mapping[str, EncodedColumn]
    links: Mapping[str, EncodedColumn]
    cables: Mapping[str, LazyColumn]
    device_names: tuple[str, ...]
    port_texts: Strings
    device: Ints
    name: Ints
    plug: Ints
    connector: Ints
    connector_texts: Strings
    split: Flags
    cable_ids: Strings
    cable: Ints
    row: Ints
    addresses: Callable[[], Columns]
    patching: Callable[[], tuple[Columns, Columns]] | None = None

    @property
    def ports(self) -> int:
        """Number of planned ports: two for each link."""
        return len(self.device)

    @cached_property
    def device_numbers(self) -> dict[str, int]:
        """The row of each device, by name."""
        return {name: row for row, name in enumerate(self.device_names)}

    @cached_property
    def _by_plug(self) -> tuple[Ints64, Ints64]:
        order = np.argsort(self.plug, kind="stable")
        # ports sorted by plug, and where those of each plug begin; one more entry ends the last
        return order, np.searchsorted(self.plug[order], np.arange(int(self.plug.max(initial=-1)) + 2))

    def list_plug_ports(self, plug: int) -> list[int]:
        """Return the ports of a plug, in the order of links."""
        order, start = self._by_plug
        ports: list[int] = order[start[plug] : start[plug + 1]].tolist()
        return ports

    @cached_property
    def _by_device(self) -> tuple[Ints64, Ints64]:
        order = np.argsort(self.device, kind="stable")
        # ports sorted by device, and where those of each device begin, with one more entry that ends the last. The
        # sort is stable, so that ports of a device stay in the order of links.
        return order, np.searchsorted(self.device[order], np.arange(len(self.device_names) + 1))

    def list_device_ports(self, device: int) -> Ints64:
        """Return the planned ports of a device, in the order of links; int64."""
        order, start = self._by_device
        ports: Ints64 = order[start[device] : start[device + 1]]
        return ports

    def port_text(self, port: int) -> str:
        """Return the name of a port on its device."""
        return str(self.port_texts[self.name[port]])

    def name_port(self, port: int) -> str:
        """Return DEVICE:PORT."""
        return f"{self.device_names[self.device[port]]}:{self.port_text(port)}"

    def find_cage(self, port: int) -> str:
        """Return the cage of a port, as printed on the front of its device."""
        end = "b" if port & 1 else "a"
        return str(self.read_cable(f"{end}_cage", port))

    def connector_text(self, port: int) -> str:
        """Return the connector that the plug of a port is in, as on its label: `33/2`."""
        return str(self.connector_texts[self.connector[port]])

    def make_label(self, port: int) -> str:
        """Return what is printed on the label of the plug planned in a port: near end > far end, as in labels.csv.

        A label in cables.csv also has the NOS's name of the port, and may stand for several jumpers of a row: both are
        taken out here.
        """
        near_end, _, far_end = str(self.read_cable("label_b" if port & 1 else "label_a", port)).partition(" > ")
        if not far_end:
            return near_end
        far_device, colon, socket = far_end.partition(" ")[0].partition(":")
        # the label of a common end names its first far end, and how many others there are
        tails = len({int(self.plug[lane ^ 1]) for lane in self.list_plug_ports(int(self.plug[port]))})
        socket = self.connector_text(port ^ 1) if _RANGE.search(socket) else socket
        other_tails = f" +{tails - 1}" if tails > 1 else ""
        return f"{near_end.partition(':')[0]}:{self.connector_text(port)} > {far_device}{colon}{socket}{other_tails}"

    @cached_property
    def _port_addresses(self) -> Mapping[tuple[str, str], frozenset[str]]:
        """The addresses of each port that has some, with their prefix lengths and VLANs: {(device, port): ...}."""
        addresses: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        columns = self.addresses()
        for device, name, prefix in zip(columns["device"], columns["port"], columns["prefix"], strict=True):
            port, _, vlan = str(name).partition(".")
            if prefix:
                addresses[str(device), port].add(f"{prefix} {vlan}")
        return {port: frozenset(prefixes) for port, prefixes in addresses.items()}

    def find_config(self, port: int) -> tuple[object, ...]:
        """Return what can differ between the configurations of parallel ports: fabric, speed, addresses.

        A port without addresses of its own is in the networks of the addresses at its other end (VLANs, gateways).
        """
        network = self.read_link("fabric", port), self.read_link("speed_gbps", port)
        own_addresses, far_addresses = (
            self._port_addresses.get((self.device_names[self.device[end]], self.port_text(end)), frozenset())
            for end in (port, port ^ 1)
        )
        return *network, own_addresses or frozenset(_format_network(prefix) for prefix in far_addresses)

    def are_alike(self, port: int, other_port: int) -> bool:
        """Whether two ports between the same two devices have the same configuration, apart from descriptions.

        If so, their plugs may be swapped and nothing is lost.
        """
        return self.find_config(port) == self.find_config(other_port)

    def find_rack(self, device: int) -> tuple[str, int]:
        """Return the rack and the rack unit of a device ("" and 0 if not known)."""
        unit = str(self.read_device("u", device))
        return str(self.read_device("rack", device)), int(unit) if unit.isdecimal() else 0

    def make_end(self, port: int) -> End:
        """Return a planned port as a place in the hall."""
        device = int(self.device[port])
        rack, u = self.find_rack(device)
        texts = self.find_cage(port), self.make_label(port), self.connector_text(port)
        return End(self.device_names[device], self.port_text(port), rack, u, *texts)

    def read_cable(self, column: str, port: int) -> Any:
        """Return a value of cables.csv for the cable that is planned in a port."""
        values, row = self.cables[column], int(self.row[port >> 1])
        return values.vocabulary[values.codes[row]] if isinstance(values, EncodedColumn) else values[row]

    def read_link(self, column: str, port: int) -> Any:
        """Return a value of links.csv for the link that is planned at a port."""
        values = self.links[column]
        return values.vocabulary[values.codes[port >> 1]]

    def read_device(self, column: str, device: int) -> Any:
        """Return a value of devices.csv for a device (row)."""
        values = self.devices[column]
        return values.vocabulary[values.codes[device]]


def make_cabling(cluster: Cluster) -> PlannedCabling:
    """Make the cabling of a compiled blueprint, or of a phase of one."""
    devices = devices_part.make_table(cluster).columns
    links = links_part.make_table(cluster).columns
    cables = cables_part.make_table(cluster).columns
    lists = _pick_columns(devices, DEVICES), _pick_columns(links, LINKS), _pick_columns(cables, CABLES)
    cabling = _assemble_cabling(*lists, make_label_texts(cluster), lambda: addresses_part.make_table(cluster).columns)
    patching = cluster.plan.patching
    if patching is None:
        return cabling
    return replace(
        cabling,
        patching=lambda: (
            patches_part.make_table(cluster, patching).columns,
            trunks_part.make_table(cluster, patching).columns,
        ),
    )


def read_cabling(folder: Path) -> PlannedCabling:
    """Read the cabling of a built folder.

    Raises InputError for a list that is missing, malformed or of another blueprint than the other lists (FG028), or
    that is not as it was built (FG054).
    """
    built = open_built(folder)
    check_same_blueprint(built)
    with pause_collector():
        devices, links, cables = (
            _read_list(folder / file, built.read_as_built(file), names)
            for file, names in (("devices.csv", DEVICES), ("links.csv", LINKS), ("cables.csv", CABLES))
        )

    def read_addresses() -> Columns:
        # columns of addresses.csv, or, in a folder without that file, the addresses that links.csv has
        file = folder / "addresses.csv"
        if file.is_file():
            return _read_list(file, built.read_as_built(file.name), ADDRESSES)
        ends = [_read_list(folder / "links.csv", built.read_as_built("links.csv"), names) for names in LINK_ADDRESSES]
        return {
            name: [text for columns, names in zip(ends, LINK_ADDRESSES, strict=True) for text in columns[names[nth]]]
            for nth, name in enumerate(ADDRESSES)
        }

    cabling = _assemble_cabling(devices, links, cables, read_sockets(cables["label_a"]), read_addresses)
    if not (folder / "patches.csv").is_file():
        return cabling

    def read_patching() -> tuple[Columns, Columns]:
        # columns of patches.csv and of trunks.csv
        patches, trunks = folder / "patches.csv", folder / "trunks.csv"
        return _read_list(patches, built.read_as_built(patches.name), PATCHES), _read_list(
            trunks, built.read_as_built(trunks.name), TRUNKS
        )

    return replace(cabling, patching=read_patching)


def _format_network(prefix: str) -> str:
    """Return the network and VLAN of an address and VLAN: `10.0.0.0/24 200` for `10.0.0.5/24 200`."""
    address, _, vlan = prefix.partition(" ")
    return f"{ip_interface(address).network} {vlan}"


def _read_list(file: Path, content: bytes, names: tuple[str, ...]) -> dict[str, Any]:
    """Return the columns of a list, by name, encoded over their distinct texts; labels stay lists of texts.

    No two labels are the same, so that it would not pay to encode them. `content` is that of `file`.
    """
    # each new text of a column takes the next number
    code_of_text = [defaultdict[str, int](count().__next__) for _ in names]
    code_blocks: list[list[Ints]] = [[] for _ in names]
    labels: dict[str, list[str]] = {name: [] for name in names if name in LABELS}
    for block in read_blocks(file, content, names):
        for column_index, (name, texts) in enumerate(zip(names, block, strict=True)):
            if name in labels:
                labels[name] += texts
            else:
                code_blocks[column_index].append(
                    np.array(list(map(code_of_text[column_index].__getitem__, texts)), dtype=np.int32)
                )
    empty = np.zeros(0, dtype=np.int32)
    return {
        name: labels[name]
        if name in labels
        else encode_column(list(code_of_text[column_index]), np.concatenate([empty, *code_blocks[column_index]]))
        for column_index, name in enumerate(names)
    }


def _pick_columns(columns: Mapping[str, Sequence[Any]], names: Sequence[str]) -> dict[str, Any]:
    return {name: columns[name] if name in LABELS else _encode_column(columns[name]) for name in names}


def _encode_column(column: Sequence[Any]) -> EncodedColumn:
    """Return a column encoded over its distinct texts; numbers are written as CSV lists have them."""
    if isinstance(column, EncodedColumn):
        texts, renumbered = _number_texts(map(_format_value, column.vocabulary.tolist()))
        return encode_column(texts, renumbered[column.codes] if len(column) else renumbered[:0])
    return encode_column(*_number_texts(map(_format_value, column)))


def _number_texts(texts: Iterable[str]) -> tuple[list[str], Ints]:
    """Return the distinct texts in the order in which they first occur, and the index of each text in them (int32)."""
    codes: defaultdict[str, int] = defaultdict(count().__next__)
    numbers = np.fromiter(map(codes.__getitem__, texts), dtype=np.int32)
    return list(codes), numbers


def _format_value(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return str(value)


def _assemble_cabling(
    devices: dict[str, EncodedColumn],
    links: dict[str, EncodedColumn],
    cables: dict[str, Any],
    sockets: tuple[EncodedColumn, EncodedColumn],
    addresses: Callable[[], Columns],
) -> PlannedCabling:
    """Assemble the cabling from its lists.

    `sockets`: what the labels of cables say behind the device, at a and b ends. `addresses` reads the list of
    addresses.
    """
    links = _drop_backplane_links(links)
    # devices are known by their row of devices.csv, names of ports by the order in which they occur
    names: list[str] = devices["device"].read(0, len(devices["device"]))
    number = {name: row for row, name in enumerate(names)}
    device = _number_link_ends(links, "device", number)
    texts: dict[str, int] = {}
    for end in "ab":
        for text in links[f"{end}_port"].vocabulary.tolist():
            texts.setdefault(text, len(texts))
    name = _number_link_ends(links, "port", texts)
    cable_ids, link_cable, row_cable = _share_vocabulary(links["cable"], cables["cable"])
    link_run, row_run = _number_runs(links, cables, link_cable, row_cable)
    row = _match_labels(_assign_rows(link_run, row_run), links, cables, link_cable, row_cable)
    connectors = find_connectors(cables, sockets, row_cable, row)
    return PlannedCabling(
        devices=devices,
        links=links,
        cables=cables,
        device_names=tuple(names),
        port_texts=np.array(list(texts), dtype=object),
        device=device,
        name=name,
        plug=connectors.plug,
        connector=connectors.code,
        connector_texts=connectors.texts,
        split=connectors.split,
        addresses=addresses,
        cable_ids=cable_ids,
        cable=link_cable,
        row=row,
    )


def _drop_backplane_links(links: dict[str, EncodedColumn]) -> dict[str, EncodedColumn]:
    cable = links["cable"]
    has_cable = np.array([bool(text) for text in cable.vocabulary.tolist()], dtype=bool)[cable.codes]
    return links if has_cable.all() else {name: column.take(has_cable) for name, column in links.items()}


def _number_link_ends(links: Mapping[str, EncodedColumn], column_name: str, number: Mapping[str, int]) -> Ints:
    """Return, by port, the number of the text that `a_{column_name}` or `b_{column_name}` of links.csv has there.

    int32; -1 for a text that `number` does not have.
    """
    numbers = np.empty(2 * len(links["cable"]), dtype=np.int32)
    for end, letter in enumerate("ab"):
        column = links[f"{letter}_{column_name}"]
        codes = np.array([number.get(text, -1) for text in column.vocabulary.tolist()], dtype=np.int32)
        # even entries are a ends, odd ones b ends
        numbers[end::2] = codes[column.codes]
    return numbers


def _share_vocabulary(column_a: EncodedColumn, column_b: EncodedColumn) -> tuple[Strings, Ints, Ints]:
    """Return the distinct texts of two columns, and the rows of each column as indexes into them (int32)."""
    texts, numbers = _number_texts([*column_a.vocabulary.tolist(), *column_b.vocabulary.tolist()])
    codes_a, codes_b = numbers[: len(column_a.vocabulary)], numbers[len(column_a.vocabulary) :]
    return np.array(texts, dtype=object), codes_a[column_a.codes], codes_b[column_b.codes]


def _number_runs(
    links: Mapping[str, EncodedColumn], cables: Mapping[str, EncodedColumn], link_cable: Ints, row_cable: Ints
) -> tuple[Ints, Ints]:
    """Return the number of the run of each link, and of each row of cables.csv; both int32.

    A run is a cable, or the links of a cable that join the same two devices: a breakout deals its links to its far ends
    in turn, and not equally many to each. If a cable has a link between two devices that none of its rows joins, the
    whole cable is one run. `link_cable` and `row_cable` (int32) are the cable of each link and of each row.
    """
    end_devices = [_share_vocabulary(links[f"{letter}_device"], cables[f"{letter}_device"]) for letter in "ab"]
    link_keys, row_keys = (
        # (cable, a device, b device) as one number
        (cable.astype(np.int64) * len(end_devices[0][0]) + end_devices[0][column]) * len(end_devices[1][0])
        + end_devices[1][column]
        # `_share_vocabulary` returns the texts, the column of links and the column of rows
        for column, cable in ((1, link_cable), (2, row_cable))
    )
    is_split_up = np.bincount(row_cable, minlength=int(link_cable.max(initial=-1)) + 1) > 1
    if not is_split_up.any():
        return link_cable, row_cable
    # links between devices that no row of their cable joins: the rows cannot tell the links of that cable apart
    has_no_row = ~np.isin(link_keys, row_keys)
    is_split_up[link_cable[has_no_row]] = False
    # runs of such cables are numbered behind all cables, so that the two kinds of number do not meet
    first_run = int(max(link_cable.max(initial=-1), row_cable.max(initial=-1))) + 1
    split_keys = np.unique(row_keys[is_split_up[row_cable]])
    run_numbers = []
    for cable, run_key in ((link_cable, link_keys), (row_cable, row_keys)):
        run_of_key = first_run + np.searchsorted(split_keys, run_key)
        run_numbers.append(np.where(is_split_up[cable], run_of_key, cable).astype(np.int32))
    return run_numbers[0], run_numbers[1]


def _assign_rows(run_of_link: Ints, run_of_row: Ints) -> Ints:
    """Return the row of cables.csv for each link, int32: the rows of a run share its links evenly, in order.

    The arguments are the run of each link and of each row of cables.csv, as `_number_runs` returns them.
    """
    run_count = int(max(run_of_link.max(initial=-1), run_of_row.max(initial=-1))) + 1
    links_of_run = np.bincount(run_of_link, minlength=run_count)
    rows_of_run = np.bincount(run_of_row, minlength=run_count)
    links_by_run, rows_by_run = np.argsort(run_of_link, kind="stable"), np.argsort(run_of_row, kind="stable")
    # where those of each run begin in `links_by_run` and `rows_by_run`
    first_link_of_run, first_row_of_run = np.cumsum(links_of_run) - links_of_run, np.cumsum(rows_of_run) - rows_of_run
    sorted_runs = run_of_link[links_by_run]
    nth_of_run = np.arange(len(links_by_run)) - first_link_of_run[sorted_runs]
    links_per_row = np.maximum(links_of_run // np.maximum(rows_of_run, 1), 1)
    link_rows = np.empty(len(run_of_link), dtype=np.int32)
    # links that are left over by the division belong to the last row
    link_rows[links_by_run] = rows_by_run[
        first_row_of_run[sorted_runs]
        + np.minimum(nth_of_run // links_per_row[sorted_runs], rows_of_run[sorted_runs] - 1)
    ]
    return link_rows


def _match_labels(
    row: Ints,
    links: Mapping[str, EncodedColumn],
    cables: Mapping[str, EncodedColumn],
    link_cable: Ints,
    row_cable: Ints,
) -> Ints:
    """Return the row of cables.csv of each link (int32): `row`, corrected by labels.

    A row is corrected if several rows of its cable join the same two devices, as with the ends of a breakout on one
    device: cables.csv lists these by cage, links.csv by port. Only the label of the a end says which of them has which
    port: as PLACE:PORT or PLACE:SOCKET PORT, before ` > `.
    """
    a_device_of_row, b_device_of_row = (cables[f"{letter}_device"].codes.astype(np.int64) for letter in "ab")
    row_order = np.lexsort((b_device_of_row, a_device_of_row, row_cable))
    # sorted, rows of one cable between the same two devices are neighbours
    is_repeated = np.all(
        [column[row_order][1:] == column[row_order][:-1] for column in (row_cable, a_device_of_row, b_device_of_row)],
        axis=0,
    )
    is_unsure = np.zeros(int(max(link_cable.max(initial=-1), row_cable.max(initial=-1))) + 1, dtype=bool)
    is_unsure[row_cable[row_order[1:][is_repeated]]] = True
    row_by_end: dict[tuple[int, str, str], int] = {}
    labels, row_device = cables["label_a"], cables["a_device"]
    link_device, link_port = links["a_device"], links["a_port"]
    for cable_row in np.flatnonzero(is_unsure[row_cable]).tolist():
        near_text = str(labels[cable_row]).partition(" > ")[0].partition(":")[2]
        device_name = str(row_device.vocabulary[row_device.codes[cable_row]])
        row_by_end[int(row_cable[cable_row]), device_name, near_text.rpartition(" ")[2]] = cable_row
    link_rows = row.copy()
    for link in np.flatnonzero(is_unsure[link_cable]).tolist():
        end_of_link = (
            str(link_device.vocabulary[link_device.codes[link]]),
            str(link_port.vocabulary[link_port.codes[link]]),
        )
        # a link whose port no label names keeps its row
        link_rows[link] = row_by_end.get((int(link_cable[link]), *end_of_link), row[link])
    return link_rows
