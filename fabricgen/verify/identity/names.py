"""Devices by the texts that tell them: host names, node descriptions of InfiniBand, management addresses, files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.blueprint.beside.inventory import Hardware
from fabricgen.cluster import Cluster
from fabricgen.kernel.text_input import read_regular
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.dumps.sighting import guid_text
from fabricgen.verify.port_numbers import UNKNOWN, PortNumbers
from fabricgen.verify.sightings import Sightings
from fabricgen.wiring.arrays import Ints

if TYPE_CHECKING:
    from fabricgen.verify.sightings import Bytes


_SWITCH_DESCRIPTION = re.compile(r"^MF\d+;([^:;]+):")
_FILE_WORDS = frozenset(
    {"lldp", "lldpctl", "lldpcli", "show", "neighbors", "neighbor", "detail", "table", "dump"}
    | {"mac", "arp", "fdb", "redfish"}
)
_BY_DEFAULT = re.compile(
    r"^(|sonic|localhost|arista|cumulus|ubuntu|debian|onie|onie-host|switch|host|bmc|nvos|none|unknown|mt\d+.*|"
    r"(sonic|arista|cumulus|localhost|switch|onie|ubuntu|mt)[-_ ]?[0-9a-f:._-]*)$"
)
_ADAPTER = re.compile(r"\s+(mlx\d+_\d+|hca-\d+)$")
"""What `rdma-ndd` and older drivers put behind the host name in a node description."""


def is_default(name: str) -> bool:
    """Whether a host name is one that images come with: sonic, localhost, sonic-1a2b3c, or `localhost mlx5_0`."""
    host = _ADAPTER.sub("", name.strip().lower())
    return _BY_DEFAULT.match(host.partition(".")[0]) is not None


@dataclass(frozen=True)
class DeviceNames:
    """The devices of a plan, by name, by folded name and by management address."""

    exact: dict[str, int]
    folded: dict[str, int]
    addresses: dict[str, int]

    def find_by_name(self, name: str) -> tuple[int, str]:
        """(device of a host name or node description, -1 for none; the adapter that it names, "" for none)."""
        name = name.strip().strip("'\"")
        if (device := self._find_host(name)) >= 0:
            return device, ""
        if match := _SWITCH_DESCRIPTION.match(name):
            return self._find_host(match[1].strip()), ""
        host, _, adapter = name.partition(" ")
        return (self._find_host(host), adapter.strip()) if adapter else (-1, "")

    def _find_host(self, name: str) -> int:
        # the device of a host name: as it is, without regard to case, then without one label of its domain after the
        # other; -1: none
        if (device := self.exact.get(name, -1)) >= 0:
            return device
        folded = name.lower()
        if (device := self.folded.get(folded, -1)) >= 0:
            return device
        # domains are taken off one label at a time: names of devices may have dots themselves
        while "." in folded:
            folded = folded.rpartition(".")[0]
            if (device := self.folded.get(folded, -1)) >= 0:
                return device
        return -1

    def find_by_address(self, address: str) -> int:
        """The device of a management address; -1 for none."""
        return self.addresses.get(address.partition("/")[0].lower(), -1)

    def find_by_file(self, file: str) -> int:
        """The device that a file is called after, or a folder above it; -1 for none, or for several."""
        # the name of the file says more than that of a folder
        for part in reversed(file.split("/")):
            if (device := self._find_in_text(part)) >= 0:
                return device
        return -1

    def _find_in_text(self, text: str) -> int:
        """The device whose name or address is the longest in a text, bounded by what is not part of names."""
        best, device = 0, -1
        for run in _list_runs(text.lower()):
            candidate = self.folded.get(run, -1)
            candidate = self.addresses.get(run, -1) if candidate < 0 else candidate
            if candidate >= 0 and len(run) > best:
                best, device = len(run), candidate
            elif candidate >= 0 and len(run) == best and candidate != device:
                return -1
        return device


def _list_runs(text: str) -> Iterator[str]:
    """Parts of a text between characters that names do not have; each without words such as `lldp-` around it, too."""
    # parts and what is between them by turns. Bounded, since all runs of parts are tried.
    pieces = re.split(r"([^a-z0-9-]+)", text[-255:])[:41]
    for first in range(0, len(pieces), 2):
        for last in range(first, min(first + 12, len(pieces)), 2):
            run = "".join(pieces[first : last + 1])
            yield run
            words = run.split("-")
            while words and words[0] in _FILE_WORDS:
                words.pop(0)
            while words and words[-1] in _FILE_WORDS:
                words.pop()
            if words and len(words) <= run.count("-"):
                yield "-".join(words)


def index_device_names(cabling: PlannedCabling) -> DeviceNames:
    """The names of a plan's devices; texts that two of them share fold to none."""
    folded, addresses = dict[str, int](), dict[str, int]()
    mgmt = cabling.devices["mgmt"].texts().tolist()
    for device, name in enumerate(cabling.device_names):
        for table, key in ((folded, name.lower()), (addresses, str(mgmt[device]).partition("/")[0].lower())):
            # two devices of one text: it tells neither
            table[key] = device if table.get(key, device) == device else -1
    addresses.pop("", None)
    return DeviceNames(cabling.device_numbers, folded, addresses)


# Hardware that is known before any dump is read: MACs and GUIDs of devices and of their ports.


class KnownAddress(NamedTuple):
    """A MAC (aa:bb:cc:dd:ee:ff) or GUID (0x and 16 digits), lower case, of a device, or of its `port` where given."""

    address: str
    device: str
    port: str = ""


def read_inventory_addresses(rows: Iterable[Hardware]) -> Iterator[KnownAddress]:
    """The MACs and GUIDs of an inventory table, each with its device and port."""
    for row in rows:
        if row.mac:
            yield KnownAddress(row.mac, row.device, row.port)
        if row.guid:
            yield KnownAddress(guid_text(f"{row.guid:x}"), row.device, row.port)


def list_known_addresses(cluster: Cluster) -> tuple[KnownAddress, ...]:
    """What a blueprint tells: its inventory and tables of GUIDs, and planned GUIDs until hardware is known."""
    addresses = dict.fromkeys(read_inventory_addresses(cluster.design.loaded.inventory))
    for name in cluster.whole_fabrics():
        view = cluster.whole_fabric(name)
        for switch in view.switches:
            addresses[KnownAddress(guid_text(f"{switch.guid:x}"), switch.name)] = None
        for adapter in view.adapters:
            for guid in (adapter.guid, adapter.port_guid):
                addresses[KnownAddress(guid_text(f"{guid:x}"), adapter.name, adapter.port)] = None
    return tuple(addresses)


def read_known_addresses(folder: Path) -> tuple[KnownAddress, ...]:
    """What a built folder tells: the GUIDs in the name maps of its InfiniBand fabrics."""
    addresses: dict[KnownAddress, None] = {}
    for file in sorted(folder.glob("configs/*/ib-node-name-map")):
        for guid, name in re.findall(
            r'^(0x[0-9a-f]{16})\s+"([^"]+)"', read_regular(file).decode(errors="replace"), re.M
        ):
            device, _, port = name.partition(" ")
            addresses[KnownAddress(guid, device, port)] = None
    return tuple(addresses)


# Both ends of every sighting as numbers: devices of the plan and their ports.


class SightedEnds(NamedTuple):
    """One entry a sighting, int32: devices, -1 for none; ports as `PortNumbers.find` returns them."""

    near_device: Ints
    near: Ints
    far_device: Ints
    far: Ints


class OwnTexts(NamedTuple):
    """What each end of a sighting is called: indexes into `texts`, int32. An adapter's port is called as the adapter.

    `far` is the far port as it was told, `described` its description.
    """

    texts: Sequence[str]
    near: Ints
    far: Ints
    described: Ints


def list_end_texts(sightings: Sightings, identities: Identities) -> OwnTexts:
    """The names of ports, those of adapters put in place of their port's number: `mlx5_4`, or `HCA-1/2`."""
    if len(identities.adapters) == 1:
        return OwnTexts(sightings.texts, sightings.port, sightings.far_port, sightings.far_text)
    codes = {text: code for code, text in enumerate(sightings.texts)}
    near = _name_adapters(sightings.owner, sightings.port, sightings.texts, identities, codes)
    far = _name_adapters(sightings.neighbor, sightings.far_port, sightings.texts, identities, codes)
    return OwnTexts(tuple(codes), near, far, sightings.far_text)


def _name_adapters(
    box: Ints, text: Ints, texts: Sequence[str], identities: Identities, all_codes: dict[str, int]
) -> Ints:
    # names of ports (codes of `all_codes`, int32) of link ends, where a box is an adapter: its name, and the port where
    # it has several
    adapter = np.where(box >= 0, identities.adapter[box], 0)
    at = np.flatnonzero(adapter)
    # (adapter, text of the port) as one number
    pairs, inverse = np.unique(adapter[at].astype(np.int64) * len(texts) + text[at], return_inverse=True)
    codes = np.empty(len(pairs), dtype=np.int32)
    for i, pair in enumerate(pairs.tolist()):
        name, port = identities.adapters[pair // len(texts)], texts[pair % len(texts)]
        # port 1 goes by the name of the adapter alone, as on those with one port
        codes[i] = all_codes.setdefault(name if port in ("", "1") else f"{name}/{port}", len(all_codes))
    column = text.copy()
    column[at] = codes[inverse]
    return column


def number_ends(sightings: Sightings, identities: Identities) -> SightedEnds:
    """Device and port at both ends of each sighting, as numbers."""
    end_texts, ports = list_end_texts(sightings, identities), identities.ports
    own_device = identities.device[sightings.owner]
    far_device = np.where(sightings.neighbor >= 0, identities.device[sightings.neighbor], -1)
    near = ports.find_ports(own_device, end_texts.near, end_texts.texts)
    far = ports.find_ports(far_device, end_texts.far, end_texts.texts)
    unsure = np.flatnonzero((far < 0) & (far_device >= 0) & (end_texts.described > 0))
    if len(unsure):
        described = ports.find_ports(far_device[unsure], end_texts.described[unsure], end_texts.texts)
        # a planned port that the description names goes before a spare one that the id names
        far[unsure] = np.where((described >= 0) | (far[unsure] == UNKNOWN), described, far[unsure])
    for end, box in ((near, sightings.owner), (far, sightings.neighbor)):
        adapter = np.where(box >= 0, identities.port[box], -1)
        # the GUID of an adapter is that of one port, and says more than any name
        np.copyto(end, adapter, where=adapter >= 0)
    return SightedEnds(own_device, near, far_device, far)


# Which device of the plan each box is, and how that is known.


class How(IntEnum):
    """How a box was matched with a device, from the surest; WEAK is inferred from a single port."""

    NAME, ADDRESS, CHASSIS, FILE, INFERRED, WEAK, UNKNOWN = range(7)


@dataclass(frozen=True)
class Identities:
    """Devices of boxes. Columns, one entry a box of Sightings:

    - `device`, int32: the row of the device, -1 for none.
    - `how`, uint8: of `How`.
    - `port`, int32: the planned port that the box is itself, as an adapter of InfiniBand whose GUID is known; else -1.
    - `hardware`, int32: the row of the device whose MAC or GUID it has, by the inventory or the plan; -1: not known.
    - `adapter`, int32: index into `adapters`, the names of adapters in node descriptions (`mlx5_0`), of which the first
      is "".

    `ports` finds the ports of devices. `notes` say in sentences what was inferred and what could not be matched.
    """

    device: Ints
    how: Bytes
    port: Ints
    hardware: Ints
    adapter: Ints
    adapters: tuple[str, ...]
    ports: PortNumbers
    notes: tuple[str, ...] = ()
