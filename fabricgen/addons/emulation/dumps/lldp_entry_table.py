"""`sonic-db-dump -n APPL_DB`, its tables of LLDP and of ports: ports that see nobody are down.

Keys: https://github.com/sonic-net/sonic-dbsyncd, src/lldp_syncd/daemon.py, and PORT_TABLE of sonic-swss.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from fabricgen.addons.emulation.dumps import Seen, group_by_device, number_macs


def write(seen: Seen, devices: Iterable[str] | None = None) -> dict[str, str]:
    """Return {file name: text}: a file for each device, which says whose it is.

    `seen` has the (device, port) that each port sees, None if it sees nothing. Only `devices` are written, all if it is
    None.
    """
    macs = number_macs(seen)
    files = {}
    for device, ports in group_by_device(seen, devices).items():
        tables = {"LLDP_LOC_CHASSIS": {"lldp_loc_sys_name": device, "lldp_loc_chassis_id": macs[device]}}
        tables |= {f"PORT_TABLE:{port}": {"oper_status": "up" if far else "down"} for port, far in ports}
        tables |= {
            f"LLDP_ENTRY_TABLE:{port}": {
                "lldp_rem_chassis_id_subtype": "4",
                "lldp_rem_chassis_id": macs[far[0]],
                "lldp_rem_port_id_subtype": "5",
                "lldp_rem_port_id": far[1],
                "lldp_rem_port_desc": "",
                "lldp_rem_sys_name": far[0],
            }
            for port, far in ports
            if far
        }
        database = {key: {"expireat": 0, "ttl": -0.001, "type": "hash", "value": row} for key, row in tables.items()}
        files[f"{device}.json"] = json.dumps(database, indent=2)
    return files
