"""`ibnetdiscover --ports`: a line a port, those that are down too.

Shape: `dump_ports_report` in
https://github.com/linux-rdma/rdma-core/blob/master/infiniband-diags/ibnetdiscover.c
"""

from __future__ import annotations

from collections.abc import Mapping

from fabricgen.addons.emulation.dumps import Seen
from fabricgen.addons.emulation.dumps._subnet import LANES, End, SwitchFace, list_links


def write_subnet(seen: Seen, switches: Mapping[str, SwitchFace]) -> dict[str, str]:
    """Return {file name: text}: one file of a subnet, with a line for each port, those of switches first.

    `seen` has the (device, port) that each port sees, None for a port that is down; `switches` are those of the subnet
    by name.
    """
    lines = []
    for _, end, far_end in sorted(list_links(seen, switches), key=lambda link: (not link[1].switch, link[1])):
        if far_end:
            rate, names = f"{end.lanes}x {LANES[end.lane_gbps][0]}", f"( '{end.name}' - '{far_end.name}' )"
            lines.append(f"{_write_end(end)} {rate} - {_write_end(far_end)} {names}")
        else:
            lines.append(f"{_write_end(end)} 4x SDR{'':36}'{end.name}'")
    return {"ibnetdiscover-ports.txt": "\n".join([*lines, ""])}


def _write_end(end: End) -> str:
    guid = end.guid if end.switch else end.guid + 1  # of a switch all ports have its own GUID
    return f"{'SW' if end.switch else 'CA'} {end.lid:5d} {end.port:2d} 0x{guid:016x}"
