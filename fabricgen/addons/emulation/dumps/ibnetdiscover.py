"""`ibnetdiscover`, also with `-g`: what is in the subnet, and nothing of ports that are down.

Shape: `out_switch_port` and `out_ca_port` in
https://github.com/linux-rdma/rdma-core/blob/master/infiniband-diags/ibnetdiscover.c
"""

from __future__ import annotations

from collections.abc import Mapping

from fabricgen.addons.emulation.dumps import Seen
from fabricgen.addons.emulation.dumps._subnet import LANES, End, SwitchFace, list_links


def write_subnet(seen: Seen, switches: Mapping[str, SwitchFace], grouped: bool = False) -> dict[str, str]:
    """Return {file name: text}: one file of a subnet, with a block for each switch, then each adapter.

    `seen` has the (device, port) that each port sees, None for a port that is down; `switches` are those of the
    subnet by name. With `grouped` it is as `-g` prints switches that are no chassis.
    """
    links_of_node: dict[int, list[tuple[End, End]]] = {}
    for _, end, far_end in list_links(seen, switches):
        if far_end:
            links_of_node.setdefault(end.guid, []).append((end, far_end))
    # switches before adapters, since False sorts first
    blocks = [
        _write_block(sorted(rows))
        for rows in sorted(links_of_node.values(), key=lambda rows: (not rows[0][0].switch, rows))
    ]
    head = "#\n# Topology file: generated on Thu Jan  1 00:00:00 1970\n#\n"
    return {"ibnetdiscover.txt": "\n".join([head + ("\nNon-Chassis Nodes\n" if grouped else ""), *blocks])}


def _write_block(rows: list[tuple[End, End]]) -> str:
    """Return the block of a switch or adapter; `rows` are (its port, the port that this sees), at least one."""
    guid, name, _, switch, lid, *_ = rows[0][0]
    kind = f'switchguid=0x{guid:x}({guid:x})\nSwitch\t129 "S-' if switch else f'caguid=0x{guid:x}\nCa\t1 "H-'
    lids = f" enhanced port 0 lid {lid} lmc 0" if switch else ""
    head = f'vendid=0x2c9\ndevid=0xd2f2\nsysimgguid=0x{guid:x}\n{kind}{guid:016x}"\t\t# "{name}"{lids}'
    lines = []
    for end, far_end in rows:
        # ports of adapters show their own GUID, the next after that of the adapter
        near_guid = "" if switch else f"({guid + 1:x}) "
        far_guid = "" if far_end.switch else f"({far_end.guid + 1:x}) "
        far_text = f'"{"S" if far_end.switch else "H"}-{far_end.guid:016x}"[{far_end.port}]{far_guid}'
        lids = f'"{far_end.name}" lid {far_end.lid} {end.lanes}x{LANES[end.lane_gbps][0]}'
        lines.append(f"[{end.port}]{near_guid}\t{far_text}\t\t# {lids if switch else f'lid {lid} lmc 0 {lids}'}")
    return "\n".join([head, *lines, ""])
