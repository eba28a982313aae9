"""Devices by the texts that name them: host names, node descriptions of InfiniBand, management addresses, files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabricgen.blueprint.beside.tables import Hardware
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
"""The name of the adapter, which `rdma-ndd` and older drivers put behind the host name in a node description."""


def is_default(name: str) -> bool:
    """Whether a host name is one that images come with: sonic, localhost, sonic-1a2b3c, or `localhost mlx5_0`."""
    host = _ADAPTER.sub("", name.strip().lower())
    return _BY_DEFAULT.match(host.partition(".")[0]) is not None


@dataclass(frozen=True)
class DeviceNames:
    """The devices (rows) of a plan, by name, by name in lower case and by management address.

    Texts that two devices share are -1 in the last two.
    """

    exact: dict[str, int]
    folded: dict[str, int]
    addresses: dict[str, int]

    def find_by_name(self, name: str) -> tuple[int, str]:
        """Find the device of a host name or node description (-1: none), and the adapter that it names ("": none)."""
        name = name.strip().strip("'\"")
        if (device := self._find_host(name)) >= 0:
            return device, ""
        if match := _SWITCH_DESCRIPTION.match(name):
            return self._find_host(match[1].strip()), ""
        host, _, adapter = name.partition(" ")
        return (self._find_host(host), adapter.strip()) if adapter else (-1, "")

    def _find_host(self, name: str) -> int:
        """Return the device of a host name; -1 for none.

        The name is looked up as it is, then in lower case, then without its domain, label by label.
        """
        if (device := self.exact.get(name, -1)) >= 0:
            return device
        folded = name.lower()
        if (device := self.folded.get(folded, -1)) >= 0:
            return device
        # one label at a time, since names of devices may contain dots
        while "." in folded:
            folded = folded.rpartition(".")[0]
            if (device := self.folded.get(folded, -1)) >= 0:
                return device
        return -1

    def find_by_address(self, address: str) -> int:
        """Return the device of a management address, with or without prefix length; -1 for none."""
        return self.addresses.get(address.partition("/")[0].lower(), -1)

    def find_by_file(self, file: str) -> int:
        """Return the device that a file, or the nearest folder above it, is named after; -1 for none.

        A name that fits several devices equally well names none.
        """
        for name in reversed(file.split("/")):
            if (device := self._find_in_text(name)) >= 0:
                return device
        return -1

    def _find_in_text(self, text: str) -> int:
        """Return the device with the longest name or address that a text contains; -1 for none, or several."""
        longest, device = 0, -1
        for name in _list_possible_names(text.lower()):
            candidate = self.folded.get(name, -1)
            candidate = self.addresses.get(name, -1) if candidate < 0 else candidate
            if candidate >= 0 and len(name) > longest:
                longest, device = len(name), candidate
            elif candidate >= 0 and len(name) == longest and candidate != device:
                return -1
        return device


def _list_possible_names(text: str) -> Iterator[str]:
    """Yield the parts of a text that may be names, each also without words such as `lldp-` before or behind it.

    A part begins and ends at characters that host names do not have, and may contain such characters. Of a long text,
    only the last 255 characters are read, and of these the first 21 words.
    """
    # words and the separators between them take turns; their number is bounded, since all sequences of them are tried
    pieces = re.split(r"([^a-z0-9-]+)", text[-255:])[:41]
    for start in range(0, len(pieces), 2):
        for end in range(start, min(start + 12, len(pieces)), 2):
            name = "".join(pieces[start : end + 1])
            yield name
            name_words = name.split("-")
            while name_words and name_words[0] in _FILE_WORDS:
                name_words.pop(0)
            while name_words and name_words[-1] in _FILE_WORDS:
                name_words.pop()
            if name_words and len(name_words) <= name.count("-"):
                yield "-".join(name_words)


def index_device_names(cabling: PlannedCabling) -> DeviceNames:
    """Index the names and management addresses of a plan's devices; texts that two devices share name none."""
    folded, addresses = dict[str, int](), dict[str, int]()
    mgmt = cabling.devices["mgmt"].texts().tolist()
    for device, name in enumerate(cabling.device_names):
        for table, key in ((folded, name.lower()), (addresses, str(mgmt[device]).partition("/")[0].lower())):
            # a text that two devices share names neither
            table[key] = device if table.get(key, device) == device else -1
    addresses.pop("", None)
    return DeviceNames(cabling.device_numbers, folded, addresses)


# Hardware that is known before any dump is read: MACs and GUIDs of devices and of their ports.


class KnownAddress(NamedTuple):
    """A MAC (aa:bb:cc:dd:ee:ff) or GUID (0x and 16 digits), in lower case, of a device or (if given) of its `port`."""

    address: str
    device: str
    port: str = ""


def read_inventory_addresses(rows: Iterable[Hardware]) -> Iterator[KnownAddress]:
    """Yield the MACs and GUIDs of an inventory table, each with its device and port."""
    for row in rows:
        if row.mac:
            yield KnownAddress(row.mac, row.device, row.port)
        if row.guid:
            yield KnownAddress(guid_text(f"{row.guid:x}"), row.device, row.port)


def list_known_addresses(cluster: Cluster) -> tuple[KnownAddress, ...]:
    """Return the addresses that a blueprint knows: of its inventory, its tables of GUIDs, else planned GUIDs."""
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
    """Return the addresses that a built folder knows: the GUIDs in the name maps of its InfiniBand fabrics."""
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
    """Both ends of sightings, one entry for each sighting; int32.

    Devices are rows, -1 for none. Ports are planned ports (from 0), UNKNOWN (-1), or lower: -2 - n is a port that the
    plan does not use, with the n-th name of `PortNumbers.spare_names`.
    """

    near_device: Ints
    near: Ints
    far_device: Ints
    far: Ints


class EndTexts(NamedTuple):
    """The texts for the ports at both ends of sightings: int32 indexes into `texts`, one entry for each sighting.

    A port of an adapter goes by the name of the adapter. `far` is the id of the far port, `described` its description.
    """

    texts: Sequence[str]
    near: Ints
    far: Ints
    described: Ints


def list_end_texts(sightings: Sightings, identities: Identities) -> EndTexts:
    """Return the texts for the ports at both ends of sightings, as codes.

    The port of a box that is an adapter gets the name of the adapter in place of its number: `mlx5_4`, or `HCA-1/2` for
    its second port. Such names are added behind the texts of the sightings.
    """
    if len(identities.adapters) == 1:
        return EndTexts(sightings.texts, sightings.port, sightings.far_port, sightings.far_text)
    codes = {text: code for code, text in enumerate(sightings.texts)}
    near_codes = _name_adapters(sightings.owner, sightings.port, sightings.texts, identities, codes)
    far_codes = _name_adapters(sightings.neighbor, sightings.far_port, sightings.texts, identities, codes)
    return EndTexts(tuple(codes), near_codes, far_codes, sightings.far_text)


def _name_adapters(
    box: Ints, text: Ints, texts: Sequence[str], identities: Identities, all_codes: dict[str, int]
) -> Ints:
    """Return the texts of ports at one end of sightings (codes of `all_codes`, int32), with adapters by name.

    If the box (-1: none) is an adapter, the text of its port becomes the name of the adapter, with the number of the
    port from port 2 on; new texts are added to `all_codes`.
    """
    # entry 0 of `adapters` is "": no adapter; what `adapter[-1]` is for no box does not matter
    adapter_number = np.where(box >= 0, identities.adapter[box], 0)
    adapter_rows = np.flatnonzero(adapter_number)
    # (adapter, text of the port) as one number
    pairs, pair_of_row = np.unique(
        adapter_number[adapter_rows].astype(np.int64) * len(texts) + text[adapter_rows], return_inverse=True
    )
    codes = np.empty(len(pairs), dtype=np.int32)
    for pair_index, pair in enumerate(pairs.tolist()):
        name, port = identities.adapters[pair // len(texts)], texts[pair % len(texts)]
        # port 1 goes by the name of the adapter alone, as on adapters with one port
        codes[pair_index] = all_codes.setdefault(name if port in ("", "1") else f"{name}/{port}", len(all_codes))
    column = text.copy()
    column[adapter_rows] = codes[pair_of_row]
    return column


def number_ends(sightings: Sightings, identities: Identities) -> SightedEnds:
    """Return the device and the port at both ends of each sighting, as numbers.

    A far port is found by its id, or by its description if the id names no planned port. A port that is known by its
    GUID has precedence over both.
    """
    end_texts, ports = list_end_texts(sightings, identities), identities.ports
    near_device = identities.device[sightings.owner]
    far_device = np.where(sightings.neighbor >= 0, identities.device[sightings.neighbor], -1)
    near_ports = ports.find_ports(near_device, end_texts.near, end_texts.texts)
    far_ports = ports.find_ports(far_device, end_texts.far, end_texts.texts)
    unplanned_rows = np.flatnonzero((far_ports < 0) & (far_device >= 0) & (end_texts.described > 0))
    if len(unplanned_rows):
        described_ports = ports.find_ports(
            far_device[unplanned_rows], end_texts.described[unplanned_rows], end_texts.texts
        )
        # a planned port that the description names is preferred to a spare port (below UNKNOWN) that the id names
        far_ports[unplanned_rows] = np.where(
            (described_ports >= 0) | (far_ports[unplanned_rows] == UNKNOWN), described_ports, far_ports[unplanned_rows]
        )
    for ports_at_end, box in ((near_ports, sightings.owner), (far_ports, sightings.neighbor)):
        port_by_guid = np.where(box >= 0, identities.port[box], -1)
        # the GUID of an adapter belongs to one port, and says more than any name
        np.copyto(ports_at_end, port_by_guid, where=port_by_guid >= 0)
    return SightedEnds(near_device, near_ports, far_device, far_ports)


# Which device of the plan each box is, and how that is known.


class How(IntEnum):
    """How a box was matched with a device, the surest way first.

    WEAK is inferred from a single port, or from no more than half of the ports.
    """

    NAME, ADDRESS, CHASSIS, FILE, INFERRED, WEAK, UNKNOWN = range(7)


@dataclass(frozen=True)
class Identities:
    """The planned device of each box. Columns, one entry for each box of Sightings:

    - `device`, int32: the row of the device, -1 for none.
    - `how`, uint8: a value of `How`.
    - `port`, int32: for an InfiniBand adapter with a known GUID, the planned port that it is; else -1.
    - `hardware`, int32: the row of the device whose MAC or GUID the box has, by the inventory or the plan; -1: unknown.
    - `adapter`, int32: index into `adapters`, the names of adapters in node descriptions (`mlx5_0`); entry 0 is "".

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
