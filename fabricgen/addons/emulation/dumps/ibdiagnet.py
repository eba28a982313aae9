"""`ibdiagnet2.db_csv` of ibdiagnet: its tables of nodes and of links.

Shape: https://github.com/Mellanox/ufm_sdk_3.0/blob/main/plugins/UFM_NDT_Plugin/ndt_file_creator.py
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fabricgen.addons.emulation.dumps import Seen
from fabricgen.addons.emulation.dumps._subnet import SwitchFace, list_links

SWITCH, ADAPTER = 2, 1
"""Types of nodes."""
WIDTHS = {1: 1, 2: 16, 4: 2, 8: 4, 12: 8}
SPEEDS = {200: 1 << 24, 100: 8 << 8, 50: 4 << 8, 25: 2 << 8, 14: 1 << 8, 10: 4}
"""Numbers of active widths by lanes, and of active speeds by Gb/s of a lane, as ibdiagnet has them (IBLinkWidth,
IBLinkSpeed: ibdm/Fabric.h of ibutils2).
"""


def write_subnet(seen: Seen, switches: Mapping[str, SwitchFace]) -> dict[str, str]:
    """Return {file name: text}: one file of a subnet, with a table of its nodes and one of its links.

    `seen` has the (device, port) that each port sees, None for a port that is down; `switches` are those of the subnet
    by name.
    """
    ends = [(end, far_end) for _, end, far_end in list_links(seen, switches)]
    row_of_node = {end.guid: f'"{end.name}",{SWITCH if end.switch else ADAPTER},0x{end.guid:016x}' for end, _ in ends}
    # a link is seen from both ends: sorted, both give the same tuple
    links = {tuple(sorted(((end.guid, end.port), (far_end.guid, far_end.port)))) for end, far_end in ends if far_end}
    rows = (f"0x{a:016x},{i},0x{b:016x},{j}" for (a, i), (b, j) in sorted(links))
    rates = (
        f"0x{end.guid:016x},{end.port},{WIDTHS.get(end.lanes, 0)},{SPEEDS[end.lane_gbps]}"
        for end, far_end in ends
        if far_end
    )
    tables = (
        _write_table("NODES", "NodeDesc,NodeType,NodeGUID", (row_of_node[guid] for guid in sorted(row_of_node))),
        _write_table("PORTS", "NodeGuid,PortNum,LinkWidthActv,LinkSpeedActv", rates),
        _write_table("LINKS", "NodeGuid1,PortNum1,NodeGuid2,PortNum2", rows),
    )
    return {"ibdiagnet2.db_csv": "\n".join(tables)}


def _write_table(name: str, head: str, rows: Iterable[str]) -> str:
    return "\n".join([f"START_{name}", head, *rows, f"END_{name}", "", ""])
