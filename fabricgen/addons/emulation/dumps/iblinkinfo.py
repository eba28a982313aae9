"""`iblinkinfo`: every port of every switch and adapter, those that are down too.

Shape: `print_port` and `print_node_header` in
https://github.com/linux-rdma/rdma-core/blob/master/infiniband-diags/iblinkinfo.c
"""

from __future__ import annotations

from collections.abc import Mapping

from fabricgen.addons.emulation.dumps import Seen
from fabricgen.addons.emulation.dumps._subnet import End, SwitchFace, list_ends


def write_subnet(seen: Seen, switches: Mapping[str, SwitchFace]) -> dict[str, str]:
    """File name -> text: one file of a subnet, whose switches are given with their models."""
    of_subnet = list_ends(seen, switches)
    nodes: dict[int, list[tuple[End, End | None]]] = {}
    for port, end in of_subnet.items():
        far = seen.get(port)
        nodes.setdefault(end.guid, []).append((end, of_subnet[far] if far else None))
    lines = []
    for rows in nodes.values():
        first = rows[0][0]
        lines.append(f"Switch: 0x{first.guid:016x} {first.name}:" if first.switch else f"CA: {first.name}:")
        for end, far_end in sorted(rows, key=lambda row: row[0].port):
            # a port of an adapter has a GUID of its own, the next after that of the adapter; ports of a switch have
            # that of the switch
            own = " " * 10 if end.switch else f"      0x{end.guid + 1:016x} "
            near = f"{own}{end.lid:>4} {end.port:>4}[  ] ==("
            if far_end is None:
                lines.append(f'{near}                Down/ Polling)==>             [  ] "" ( )')
            else:
                there = f'{far_end.lid:>4} {far_end.port:>4}[  ] "{far_end.name}" ( )'
                lines.append(f"{near} 4X        106.25 Gbps Active/  LinkUp)==>    {there}")
    return {"iblinkinfo.txt": "\n".join([*lines, ""])}
