"""From dumps and lists to facts: which device each box is, and which two ports are joined."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import NamedTuple

from fabricgen.adopt.facts import DeviceFacts, End, Facts, Joint
from fabricgen.adopt.lists import read_list
from fabricgen.blueprint.models import make_natural_key
from fabricgen.verify.dumps.sighting import DOWN, HEARD, SEEN, SILENT, Box
from fabricgen.verify.identity.names import DeviceNames, is_default
from fabricgen.verify.port_numbers import is_mac
from fabricgen.verify.reading import read_all
from fabricgen.verify.sightings import Sightings, cap_notes, list_few

_SWITCH_DESCRIPTION = re.compile(r"^MF\d+;([^:;]+):([^/;]*)")
"""What the firmware of an InfiniBand switch with a processor calls it: its host name and its model."""
_NODE_WORDS = re.compile(r"^(.*\S)\s+((?:mlx\d+|ibp|HCA|ib|OSFP|SLOT|QSFP)\S*|\S+)$", re.IGNORECASE)


class Seen(NamedTuple):
    """What a port sees: the device there, and its port as it was told, and described."""

    device: str
    port: str
    described: str


@dataclass
class _Gathered:
    joints: dict[tuple[End, End], Joint] = field(default_factory=dict)
    devices: dict[str, DeviceFacts] = field(default_factory=dict)
    alone: set[End] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)

    def add_device(self, facts: DeviceFacts) -> None:
        known = self.devices.get(facts.name)
        self.devices[facts.name] = known.join(facts) if known else facts

    def add_joint(self, a: End, b: End, speed_gbps: float, source: str) -> None:
        a, b = min(a, b), max(a, b)
        earlier = self.joints.get((a, b))
        if earlier is None or (speed_gbps and not earlier.speed_gbps):
            self.joints[a, b] = Joint(a, b, speed_gbps, earlier.source if earlier else source)


def gather_facts(
    dumps: Sequence[str], lists: Sequence[str] = (), devices: Iterable[DeviceFacts] = (), jobs: int = 0
) -> Facts:
    """All that dumps and lists tell. `lists` are CSV files of cables or of devices, `devices` what other sources know.

    Raises InputError for what cannot be read (FG065, FG050).
    """
    gathered = _Gathered()
    for facts in devices:
        gathered.add_device(facts)
    for file in lists:
        listed = read_list(file)
        for facts in listed.devices:
            gathered.add_device(facts)
        for joint in listed.joints:
            gathered.add_joint(*joint)
        gathered.notes += listed.notes
    if dumps:
        _add_dumps(dumps, gathered, jobs)
    for joint in gathered.joints.values():
        for end in (joint.a, joint.b):
            gathered.devices.setdefault(end.device, DeviceFacts(end.device, source=joint.source))
    names = sorted(gathered.devices, key=make_natural_key)
    joints = sorted(gathered.joints.values())
    used = {end for joint in joints for end in joint[:2]}
    return Facts(
        tuple(joints),
        {name: gathered.devices[name] for name in names},
        tuple(sorted(gathered.alone - used)),
        tuple(gathered.notes),
    )


def _add_dumps(dumps: Sequence[str], gathered: _Gathered, jobs: int) -> None:
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


def _name_boxes(sightings: Sightings, gathered: _Gathered) -> list[tuple[str, str]]:
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
            chassis = "" if adapter else box.chassis
            gathered.add_device(DeviceFacts(host, model=model, chassis=chassis, source=box.file))
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


def _list_seen(sightings: Sightings, names: Sequence[tuple[str, str]], gathered: _Gathered) -> dict[End, Seen | None]:
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


def _join_ports(seen: Mapping[End, Seen | None], gathered: _Gathered) -> None:
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
            gathered.add_joint(near, far, 0, "")
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
