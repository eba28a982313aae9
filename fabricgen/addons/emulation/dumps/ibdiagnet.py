"""`ibdiagnet2.db_csv` of ibdiagnet: its tables of nodes and of links.

Shape: https://github.com/Mellanox/ufm_sdk_3.0/blob/main/plugins/UFM_NDT_Plugin/ndt_file_creator.py
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fabricgen.addons.emulation.dumps import Seen
from fabricgen.addons.emulation.dumps._subnet import SwitchFace, list_ends

SWITCH, ADAPTER = 2, 1
"""Types of nodes."""


def write_subnet(seen: Seen, switches: Mapping[str, SwitchFace]) -> dict[str, str]:
    """File name -> text: one file of a subnet, whose switches are given with their models."""
    of_subnet = list_ends(seen, switches)
    nodes = {
        end.guid: f'"{end.name}",{SWITCH if end.switch else ADAPTER},0x{end.guid:016x}' for end in of_subnet.values()
    }
    # a link is seen from both ends: sorted, both give the same tuple
    links = {
        tuple(sorted(((end.guid, end.port), (of_subnet[far].guid, of_subnet[far].port))))
        for port, end in of_subnet.items()
        if (far := seen.get(port))
    }
    rows = (f"0x{a:016x},{i},0x{b:016x},{j}" for (a, i), (b, j) in sorted(links))
    tables = (
        _write_table("NODES", "NodeDesc,NodeType,NodeGUID", (nodes[guid] for guid in sorted(nodes))),
        _write_table("LINKS", "NodeGuid1,PortNum1,NodeGuid2,PortNum2", rows),
    )
    return {"ibdiagnet2.db_csv": "\n".join(tables)}


def _write_table(name: str, head: str, rows: Iterable[str]) -> str:
    return "\n".join([f"START_{name}", head, *rows, f"END_{name}", "", ""])
