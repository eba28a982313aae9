"""`ibdiagnet2.net_dump` of ibdiagnet: a block for each switch with all of its ports.

Columns: as tools that read it quote them; see `fabricgen/verify/dumps/ibdiagnet_net_dump.py`.
"""

from __future__ import annotations

from collections.abc import Mapping

from fabricgen.addons.emulation.dumps import Seen
from fabricgen.addons.emulation.dumps._subnet import SwitchFace, list_ends

HEAD = (
    "# : IB# : Sta : PhysSta : MTU : LWA : LSA : FEC mode : Retran : Neighbor Guid : N# : NLID : Neighbor Description"
)


def write_subnet(seen: Seen, switches: Mapping[str, SwitchFace]) -> dict[str, str]:
    """File name -> text: one file of a subnet, whose switches are given with their models."""
    of_subnet, lines, guid = list_ends(seen, switches), list[str](), 0
    for port, end in sorted(of_subnet.items(), key=lambda item: item[1]):
        if not end.switch:
            continue
        if end.guid != guid:
            lines += [
                f'"MF0;{end.name}:{switches[end.name].model}/U1", Mellanox, 0x{end.guid:016x}, LID {end.lid}',
                HEAD,
            ]
            guid = end.guid
        name, far = f"sw{port[1].replace('/', 'p')}", seen.get(port)
        if far:
            beyond = of_subnet[far]
            # a switch is told by what its front says, an adapter by number
            far_name = f"sw{far[1].replace('/', 'p')}" if beyond.switch else str(beyond.port)
            text = f"MF0;{beyond.name}:{switches[beyond.name].model}/U1" if beyond.switch else beyond.name
            there = f'0x{beyond.guid:016x} : {far_name} : {beyond.lid} : "{text}"'
            state = f"ACT : LINK UP : 5 : 4x : 100 : RS : NO-RTR : {there}"
        else:
            state = "DOWN : POLLING : N/A : N/A : N/A : N/A : N/A : : : :"
        lines.append(f"{name} : {end.port} : {state}")
    return {"ibdiagnet2.net_dump": "\n".join([*lines, ""])}
