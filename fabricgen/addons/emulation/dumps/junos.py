"""`show lldp neighbors | display json` of Junos: a list of one object round every value.

Shape:
https://www.juniper.net/documentation/us/en/software/junos/cli-reference/topics/ref/command/show-lldp-neighbors.html
Ports that see nobody are not listed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from fabricgen.addons.emulation.dumps import Seen, group_by_device, number_macs


def write(seen: Seen, devices: Iterable[str] | None = None) -> dict[str, str]:
    """Return {file name: text}: a file for each device, with the ports that see another.

    `seen` has the (device, port) that each port sees, None if it sees nothing. Only `devices` are written, all if it is
    None.
    """
    macs = number_macs(seen)
    rows_by_device = {
        device: [_write_row(port, macs[far[0]], *far) for port, far in ports if far]
        for device, ports in group_by_device(seen, devices).items()
    }
    return {
        f"{device}.json": json.dumps({"lldp-neighbors-information": [{"lldp-neighbor-information": rows}]}, indent=4)
        for device, rows in rows_by_device.items()
    }


def _write_row(port: str, mac: str, name: str, far_port: str) -> dict[str, list[dict[str, str]]]:
    # a neighbour as the element of a port: `name` and `far_port` are what the port sees, `mac` the chassis id of that
    # device
    values = {
        "lldp-local-port-id": port,
        "lldp-local-parent-interface-name": "-",
        "lldp-remote-chassis-id-subtype": "Mac address",
        "lldp-remote-chassis-id": mac,
        "lldp-remote-port-id-subtype": "Interface name",
        "lldp-remote-port-id": far_port,
        "lldp-remote-system-name": name,
    }
    return {key: [{"data": value}] for key, value in values.items()}
