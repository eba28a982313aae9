"""`nv show interface --view=lldp-detail -o json` of Cumulus Linux and NVOS.

Keys: https://docs.nvidia.com/networking-ethernet-software/nvue-reference/Show-Commands/LLDP/
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from fabricgen.addons.emulation.dumps import Seen, group_by_device, number_macs


def write(seen: Seen, devices: Iterable[str] | None = None) -> dict[str, str]:
    """Return {file name: text}: a file for each device; a port that sees nothing has no neighbours and is down.

    `seen` has the (device, port) that each port sees, None if it sees nothing. Only `devices` are written, all if it is
    None.
    """
    macs = number_macs(seen)
    files = {}
    for device, ports in group_by_device(seen, devices).items():
        interfaces: dict[str, object] = {}
        for port, far in ports:
            neighbor = {}
            if far:
                chassis = {"chassis-id": macs[far[0]], "system-name": far[0]}
                neighbor = {far[0]: {"age": "80", "chassis": chassis, "port": {"name": far[1], "type": "ifname"}}}
            state = {"oper-status": "up" if far else "down"}
            interfaces[port] = {"link": state, "lldp": {"neighbor": neighbor}, "type": "swp"}
        files[f"{device}.json"] = json.dumps(interfaces, indent=2)
    return files
