"""`ibnetdiscover`, also with `-g`: what is in the subnet, and nothing of ports that are down.

Shape: `out_switch_port` and `out_ca_port` in
https://github.com/linux-rdma/rdma-core/blob/master/infiniband-diags/ibnetdiscover.c
"""

from __future__ import annotations

from collections.abc import Mapping

from fabricgen.addons.emulation.dumps import Seen
from fabricgen.addons.emulation.dumps._subnet import End, SwitchFace, list_ends


def write_subnet(seen: Seen, switches: Mapping[str, SwitchFace], grouped: bool = False) -> dict[str, str]:
    """File name -> text of one subnet, by its switches' models; with `grouped`, as `-g` prints switches that are no
    chassis.
    """
    of_subnet = list_ends(seen, switches)
    links: dict[int, list[tuple[End, End]]] = {}
    for port, end in of_subnet.items():
        far = seen.get(port)
        if far:
            links.setdefault(end.guid, []).append((end, of_subnet[far]))
    blocks = [
        _write_block(sorted(rows)) for rows in sorted(links.values(), key=lambda rows: (not rows[0][0].switch, rows))
    ]
    head = "#\n# Topology file: generated on Thu Jan  1 00:00:00 1970\n#\n"
    return {"ibnetdiscover.txt": "\n".join([head + ("\nNon-Chassis Nodes\n" if grouped else ""), *blocks])}


def _write_block(rows: list[tuple[End, End]]) -> str:
    """A switch or adapter, by (its port, the port that this sees), of which there is at least one."""
    guid, name, _, switch, lid = rows[0][0]
    kind = f'switchguid=0x{guid:x}({guid:x})\nSwitch\t129 "S-' if switch else f'caguid=0x{guid:x}\nCa\t1 "H-'
    about = f" enhanced port 0 lid {lid} lmc 0" if switch else ""
    head = f'vendid=0x2c9\ndevid=0xd2f2\nsysimgguid=0x{guid:x}\n{kind}{guid:016x}"\t\t# "{name}"{about}'
    lines = []
    for end, far in rows:
        # ports of adapters show their own GUID, the next after that of the adapter
        own = "" if switch else f"({guid + 1:x}) "
        port = "" if far.switch else f"({far.guid + 1:x}) "
        there = f'"{"S" if far.switch else "H"}-{far.guid:016x}"[{far.port}]{port}'
        about = f'"{far.name}" lid {far.lid} 4xNDR'
        lines.append(f"[{end.port}]{own}\t{there}\t\t# {about if switch else f'lid {lid} lmc 0 {about}'}")
    return "\n".join([head, *lines, ""])
