"""`ibdiagnet2.net_dump` of ibdiagnet: a block for each switch with all of its ports.

Columns: as tools that read it quote them; see `fabricgen/verify/dumps/ibdiagnet_net_dump.py`.
"""

from __future__ import annotations

from collections.abc import Mapping

from fabricgen.addons.emulation.dumps import Seen
from fabricgen.addons.emulation.dumps._subnet import SwitchFace, list_links

HEAD = (
    "# : IB# : Sta : PhysSta : MTU : LWA : LSA : FEC mode : Retran : Neighbor Guid : N# : NLID : Neighbor Description"
)


def write_subnet(seen: Seen, switches: Mapping[str, SwitchFace]) -> dict[str, str]:
    """Return {file name: text}: one file of a subnet, with a head and the ports of each switch, by GUID.

    `seen` has the (device, port) that each port sees, None for a port that is down; `switches` are those of the
    subnet by name, with models.
    """
    lines, last_guid = list[str](), 0
    for port, end, far_end in sorted(list_links(seen, switches), key=lambda link: link[1]):
        if not end.switch:
            continue
        if end.guid != last_guid:
            lines += [
                f'"MF0;{end.name}:{switches[end.name].model}/U1", Mellanox, 0x{end.guid:016x}, LID {end.lid}',
                HEAD,
            ]
            last_guid = end.guid
        port_name = f"sw{port[1].replace('/', 'p')}"
        if far_end and (seen_port := seen[port]):
            # a switch is told by what its front says, an adapter by number
            far_name = f"sw{seen_port[1].replace('/', 'p')}" if far_end.switch else str(far_end.port)
            far_description = (
                f"MF0;{far_end.name}:{switches[far_end.name].model}/U1" if far_end.switch else far_end.name
            )
            far_words = f'0x{far_end.guid:016x} : {far_name} : {far_end.lid} : "{far_description}"'
            state = f"ACT : LINK UP : 5 : {end.lanes}x : {end.lane_gbps} : RS : NO-RTR : {far_words}"
        else:
            state = "DOWN : POLLING : N/A : N/A : N/A : N/A : N/A : : : :"
        lines.append(f"{port_name} : {end.port} : {state}")
    return {"ibdiagnet2.net_dump": "\n".join([*lines, ""])}
