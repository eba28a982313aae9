"""The plain list: `device,port,neighbor,neighbor_port`, the last two empty for a port that sees nobody."""

from __future__ import annotations

from collections.abc import Iterable

from fabricgen.addons.emulation.dumps import Seen, group_by_device

OF_ALL = True
"""It tells of InfiniBand and Ethernet alike."""


def write(seen: Seen, devices: Iterable[str] | None = None) -> dict[str, str]:
    """Return {file name: text}: one list of the ports of all devices.

    `seen` has the (device, port) that each port sees, None if it sees nothing. Only `devices` are written, all if it is
    None.
    """
    lines = ["device,port,neighbor,neighbor_port"]
    for device, ports in group_by_device(seen, devices).items():
        lines += [",".join((device, port, *(far or ("", "")))) for port, far in ports]
    return {"hall.csv": "\n".join([*lines, ""])}
