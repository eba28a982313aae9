"""`lldpctl -f json0` of lldpd 1.0: lists everywhere, so that one neighbour and many look alike.

Shape: https://github.com/lldpd/lldpd, src/client/json_writer.c. Ports that see nobody are not listed.
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
    return {
        f"{device}.json": json.dumps(
            {
                "lldp": [
                    {
                        "interface": [
                            {
                                "name": port,
                                "via": "LLDP",
                                "rid": str(number),
                                "age": "0 day, 01:00:00",
                                "chassis": [
                                    {"id": [{"type": "mac", "value": macs[far[0]]}], "name": [{"value": far[0]}]}
                                ],
                                "port": [{"id": [{"type": "ifname", "value": far[1]}], "ttl": [{"value": "120"}]}],
                            }
                            for number, (port, far) in enumerate(ports, start=1)
                            if far
                        ]
                    }
                ]
            },
            indent=1,
        )
        for device, ports in group_by_device(seen, devices).items()
    }
