"""The plan of a hall, read from the lists of a build: which plug sits in which socket, and which ports that joins.

It is written from docs/outputs.md, docs/technician.md and docs/patching.md alone and imports nothing of the package:
tests judge `verify` with this model, which must not share a mistake with it.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

Port = tuple[str, str]
"""A device, and its operating system's name of the port."""
Row = dict[str, str]

PARTS = ("devices", "links", "cables", "labels", "trunks", "patches", "shuffles")
"""The parts of a build that a plan is read from."""


class Socket(NamedTuple):
    """The place for one plug: a cage, or one connector of a twin-port cage (`33/1` is cage 33, connector 1)."""

    device: str
    cage: str
    connector: str = ""

    def __str__(self) -> str:
        return f"{self.device}:{self.cage}" + (f"/{self.connector}" if self.connector else "")


class Plug(NamedTuple):
    """One end of a cord: 0 and 1 of a jumper; of a splitter 0 for the common end and 1, 2, ... for its tails.

    `cord` is the index of the cord in `Plan.cords`.
    """

    cord: int
    end: int


@dataclass(frozen=True)
class Cord:
    """One piece that a hand lays: a jumper, a cable with its ends, or a splitter.

    Of patched fibre, a whole channel from device to device is one cord; of a fibre shuffle, all channels through it.
    """

    cable: str
    fabric: str
    part: str
    splits: bool
    """Whether it has a common end and tails, which cannot stand in for each other."""
    homes: tuple[Socket, ...]
    """The socket where each plug belongs."""
    lanes: tuple[tuple[tuple[int, int], tuple[int, int]], ...]
    """Its links, each as two (end, position among the ports of that end)."""


@dataclass(frozen=True)
class Plan:
    """What is planned: devices, cords, the ports of each socket in their order on the connector, and links.

    `devices` are rows of devices.csv by name, `links` rows of links.csv by the two ports; `trunks` and `patches` are
    rows of the lists of these names. A port is (device, port).
    """

    devices: dict[str, Row]
    cords: tuple[Cord, ...]
    ports: dict[Socket, tuple[Port, ...]]
    """Ports of every socket that is planned, and of free sockets whose ports have known names."""
    links: dict[frozenset[Port], Row]
    trunks: tuple[Row, ...]
    patches: tuple[Row, ...]

    @cached_property
    def speeds(self) -> dict[Port, str]:
        """The speed of each planned port, Gb/s, as text."""
        return {port: row["speed_gbps"] for ports, row in self.links.items() for port in ports}

    @cached_property
    def row_of(self) -> dict[Port, Row]:
        """The row of links.csv of each planned port."""
        return {port: row for ports, row in self.links.items() for port in ports}

    @cached_property
    def parts(self) -> dict[Socket, str]:
        """The kind of part that is planned in each socket: the first word of its name."""
        return {home: cord.part.removeprefix("2x ").split("-")[0] for cord in self.cords for home in cord.homes}

    def describe_socket(self, socket: Socket) -> tuple[object, ...]:
        """Return (model, whether the socket is one connector of several, number of links on a plug in it).

        Sockets for which these are equal take the same plugs.
        """
        return self.devices[socket.device]["model"], bool(socket.connector), len(self.ports[socket])

    def take_alike(self, first: Socket, other: Socket) -> bool:
        """Whether a plug that is meant for one socket fits into the other and its links come up there."""
        speeds = [{self.speeds.get(port, "") for port in self.ports[socket]} - {""} for socket in (first, other)]
        return (
            self.describe_socket(first) == self.describe_socket(other)
            and (not all(speeds) or speeds[0] == speeds[1])
            and self.parts.get(first, "") in ("", self.parts.get(other, self.parts.get(first, "")))
        )

    def list_plugs(self) -> Iterator[Plug]:
        """Yield a plug for each end of each cord, in the order of the cords."""
        for number, cord in enumerate(self.cords):
            for end in range(len(cord.homes)):
                yield Plug(number, end)

    def find_home(self, plug: Plug) -> Socket:
        """Return the socket where a plug belongs."""
        return self.cords[plug.cord].homes[plug.end]

    def list_free_sockets(self) -> list[Socket]:
        """Return the sockets for which nothing is planned and whose ports have known names."""
        return sorted(set(self.ports) - {home for cord in self.cords for home in cord.homes})


def read_plan(files: Mapping[str, bytes]) -> Plan:
    """Return the plan of the files of a build, given by path; it reads those of `PARTS`.

    Raises ValueError if the lists contradict each other.
    """
    devices = {row["device"]: row for row in _read_rows(files, "devices")}
    links = _read_rows(files, "links")
    labels, shuffles = _read_rows(files, "labels"), _read_rows(files, "shuffles")
    sockets = {row["near_location"] for row in labels}
    links_of: dict[str, list[Row]] = defaultdict(list)
    for row in links:
        links_of[row["cable"]].append(row)
    rows_of: dict[str, list[Row]] = defaultdict(list)
    for row in _read_rows(files, "cables"):
        rows_of[row["cable"]].append(row)
    cords: list[Cord] = []
    ports: dict[Socket, tuple[Port, ...]] = {}
    made = list(_make_shuffled_cords(shuffles, labels, rows_of))
    for cable in [cable for cable in rows_of if cable not in {row["cable"] for row in shuffles}]:
        made += _make_cords(cable, rows_of[cable], links_of[cable], sockets)
    for cord, ends in made:
        cords.append(cord)
        for home, names in zip(cord.homes, ends, strict=True):
            if ports.setdefault(home, names) != names:
                raise ValueError(f"{home} has two sets of ports: {ports[home]} and {names}")
    joined = {frozenset(((r["a_device"], r["a_port"]), (r["b_device"], r["b_port"]))): r for r in links if r["cable"]}
    ports |= _list_free_ports(devices, ports)
    trunks, patches = (_read_rows(files, name) for name in ("trunks", "patches"))
    return Plan(devices, tuple(cords), ports, joined, trunks, patches)


def _read_rows(files: Mapping[str, bytes], name: str) -> tuple[Row, ...]:
    """Return the rows of a list; none if there is no such list, such as trunks if nothing is patched."""
    return tuple(csv.DictReader(files.get(f"{name}.csv", b"").decode().splitlines()))


def _is_printed(row: Row, link: Row) -> bool:
    """Whether the label of a row of cables.csv names the ports of a link at both ends.

    A label reads `PLACE:SOCKET PORT > PLACE:SOCKET PORT`; either PORT or SOCKET may be the name of the port.
    """
    label_ends = (
        (end_letter, *text.partition(" ")) for end_letter, text in zip("ab", row["label_a"].split(" > "), strict=True)
    )
    return all(
        link[f"{end_letter}_port"] in (port, position.rsplit(":", 1)[1]) for end_letter, position, _, port in label_ends
    )


Tail = tuple[Socket, int, Port]
"""Where one end of a link is plugged in: the socket, the tail of the splitter in it (0 for no tail), and the port."""


def _make_cords(
    cable: str, rows: list[Row], links: list[Row], sockets: set[str]
) -> list[tuple[Cord, list[tuple[Port, ...]]]]:
    """Return the cords of a cable of cables.csv, each with the ports of its plugs.

    `rows` are those of the cable, `links` its links, `sockets` the labels of plugs. Raises ValueError for links that
    are in no row.
    """
    joints: list[tuple[Tail, Tail]] = []
    links_left = list(links)
    for number, row in enumerate(rows):
        links_of_row = [link for link in links_left if all(link[f"{s}_device"] == row[f"{s}_device"] for s in "ab")]
        rows_alike = [r for r in rows[number:] if all(r[f"{s}_device"] == row[f"{s}_device"] for s in "ab")]
        # rows between the same devices share the links between these in equal parts
        count = len(links_of_row) // len(rows_alike)
        links_of_row = (
            [link for link in links_of_row if _is_printed(row, link)]
            if count == 1 and len(rows_alike) > 1
            else links_of_row
        )
        links_of_row = links_of_row[:count]
        links_left = [link for link in links_left if link not in links_of_row]
        joints += _find_joints(row, links_of_row, sockets)
    if links_left:
        raise ValueError(f"{cable}: no row of cables.csv has the links {[link['link'] for link in links_left]}")
    common = {side: {t[side][0] for t in joints if t[side][1]} for side in (0, 1)}
    joints_by_cord: dict[tuple[Socket, ...], list[tuple[Tail, Tail]]] = {}
    for joint in joints:
        joints_by_cord.setdefault(_find_cord_key(joint, common), []).append(joint)
    return [_make_cord(cable, rows[0], of_cord, common) for of_cord in joints_by_cord.values()]


def _find_cord_key(joint: tuple[Tail, Tail], common: dict[int, set[Socket]]) -> tuple[Socket, ...]:
    """Return what joints of one cord have in common: the socket of a splitter's common end, or both sockets of a
    jumper.

    A joint is a link as `_find_joints` returns it. `common` has, by side (0: a, 1: b), the sockets of common ends.
    """
    for side in (0, 1):
        if joint[side][0] in common[side]:
            return (joint[side][0],)
    return (joint[0][0], joint[1][0])


def _find_joints(row: Row, links: list[Row], sockets: set[str]) -> list[tuple[Tail, Tail]]:
    """Return the links of a row of cables.csv, each as its tails at a and at b; a link comes once for each connector
    that it fills.

    A tail is (socket, number of the splitter's tail or 0, port). `sockets` are the labels of all plugs. Raises
    ValueError if the links do not fill the connectors evenly.
    """
    a_label, b_label = row["label_a"].split(" > ")
    a_ends, b_ends = _find_ends(row, "a", a_label, sockets), _find_ends(row, "b", b_label, sockets)
    count = max(len(a_ends), len(b_ends))
    joint_count = max(len(links), count)
    if not links or joint_count % len(links) or joint_count % count:
        raise ValueError(f"{row['cable']}: {len(links)} links do not fill {count} connectors")
    joints: list[tuple[Tail, Tail]] = []
    for number in range(joint_count):
        # links fill the connectors evenly and in order; the side with fewer connectors starts again from its first
        link, connector = links[number * len(links) // joint_count], number * count // joint_count
        (a, a_tail), (b, b_tail) = a_ends[connector % len(a_ends)], b_ends[connector % len(b_ends)]
        joints.append(((a, a_tail, (a.device, link["a_port"])), (b, b_tail, (b.device, link["b_port"]))))
    return joints


def _find_ends(row: Row, end_letter: str, text: str, sockets: set[str]) -> list[tuple[Socket, int]]:
    """Return (socket, number of the tail in it, 0 for none) for each connector of one end of a row of cables.csv.

    `text` is the label of the end, `end_letter` is a or b: `h1.R01.09-U45:33/1+2` is two sockets; `...:1/3` may be a
    third tail. Raises ValueError for a label of another cage than the row's, or of no plug.
    """
    position = text.partition(" ")[0]
    head, socket_text = position.rsplit(":", 1)
    device, cage = row[f"{end_letter}_device"], row[f"{end_letter}_cage"]
    if not (socket_text == cage or socket_text.startswith(f"{cage}/")):
        raise ValueError(f"{row['cable']}: label {text} is not of cage {cage}")
    after_cage = socket_text[len(cage) + 1 :]
    if "+" in after_cage:
        return [(Socket(device, cage, connector), 0) for connector in after_cage.split("+")]
    # `33/1` is a connector if that socket has a label of its own, else tail 1 of the splitter in cage 33
    if position in sockets:
        return [(Socket(device, cage, after_cage), 0)]
    connector, _, tail = after_cage.rpartition("/")
    if f"{head}:{cage}" + (f"/{connector}" if connector else "") not in sockets:
        raise ValueError(f"{row['cable']}: no plug has a label for {text}")
    return [(Socket(device, cage, connector), int(tail))]


def _make_cord(
    cable: str, row: Row, joints: list[tuple[Tail, Tail]], common: dict[int, set[Socket]]
) -> tuple[Cord, list[tuple[Port, ...]]]:
    """Return the cord that consists of some joints (see `_find_joints`), and the ports of each of its ends.

    The common end of a splitter comes first, then its tails by number. `common` has, by side (0: a, 1: b), the sockets
    in which the common ends of splitters are.
    """
    common_side = next((s for s in (0, 1) if joints[0][s][0] in common[s]), None)
    first_side = 0 if common_side is None else common_side
    if common_side is not None:
        joints = sorted(joints, key=lambda joint: joint[first_side][1])
    homes = list(
        dict.fromkeys([joint[first_side][0] for joint in joints] + [joint[1 - first_side][0] for joint in joints])
    )
    ports: list[list[Port]] = [[] for _ in homes]
    lanes = []
    for joint in joints:
        ends = []
        for side in (first_side, 1 - first_side):
            end = homes.index(joint[side][0])
            ports[end].append(joint[side][2])
            # its position among the ports of that end so far
            ends.append((end, len(ports[end]) - 1))
        lanes.append((ends[0], ends[1]))
    cord = Cord(cable, row["fabric"], row["part"], common_side is not None, tuple(homes), tuple(lanes))
    return cord, [tuple(names) for names in ports]


def _make_shuffled_cords(
    shuffles: tuple[Row, ...], labels: tuple[Row, ...], rows_of: Mapping[str, list[Row]]
) -> list[tuple[Cord, list[tuple[Port, ...]]]]:
    """Return a cord for each fibre shuffle, with the ports of each of its plugs, those of the ports in first.

    `shuffles` are the rows of shuffles.csv, `labels` those of labels.csv, `rows_of` those of cables.csv by cable.
    """
    plugs = {(row["far_device"], row["far_port"]): row["near_location"].rpartition(":")[2] for row in labels}
    joints_of_shuffle: dict[tuple[str, int], dict[tuple[Tail, Tail], str]] = defaultdict(dict)
    for row in sorted(shuffles, key=lambda row: (row["panel"], int(row["in_port"]), int(row["in_pair"]))):
        # the tails on both sides of the shuffle; the last two loops only give names to values
        a, b = (
            (Socket(device, cage, plug.removeprefix(cage).removeprefix("/")), 0, (device, row[f"{side}_port"]))
            for side, way in (("a", "in"), ("b", "out"))
            for device, cage in ((row[f"{side}_device"], row[f"{side}_cage"]),)
            for plug in (plugs[row["panel"], row[f"{way}_port"]],)
        )
        # pair k of port i in is pair i of port k out, and the ports of a shuffle follow each other on the face
        joints_of_shuffle[row["panel"], int(row["in_port"]) - int(row["out_pair"])][a, b] = row["cable"]
    return [
        _make_cord(cable, rows_of[cable][0], list(joints), {0: set(), 1: set()})
        for joints in joints_of_shuffle.values()
        for cable in list(joints.values())[:1]
    ]


def _list_free_ports(devices: dict[str, Row], ports: dict[Socket, tuple[Port, ...]]) -> dict[Socket, tuple[Port, ...]]:
    """Return the ports of free sockets of switches, named as on other switches of the model and NOS.

    A socket is left out if others name its ports differently, or have none there.
    """
    spellings_of_model: dict[tuple[str, str], dict[tuple[str, str], set[tuple[str, ...]]]] = defaultdict(
        lambda: defaultdict(set)
    )
    for socket, names in ports.items():
        row = devices[socket.device]
        if row["tier"] != "node":
            spellings_of_model[row["model"], row["nos"]][socket.cage, socket.connector].add(
                tuple(port for _, port in names)
            )
    cages_in_use: dict[str, set[str]] = defaultdict(set)
    for socket in ports:
        cages_in_use[socket.device].add(socket.cage)
    ports_of_free: dict[Socket, tuple[Port, ...]] = {}
    for device, row in devices.items():
        for (cage, connector), spellings in sorted(spellings_of_model[row["model"], row["nos"]].items()):
            # if devices of a model name a port differently, as after a breakout, its name here is not known
            if cage not in cages_in_use[device] and len(spellings) == 1:
                ports_of_free[Socket(device, cage, connector)] = tuple((device, port) for port in next(iter(spellings)))
    return ports_of_free
