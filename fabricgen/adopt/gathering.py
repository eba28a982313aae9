"""Read dumps and lists (CSV files of a build, of NetBox, or plain) into facts: devices and links."""

from __future__ import annotations

import csv
import io
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path, PurePosixPath
from sys import intern
from typing import NamedTuple

from fabricgen.adopt.facts import RECORDED, SEEN, DeviceFacts, End, Facts, Link
from fabricgen.blueprint.models import make_natural_key
from fabricgen.kernel.diagnostics import Span, fault
from fabricgen.kernel.text_input import decode_text, read_bytes
from fabricgen.verify.dumps.sighting import DOWN, HEARD, SILENT, Box
from fabricgen.verify.identity.names import DeviceNames, is_default
from fabricgen.verify.port_numbers import is_mac
from fabricgen.verify.reading import read_all
from fabricgen.verify.sightings import Sightings, cap_notes, list_few

CODE = "FG050"
MOST_BYTES = 256 * 1024 * 1024
"""The largest list: one of 600,000 links has some 100 MiB."""

ENDS = (
    ("a_device", "a_port", "b_device", "b_port"),
    ("device", "port", "neighbor", "neighbor_port"),
    ("side_a_device", "side_a_name", "side_b_device", "side_b_name"),
    ("device a", "termination a", "device b", "termination b"),
    ("from_device", "from_port", "to_device", "to_port"),
    ("source", "source_port", "destination", "destination_port"),
)
"""The columns that name both ends in lists of cables: of links.csv, dumps, NetBox (import, export), and by hand."""

LABELS = ("a_device", "label_a", "b_device", "label_b")
"""The same columns of cables.csv, in which labels have the ports."""

DEVICES = {
    "name": ("device", "name"),
    "model": ("model", "device_type", "device type", "type"),
    "nos": ("nos", "platform"),
    "site": ("site",),
    "rack": ("rack",),
}
"""The columns of a list of devices, by the field of DeviceFacts that they fill."""


@dataclass
class Gathered:
    """The facts that were read so far: links by their ends, devices by name, ports without neighbours, notes."""

    links: dict[tuple[End, End], Link] = field(default_factory=dict)
    devices: dict[str, DeviceFacts] = field(default_factory=dict)
    unlinked: set[End] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)

    def add_device(self, facts: DeviceFacts) -> None:
        """Add what a source tells of a device; it does not replace what earlier sources told."""
        self.devices[facts.name] = self.devices.get(facts.name, facts).join(facts)

    def add_link(self, a: End, b: End, source: str, gbps: int = 0, kind: int = RECORDED) -> None:
        """Add a link between two ports, or the rate (Gb/s, 0 if not told) and the kind of a further source of it."""
        ends = (a, b) if a < b else (b, a)
        known = self.links.get(ends)
        if known is None:
            self.links[ends] = Link(*ends, source, gbps, kind)
        elif gbps not in (0, known.gbps) or kind & ~known.kinds:
            self.links[ends] = known._replace(gbps=gbps or known.gbps, kinds=known.kinds | kind)


def read_list(file: str, gathered: Gathered) -> None:
    """Add a topology.dot, or a list of cables or devices, as its columns tell; raises InputError (FG050) for others."""
    text = decode_text(read_bytes(Path(file), file, limit=MOST_BYTES), file, limit=MOST_BYTES, kind="CSV")
    first_line = next((line for line in text.splitlines() if line.strip()), "")
    if _GRAPH.match(first_line):
        _read_graph(file, text, gathered)
        return
    delimiter = max(",;\t", key=first_line.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        rows = [(reader.line_num, cells) for cells in reader if any(cells)]
    except csv.Error as error:
        raise _make_line_fault(file, reader.line_num, f"this is no CSV: {error}") from None
    head = [cell.strip().lower() for cell in rows[0][1]] if rows else []
    columns = {name: number for number, name in enumerate(head)}
    for line, cells in rows[1:]:
        if len(cells) != len(head):
            raise _make_line_fault(file, line, f"this line has {len(cells)} columns, the first one {len(head)}")
    if end_columns := next((names for names in (*ENDS, LABELS) if columns.keys() >= set(names)), None):
        _read_cables(file, columns, end_columns, rows[1:], gathered)
    elif {"name", "device"} & columns.keys() and set(DEVICES["model"]) & columns.keys():
        _read_devices(columns, rows[1:], gathered)
    else:
        column_names = ", ".join(head) or "none"
        raise _make_line_fault(file, 1, f"neither a list of cables nor one of devices: its columns are {column_names}")


_GRAPH = re.compile(r"\s*(?:strict\s+)?graph\b")
_EDGE = re.compile(r'\s*"?([^":\s]+)"?\s*:\s*"?([^"\s]+)"?\s*--\s*"?([^":\s]+)"?\s*:\s*"?([^"\s;\[]+)"?')
_FAKE = re.compile(r'^\s*"?([^":\s]+)"?\s*\[[^\]]*function="?fake', re.MULTILINE)


def _read_graph(file: str, text: str, gathered: Gathered) -> None:
    """Add the edges of a topology.dot as PTM and simulations of Cumulus Linux have it: "leaf01":"swp1" -- "n1":"eth1".

    Devices whose function is `fake` stand for ports without a cable.
    """
    fake = set(_FAKE.findall(text))
    edges = ((line, match.groups()) for line, t in enumerate(text.splitlines(), 1) if (match := _EDGE.match(t)))
    links = [(line, ends) for line, ends in edges if fake.isdisjoint(ends[::2])]
    if not links:
        raise _make_line_fault(file, 1, "this graph joins no ports")
    for line, (a_device, a_port, b_device, b_port) in links:
        gathered.add_link(End(a_device, a_port), End(b_device, b_port), f"{file}:{line}")


def _read_cables(
    file: str,
    columns: Mapping[str, int],
    names: tuple[str, str, str, str],
    rows: list[tuple[int, list[str]]],
    gathered: Gathered,
) -> None:
    """Add the links of a list of cables; rows in which a device or port is empty are counted in a note."""
    incomplete, pick_ends = 0, itemgetter(*(columns[name] for name in names))
    for line, cells in rows:
        # each text once: what is compared, counted and sorted from here on is mostly the same object
        a_device, a_port, b_device, b_port = map(intern, map(str.strip, pick_ends(cells)))
        if names is LABELS:
            a_port, b_port = _read_label(a_port), _read_label(b_port)
        if a_device and a_port and b_device and b_port:
            gathered.add_link(End(a_device, a_port), End(b_device, b_port), f"{file}:{line}")
        else:
            incomplete += 1
    if incomplete:
        gathered.notes.append(f"{file}: {incomplete:,} rows do not name two ports, and were left out")


def _read_label(label: str) -> str:
    """Return the port on the label of a plug, `h1.R01.02-U46:1/1 Ethernet0 > ...`, or its cage if no port is there.

    Of a label with several ports, return "".
    """
    place, _, port = label.partition(" > ")[0].partition(" ")
    port = port or place.rpartition(":")[2]
    return "" if "+" in port else port


def _read_devices(columns: Mapping[str, int], rows: list[tuple[int, list[str]]], gathered: Gathered) -> None:
    """Add the devices of a list that have a name."""
    numbers = {key: next((columns[name] for name in names if name in columns), -1) for key, names in DEVICES.items()}
    for _, cells in rows:
        values = {key: cells[number].strip() if number >= 0 else "" for key, number in numbers.items()}
        if values["name"]:
            # NetBox writes a rack with its facility id in brackets behind it
            values["rack"] = re.sub(r" \([^()]*\)$", "", values["rack"])
            gathered.add_device(DeviceFacts(**values))


def _make_line_fault(file: str, line: int, message: str) -> Exception:
    hint = f"a list of cables has {','.join(ENDS[0])}, or is a topology.dot; one of devices has name,model"
    return fault(CODE, message, hint=hint, span=Span(file, line, 1))


_SWITCH_DESCRIPTION = re.compile(r"^MF\d+;([^:;]+):([^/;]*)")
"""The description of an InfiniBand switch by its firmware, with its host name and its model."""
_NODE_DESCRIPTION = re.compile(r"^(.*\S)\s+((?:mlx\d+|ibp|HCA|ib|OSFP|SLOT|QSFP)\S*|\S+)$", re.IGNORECASE)
"""The description of an InfiniBand adapter: the host and the name of the adapter."""
_MADE_BY = re.compile(r"(MT\d+ )?.*\b(?:Mellanox Technologies|Voltaire)", re.IGNORECASE)
"""The description that firmware comes with, the same in all boxes of a model: `Quantum Mellanox Technologies` of an
unmanaged switch, `MT4115 ConnectX4 Mellanox Technologies` of an adapter (man page of ibnetdiscover).
"""


class Neighbor(NamedTuple):
    """What a port sees: the device at the other end, the id of the port there, the description of that port, and the
    rate of the link, Gb/s, 0 if not told.
    """

    device: str
    port: str
    description: str
    gbps: int


def gather_facts(
    dumps: Sequence[str],
    lists: Sequence[str] = (),
    sources: Iterable[Facts] = (),
    jobs: int = 0,
    configured: Facts | None = None,
) -> Facts:
    """Return the facts of dumps, of `lists` (CSV files of cables or devices), and of other sources, as of a NetBox.

    If two of them differ on a device, other sources come before lists, and lists before dumps. Links of ports of which
    none of them tells are those of `configured`, unless there are dumps, which tell all that is plugged. Raises
    InputError for what cannot be read (FG065, FG050).
    """
    gathered = Gathered()
    for facts in sources:
        for device in facts.devices.values():
            gathered.add_device(device)
        gathered.links |= {link[:2]: link for link in facts.links}
        gathered.notes += facts.notes
    for file in lists:
        read_list(file, gathered)
    if dumps:
        _add_dumps(dumps, gathered, jobs)
    elif configured:
        linked = {end for ends in gathered.links for end in ends}
        added = [link for link in configured.links if link.a not in linked and link.b not in linked]
        gathered.links |= {link[:2]: link for link in added}
        gathered.notes += configured.notes
        gathered.notes.append(f"{len(added):,} links are those that descriptions and subnets in configurations tell")
    _join_spellings(gathered.links)
    links = sorted(gathered.links.values())
    used = {end for link in links if link.kinds & SEEN for end in link[:2]} if gathered.unlinked else set[End]()
    for name in {link.a.device for link in links} | {link.b.device for link in links}:
        gathered.devices.setdefault(name, DeviceFacts(name))
    names = sorted(gathered.devices, key=make_natural_key)
    return Facts(
        tuple(links),
        {name: gathered.devices[name] for name in names},
        tuple(sorted(gathered.unlinked - used)),
        tuple(gathered.notes),
    )


def _join_spellings(links: dict[tuple[End, End], Link]) -> None:
    """Join, in place, links whose ports lists and dumps spell otherwise, as 24/1 and 47 on an InfiniBand switch.

    Ports of a device that begin alike are spelled otherwise if none of them has the same name in both. If two devices
    have as many links of lists alone as of dumps alone, these are the same in the order of their ports.
    """
    alone = {kind: [link for link in links.values() if link.kinds == kind] for kind in (RECORDED, SEEN)}
    if not all(alone.values()):
        return
    recorded, seen = (
        {end for link in links.values() if link.kinds & kind for end in link[:2]} for kind in (RECORDED, SEEN)
    )
    alike = {_find_stem(end) for end in recorded & seen}
    between: dict[int, dict[tuple[End | str, ...], list[Link]]] = {kind: defaultdict(list) for kind in alone}
    for link in (link for of_kind in alone.values() for link in of_kind):
        ends = tuple(end if _find_stem(end) in alike else end.device for end in link[:2])
        between[link.kinds][ends].append(link)
    for ends, of_lists in between[RECORDED].items():
        by_port = [
            sorted(of, key=lambda link: (make_natural_key(link.text), link)) for of in (of_lists, between[SEEN][ends])
        ]
        for link, same in zip(*by_port, strict=True) if len(by_port[0]) == len(by_port[1]) else ():
            links[link[:2]] = link._replace(gbps=same.gbps, kinds=RECORDED | SEEN)
            del links[same[:2]]


def _find_stem(end: End) -> tuple[str, str]:
    """Return (device, what the name of its port has before its first digit)."""
    return end.device, re.split(r"\d", end.port)[0]


def _add_dumps(dumps: Sequence[str], gathered: Gathered, jobs: int) -> None:
    """Add the devices, links and unlinked ports of dumps."""
    read = read_all(dumps, jobs, optics=False)
    if read.ignored:
        gathered.notes.append(f"no dumps that are known: {list_few(read.ignored)}")
    if read.tables:
        gathered.notes.append(
            f"{len(read.tables):,} tables of MACs were not used: without a page they do not say which port is whose"
        )
    names = _name_boxes(read.sightings, gathered)
    _add_links(_list_neighbors(read.sightings, names, gathered), gathered)


def _name_boxes(sightings: Sightings, gathered: Gathered) -> list[tuple[str, str]]:
    """Return (device, adapter) of each box that dumps tell of, "" for what they do not say; add the devices.

    A box goes by the name that it tells, else by that of its chassis, else by the file that is its own dump.
    """
    dumped_boxes = set(sightings.agents)
    told_names = [_read_name(box) for box in sightings.boxes]
    hosts = sorted({host for host, _, _ in told_names if host})
    host_without_domain = {host: host.partition(".")[0] for host in hosts}
    # domains are removed if names without them are still different
    if len(set(host_without_domain.values())) == len(hosts):
        told_names = [(host_without_domain.get(host, host), adapter, model) for host, adapter, model in told_names]
        hosts = sorted(host_without_domain.values())
    boxes = list(zip(sightings.boxes, told_names, strict=True))
    by_chassis = {box.chassis: host for box, (host, _, _) in reversed(boxes) if box.chassis and host}
    numbers = {host: number for number, host in enumerate(hosts)}
    known_names = DeviceNames(numbers, {host.lower(): number for host, number in numbers.items()}, {})
    names, unnamed = list[tuple[str, str]](), list[str]()
    for number, (box, (own_name, adapter, model)) in enumerate(boxes):
        host = own_name or by_chassis.get(box.chassis, "")
        if not host and number in dumped_boxes:
            number_by_file = known_names.find_by_file(box.file)
            host = hosts[number_by_file] if number_by_file >= 0 else PurePosixPath(box.file).name.partition(".")[0]
        if not host:
            unnamed.append(box.chassis or box.address or box.file)
        else:
            gathered.add_device(DeviceFacts(host, model=model))
        names.append((host, adapter))
    gathered.notes += cap_notes([f"{text} does not say which device it is" for text in unnamed], "boxes without a name")
    return names


def _read_name(box: Box) -> tuple[str, str, str]:
    """Return (host, adapter, model) by the name that a box tells of itself, "" for what that name does not have."""
    name = box.name.strip().strip("'\"")
    if match := _SWITCH_DESCRIPTION.match(name):
        return match[1].strip(), "", match[2].strip()
    if box.chassis.startswith("0x") and (model_match := _MADE_BY.fullmatch(name)):
        # adapters without a name are of some host, switches are boxes of their own
        return ("", "", "") if model_match[1] else (f"switch-{box.chassis.removeprefix('0x')}", "", name)
    if box.chassis.startswith("0x") and (node_match := _NODE_DESCRIPTION.match(name)):
        return ("", "", "") if is_default(node_match[1]) else (node_match[1], node_match[2], "")
    return ("", "", "") if is_default(name) else (name, "", "")


def _list_neighbors(
    sightings: Sightings, names: Sequence[tuple[str, str]], gathered: Gathered
) -> dict[End, Neighbor | None]:
    """Return the neighbour of each port, None if it has none; of several neighbours the first, with a note."""
    neighbors: dict[End, Neighbor | None] = {}
    contradictions = list[str]()
    texts = sightings.texts
    columns = (sightings.owner, sightings.port, sightings.neighbor, sightings.far_port, sightings.far_text)
    rows = zip(*(column.tolist() for column in columns), sightings.gbps.tolist(), sightings.state.tolist(), strict=True)
    for owner, port, neighbor, far_port, far_text, gbps, state in rows:
        end = _name_end(names[owner], texts[port])
        if not end.device or state == HEARD:
            continue
        far_end = End("", "") if state in (SILENT, DOWN) else _name_end(names[neighbor], texts[far_port])
        if not far_end.device:
            neighbors.setdefault(end, None)
        elif (earlier := neighbors.get(end)) and earlier[:2] != far_end:
            contradictions.append(f"{end.device} port {end.port} sees {earlier.device} and {far_end.device}")
        else:
            neighbors[end] = Neighbor(*far_end, texts[far_text], gbps or (earlier.gbps if earlier else 0))
    gathered.notes += cap_notes(contradictions, "ports with several neighbours, of which the first was taken")
    return neighbors


def _name_end(name: tuple[str, str], port: str) -> End:
    """Return a port of a device; the port of an adapter is called as the adapter is, with its number if that is
    not 1.
    """
    device, adapter = name
    if adapter:
        port = adapter if port in ("", "1") else f"{adapter}/{port}"
    return End(device, port)


def _add_links(neighbors: Mapping[End, Neighbor | None], gathered: Gathered) -> None:
    """Add a link for ports that see each other, and for a port of whose neighbour there is no dump.

    Ports whose neighbour sees another port are told in a note.
    """
    dumped_devices = {end.device for end in neighbors}
    ports_between: dict[tuple[str, str], list[End]] = defaultdict(list)  # by their device and the one that they see
    for end, neighbor in neighbors.items():
        if neighbor:
            ports_between[end.device, neighbor.device].append(end)
    contradicted = list[str]()
    for end, neighbor in neighbors.items():
        if neighbor is None:
            gathered.unlinked.add(end)
        elif far_end := _find_far_end(end, neighbor, neighbors, ports_between, dumped_devices):
            gathered.add_link(end, far_end, "", neighbor.gbps, SEEN)
        else:
            contradicted.append(
                f"{end.device} port {end.port} sees {neighbor.device} port {neighbor.port}, which does not see it"
            )
    gathered.notes += cap_notes(contradicted, "ports that are not seen by what they see")


def _find_far_end(
    near: End,
    neighbor: Neighbor,
    neighbors: Mapping[End, Neighbor | None],
    ports_between: Mapping[tuple[str, str], list[End]],
    dumped_devices: set[str],
) -> End | None:
    """Return the far end of a port's link, by the name that the far device has for it; None if that port sees another
    one.

    `near` is the port, `neighbor` what it sees, and `ports_between` has the ports by their device and the one that they
    see. A neighbour may announce its port by another name than its own dump has: then the port is the one of that
    device that sees `near`, or the only one that sees its device.
    """
    announced = End(neighbor.device, neighbor.port)
    seen_by_announced = neighbors.get(announced)
    if seen_by_announced and seen_by_announced.device == near.device:
        return announced
    answering_ports = ports_between.get((neighbor.device, near.device), [])
    exact_ports = [
        end
        for end in answering_ports
        if (seen_back := neighbors[end]) and near.port in (seen_back.port, seen_back.description)
    ]
    if len(exact_ports) == 1:
        return exact_ports[0]
    if seen_by_announced and neighbor.device in dumped_devices:
        return None
    if len(answering_ports) == 1 and not exact_ports and announced not in neighbors:
        return answering_ports[0]
    if is_mac(neighbor.port) and neighbor.description:
        return End(neighbor.device, neighbor.description)
    return announced
