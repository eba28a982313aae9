"""`show lldp table` of SONiC, which has no chassis: https://github.com/sonic-net/sonic-utilities, scripts/lldpshow.

Ports that see nobody are not listed.
"""

from __future__ import annotations

from collections.abc import Iterable

from fabricgen.addons.emulation.dumps import Seen, group_by_device

HEAD = ("LocalPort", "RemoteDevice", "RemotePortID", "Capability", "RemotePortDescr")


def write(seen: Seen, devices: Iterable[str] | None = None) -> dict[str, str]:
    """Return {file name: text}: a file for each device, with a row for each port that sees another.

    `seen` has the (device, port) that each port sees, None if it sees nothing. Only `devices` are written, all if it is
    None.
    """
    files = {}
    for device, ports in group_by_device(seen, devices).items():
        rows = [(port, *far, "BR", "") for port, far in ports if far]
        widths = [max(map(len, column)) for column in zip(HEAD, *rows, strict=True)]
        table = [HEAD, tuple("-" * width for width in widths), *rows]
        lines = [
            "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in table
        ]
        foot = ["-" * 50, f"Total entries displayed:  {len(rows)}", ""]
        files[f"{device}.txt"] = "\n".join(["Capability codes: (R) Router, (B) Bridge, (O) Other", *lines, *foot])
    return files
