"""Hardware that is known before any dump is read: MACs and GUIDs of devices and of their ports."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from fabricgen.blueprint.beside.inventory import Hardware
from fabricgen.cluster import Cluster
from fabricgen.kernel.text_input import read_regular
from fabricgen.verify.dumps.sighting import guid_text


class KnownAddress(NamedTuple):
    """A MAC (aa:bb:cc:dd:ee:ff) or GUID (0x and 16 digits), lower case, of a device, or of its `port` where given."""

    address: str
    device: str
    port: str = ""


def of_inventory(rows: Iterable[Hardware]) -> Iterator[KnownAddress]:
    """What an inventory table tells."""
    for row in rows:
        if row.mac:
            yield KnownAddress(row.mac, row.device, row.port)
        if row.guid:
            yield KnownAddress(guid_text(f"{row.guid:x}"), row.device, row.port)


def known_addresses(cluster: Cluster) -> tuple[KnownAddress, ...]:
    """What a blueprint tells: its inventory and tables of GUIDs, and planned GUIDs until hardware is known."""
    found = dict.fromkeys(of_inventory(cluster.design.loaded.inventory))
    for name in cluster.whole_fabrics():
        view = cluster.whole_fabric(name)
        for switch in view.switches:
            found[KnownAddress(guid_text(f"{switch.guid:x}"), switch.name)] = None
        for adapter in view.adapters:
            for guid in (adapter.guid, adapter.port_guid):
                found[KnownAddress(guid_text(f"{guid:x}"), adapter.name, adapter.port)] = None
    return tuple(found)


def known_addresses_in(folder: Path) -> tuple[KnownAddress, ...]:
    """What a built folder tells: the GUIDs in the name maps of its InfiniBand fabrics."""
    found: dict[KnownAddress, None] = {}
    for file in sorted(folder.glob("configs/*/ib-node-name-map")):
        for guid, name in re.findall(
            r'^(0x[0-9a-f]{16})\s+"([^"]+)"', read_regular(file).decode(errors="replace"), re.M
        ):
            device, _, port = name.partition(" ")
            found[KnownAddress(guid, device, port)] = None
    return tuple(found)
