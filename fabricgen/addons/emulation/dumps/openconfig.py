"""LLDP by the YANG model of OpenConfig, as a gNMI Get of /lldp answers it.

Model: https://github.com/openconfig/public/blob/master/release/models/lldp/openconfig-lldp.yang
Ports that see nobody have no neighbours.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from fabricgen.addons.emulation.dumps import Seen, group_by_device, number_macs
from fabricgen.addons.emulation.plan import Port


def write(seen: Seen, devices: Iterable[str] | None = None) -> dict[str, str]:
    """Return {file name: text}: a file for each device, which says whose it is.

    `seen` has the (device, port) that each port sees, None if it sees nothing. Only `devices` are written, all if it is
    None.
    """
    macs = number_macs(seen)
    files = {}
    for device, ports in group_by_device(seen, devices).items():
        interfaces = [_write_interface(port, macs, far) for port, far in ports]
        state = {"enabled": True, "system-name": device, "chassis-id": macs[device], "chassis-id-type": "MAC_ADDRESS"}
        lldp = {"state": state, "interfaces": {"interface": interfaces}}
        files[f"{device}.json"] = json.dumps({"openconfig-lldp:lldp": lldp}, indent=2)
    return files


def _write_interface(port: str, macs: dict[str, str], far: Port | None) -> dict[str, object]:
    # a port as an element, with a neighbour where it sees the port `far`; `macs` are chassis ids by device
    interface: dict[str, object] = {"name": port, "config": {"name": port}, "state": {"name": port, "enabled": True}}
    if far:
        state = {
            "id": "1",
            "system-name": far[0],
            "chassis-id": macs[far[0]],
            "chassis-id-type": "MAC_ADDRESS",
            "port-id": far[1],
            "port-id-type": "INTERFACE_NAME",
        }
        interface["neighbors"] = {"neighbor": [{"id": "1", "state": state}]}
    return interface
