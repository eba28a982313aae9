"""From dumps and lists (CSV of a build, of NetBox, or plain) to facts: each box, and which two ports are joined."""

from __future__ import annotations

import csv
import io
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from fabricgen.adopt.facts import DeviceFacts, End, Facts, Joint
from fabricgen.blueprint.models import make_natural_key
from fabricgen.kernel.diagnostics import Span, fault
from fabricgen.kernel.text_input import decode_text, read_bytes
from fabricgen.verify.dumps.sighting import DOWN, HEARD, SEEN, SILENT, Box
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
"""The columns of a list of cables: links.csv, dumps, what NetBox imports and exports, and usual ones by hand."""

LABELS = ("a_device", "label_a", "b_device", "label_b")
"""Those of cables.csv, whose labels have the ports."""

DEVICES = {
    "name": ("device", "name"),
    "model": ("model", "device_type", "device type", "type"),
    "nos": ("nos", "platform"),
    "site": ("site",),
    "rack": ("rack",),
}
"""The columns of a list of devices, by what they tell."""


@dataclass
class Gathered:
    """What was read so far."""

    joints: dict[tuple[End, End], str] = field(default_factory=dict)
    devices: dict[str, DeviceFacts] = field(default_factory=dict)
    alone: set[End] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)

    def add_device(self, facts: DeviceFacts) -> None:
        """Add what is told of a device; what was told before stands."""
        known = self.devices.get(facts.name)
        self.devices[facts.name] = known.join(facts) if known else facts

    def add_joint(self, a: End, b: End, source: str) -> None:
        """Add two ports that are joined."""
        self.joints.setdefault((min(a, b), max(a, b)), source)


def read_list(file: str, gathered: Gathered) -> None:
    """Add a list of cables, or one of devices, which its columns tell; raises InputError (FG050) for another."""
    text = decode_text(read_bytes(Path(file), file, limit=MOST_BYTES), file, limit=MOST_BYTES, kind="CSV")
    first = next((line for line in text.splitlines() if line.strip()), "")
    mark = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True)
    try:
        rows = [(reader.line_num, cells) for cells in reader if any(cells)]
    except csv.Error as error:
        raise _make_line_fault(file, reader.line_num, f"this is no CSV: {error}") from None
    head = [cell.strip().lower() for cell in rows[0][1]] if rows else []
    columns = {name: number for number, name in enumerate(head)}
    for line, cells in rows[1:]:
        if len(cells) != len(head):
            raise _make_line_fault(file, line, f"this line has {len(cells)} columns, the first one {len(head)}")
    if ends := next((names for names in (*ENDS, LABELS) if columns.keys() >= set(names)), None):
        _read_cables(file, columns, ends, rows[1:], gathered)
    elif {"name", "device"} & columns.keys() and set(DEVICES["model"]) & columns.keys():
        _read_devices(columns, rows[1:], gathered)
    else:
        found = ", ".join(head) or "none"
        raise _make_line_fault(file, 1, f"neither a list of cables nor one of devices: its columns are {found}")


def _read_cables(
    file: str,
    columns: Mapping[str, int],
    names: tuple[str, str, str, str],
    rows: list[tuple[int, list[str]]],
    gathered: Gathered,
) -> None:
    """Add the joints of a list of cables; rows without one of the four cells are counted in a note."""
    without, pick = 0, itemgetter(*(columns[name] for name in names))
    for line, cells in rows:
        a_device, a_port, b_device, b_port = map(str.strip, pick(cells))
        if names is LABELS:
            a_port, b_port = _read_label(a_port), _read_label(b_port)
        if a_device and a_port and b_device and b_port:
            gathered.add_joint(End(a_device, a_port), End(b_device, b_port), f"{file}:{line}")
        else:
            without += 1
    if without:
        gathered.notes.append(f"{file}: {without:,} rows do not name two ports, and were left out")


def _read_label(label: str) -> str:
    """The port on the label of a plug: `h1.R01.02-U46:1/1 Ethernet0 > ...`, or the cage; "" for several ports."""
    near = label.partition(" > ")[0]
    place, _, port = near.partition(" ")
    port = port or place.rpartition(":")[2]
    return "" if "+" in port else port


def _read_devices(columns: Mapping[str, int], rows: list[tuple[int, list[str]]], gathered: Gathered) -> None:
    """Add the devices of a list that have a name. NetBox shows a rack with its facility id in brackets."""
    numbers = {key: next((columns[name] for name in names if name in columns), -1) for key, names in DEVICES.items()}
    for _, cells in rows:
        values = {key: cells[number].strip() if number >= 0 else "" for key, number in numbers.items()}
        if values["name"]:
            values["rack"] = re.sub(r" \([^()]*\)$", "", values["rack"])
            gathered.add_device(DeviceFacts(**values))


def _make_line_fault(file: str, line: int, message: str) -> Exception:
    hint = f"a list of cables has {','.join(ENDS[0])}; one of devices has name,model"
    return fault(CODE, message, hint=hint, span=Span(file, line, 1))


_SWITCH_DESCRIPTION = re.compile(r"^MF\d+;([^:;]+):([^/;]*)")
"""What the firmware of an InfiniBand switch with a processor calls it: its host name and its model."""
_NODE_WORDS = re.compile(r"^(.*\S)\s+((?:mlx\d+|ibp|HCA|ib|OSFP|SLOT|QSFP)\S*|\S+)$", re.IGNORECASE)


class Seen(NamedTuple):
    """What a port sees: the device there, and its port as it was told, and described."""

    device: str
    port: str
    described: str


def gather_facts(
    dumps: Sequence[str], lists: Sequence[str] = (), sources: Iterable[Facts] = (), jobs: int = 0
) -> Facts:
    """All that dumps and lists tell. `lists` are CSV files of cables or of devices, `sources` what else is known.

    Raises InputError for what cannot be read (FG065, FG050).
    """
    gathered = Gathered()
    for facts in sources:
        for device in facts.devices.values():
            gathered.add_device(device)
        gathered.joints |= {joint[:2]: joint.source for joint in facts.joints}
        gathered.notes += facts.notes
    for file in lists:
        read_list(file, gathered)
    if dumps:
        _add_dumps(dumps, gathered, jobs)
    joints = sorted(Joint(*ends, source) for ends, source in gathered.joints.items())
    used = {end for joint in joints for end in (joint.a, joint.b)}
    for name in {end.device for end in used}:
        gathered.devices.setdefault(name, DeviceFacts(name))
    names = sorted(gathered.devices, key=make_natural_key)
    return Facts(
        tuple(joints),
        {name: gathered.devices[name] for name in names},
        tuple(sorted(gathered.alone - used)),
        tuple(gathered.notes),
    )


def _add_dumps(dumps: Sequence[str], gathered: Gathered, jobs: int) -> None:
    """Add what dumps tell of neighbours."""
    read = read_all(dumps, jobs, optics=False)
    if read.ignored:
        gathered.notes.append(f"no dumps that are known: {list_few(read.ignored)}")
    if read.tables:
        gathered.notes.append(
            f"{len(read.tables):,} tables of MACs were not used: without a page they do not say which port is whose"
        )
    sightings = read.sightings
    names = _name_boxes(sightings, gathered)
    seen = _list_seen(sightings, names, gathered)
    _join_ports(seen, gathered)


def _name_boxes(sightings: Sightings, gathered: Gathered) -> list[tuple[str, str]]:
    """(name of the device, adapter) of each box, and their facts added; "" where nobody can tell."""
    owners = set(sightings.agents)
    spelled = [_read_name(box) for box in sightings.boxes]
    hosts = sorted({host for host, _, _ in spelled if host})
    bare = {host: host.partition(".")[0] for host in hosts}
    # a domain is taken off where the first label tells devices apart as well
    if len(set(bare.values())) == len(set(hosts)):
        spelled = [(bare.get(host, host), adapter, model) for host, adapter, model in spelled]
        hosts = sorted(set(bare.values()))
    by_chassis: dict[str, str] = {}
    for box, (host, _, _) in zip(sightings.boxes, spelled, strict=True):
        if box.chassis and host:
            by_chassis.setdefault(box.chassis, host)
    known = DeviceNames(
        {host: n for n, host in enumerate(hosts)}, {host.lower(): n for n, host in enumerate(hosts)}, {}
    )
    names = list[tuple[str, str]]()
    unnamed = list[str]()
    for number, (box, (told, adapter, model)) in enumerate(zip(sightings.boxes, spelled, strict=True)):
        host = told or by_chassis.get(box.chassis, "")
        if not host and number in owners:
            found = known.find_by_file(box.file)
            host = hosts[found] if found >= 0 else PurePosixPath(box.file).name.partition(".")[0]
        if not host:
            unnamed.append(box.chassis or box.address or box.file)
        else:
            gathered.add_device(DeviceFacts(host, model=model))
        names.append((host, adapter))
    gathered.notes += cap_notes([f"{text} does not say which device it is" for text in unnamed], "boxes without a name")
    return names


def _read_name(box: Box) -> tuple[str, str, str]:
    """(host, adapter, model) of a box by the name that it tells; "" where it tells none."""
    name = box.name.strip().strip("'\"")
    if match := _SWITCH_DESCRIPTION.match(name):
        return match[1].strip(), "", match[2].strip()
    if box.chassis.startswith("0x") and (words := _NODE_WORDS.match(name)):
        return ("", "", "") if is_default(words[1]) else (words[1], words[2], "")
    return ("", "", "") if is_default(name) else (name, "", "")


def _list_seen(sightings: Sightings, names: Sequence[tuple[str, str]], gathered: Gathered) -> dict[End, Seen | None]:
    """What each port sees, by device and port; None for nobody. Of two neighbours of a port the first is taken."""
    seen: dict[End, Seen | None] = {}
    several = list[str]()
    texts = sightings.texts
    columns = (sightings.owner, sightings.port, sightings.neighbor, sightings.far_port, sightings.far_text)
    rows = zip(*(column.tolist() for column in columns), sightings.state.tolist(), strict=True)
    for owner, port, neighbor, far_port, far_text, state in rows:
        near = _name_end(names[owner], texts[port])
        if not near.device or state == HEARD:
            continue
        if state in (SILENT, DOWN):
            seen.setdefault(near, None)
            continue
        assert state == SEEN  # noqa: S101 - there are four states
        far = _name_end(names[neighbor], texts[far_port])
        if not far.device:
            seen.setdefault(near, None)
            continue
        sees = Seen(far.device, far.port, texts[far_text])
        if (earlier := seen.get(near)) and earlier[:2] != sees[:2]:
            several.append(f"{near.device} port {near.port} sees {earlier.device} and {sees.device}")
        else:
            seen[near] = sees
    gathered.notes += cap_notes(several, "ports with several neighbours, of which the first was taken")
    return seen


def _name_end(name: tuple[str, str], port: str) -> End:
    """A port of a device; one of an adapter goes by the adapter, and its number where that is not 1."""
    device, adapter = name
    if adapter:
        port = adapter if port in ("", "1") else f"{adapter}/{port}"
    return End(device, port)


def _join_ports(seen: Mapping[End, Seen | None], gathered: Gathered) -> None:
    """Join the ports that see each other, and those that one side alone tells of."""
    dumped = {end.device for end in seen}
    between: dict[tuple[str, str], list[End]] = defaultdict(list)
    for end, sees in seen.items():
        if sees:
            between[end.device, sees.device].append(end)
    contradicted = list[str]()
    for near, sees in seen.items():
        if sees is None:
            gathered.alone.add(near)
            continue
        far = _find_far_end(near, sees, seen, between, dumped)
        if far is None:
            contradicted.append(
                f"{near.device} port {near.port} sees {sees.device} port {sees.port}, which does not see it"
            )
        else:
            gathered.add_joint(near, far, "")
    gathered.notes += cap_notes(contradicted, "ports that are not seen by what they see")


def _find_far_end(
    near: End,
    sees: Seen,
    seen: Mapping[End, Seen | None],
    between: Mapping[tuple[str, str], list[End]],
    dumped: set[str],
) -> End | None:
    """The port that a port is joined to, by the name that its own device has for it; None where that sees another."""
    told = End(sees.device, sees.port)
    back = seen.get(told)
    if back and back.device == near.device:
        return told
    answers = between.get((sees.device, near.device), [])
    exact = [end for end in answers if (other := seen[end]) and near.port in (other.port, other.described)]
    if len(exact) == 1:
        return exact[0]
    if back and sees.device in dumped:
        return None
    if len(answers) == 1 and not exact and told not in seen:
        return answers[0]
    if is_mac(sees.port) and sees.described:
        return End(sees.device, sees.described)
    return told
