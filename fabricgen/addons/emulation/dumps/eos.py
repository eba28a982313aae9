"""`show lldp neighbors | json` of Arista EOS, as it is kept between the prompts of a terminal.

Shape: https://github.com/sonic-net/sonic-mgmt/blob/master/tests/common/devices/eos.py. Ports that see nobody are not
listed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from fabricgen.addons.emulation.dumps import Seen, group_by_device


def write(seen: Seen, devices: Iterable[str] | None = None, prompts: bool = False) -> dict[str, str]:
    """Return {file name: text}: a file for each device; with `prompts`, as a terminal shows it.

    `seen` has the (device, port) that each port sees, None if it sees nothing. Only `devices` are written, all if it is
    None.
    """
    files = {}
    for device, ports in group_by_device(seen, devices).items():
        rows = [
            {"port": port, "neighborDevice": far[0], "neighborPort": far[1], "ttl": 120} for port, far in ports if far
        ]
        text = json.dumps({"tablesLastChangeTime": 1.5, "tablesAgeOuts": 0, "lldpNeighbors": rows}, indent=4)
        files[f"{device}.txt"] = f"{device}#show lldp neighbors | json\n{text}\n{device}#" if prompts else text
    return files
