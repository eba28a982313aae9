"""`iblinkinfo`: every port of every switch and adapter, those that are down too.

Shape: `print_port` and `print_node_header` in
https://github.com/linux-rdma/rdma-core/blob/master/infiniband-diags/iblinkinfo.c
"""

from __future__ import annotations

from collections.abc import Mapping

from fabricgen.addons.emulation.dumps import Seen
from fabricgen.addons.emulation.dumps._subnet import LANES, End, SwitchFace, list_links


def write_subnet(seen: Seen, switches: Mapping[str, SwitchFace]) -> dict[str, str]:
    """Return {file name: text}: one file of a subnet, with a block for each switch and adapter.

    `seen` has the (device, port) that each port sees, None for a port that is down; `switches` are those of the subnet
    by name.
    """
    ends_of_node: dict[int, list[tuple[End, End | None]]] = {}
    for _, end, far_end in list_links(seen, switches):
        ends_of_node.setdefault(end.guid, []).append((end, far_end))
    lines = []
    for rows in ends_of_node.values():
        first_end = rows[0][0]
        lines.append(
            f"Switch: 0x{first_end.guid:016x} {first_end.name}:" if first_end.switch else f"CA: {first_end.name}:"
        )
        for end, far_end in sorted(rows, key=lambda row: row[0].port):
            # a port of an adapter has a GUID of its own, the next after that of the adapter; ports of a switch have
            # that of the switch
            port_guid = " " * 10 if end.switch else f"      0x{end.guid + 1:016x} "
            near_text = f"{port_guid}{end.lid:>4} {end.port:>4}[  ] ==("
            if far_end is None:
                lines.append(f'{near_text}                Down/ Polling)==>             [  ] "" ( )')
            else:
                far_text = f'{far_end.lid:>4} {far_end.port:>4}[  ] "{far_end.name}" ( )'
                rate = f"{end.lanes}X {f'{LANES[end.lane_gbps][1]} Gbps':>18}"
                lines.append(f"{near_text}{rate:>22} Active/  LinkUp)==>    {far_text}")
    return {"iblinkinfo.txt": "\n".join([*lines, ""])}
