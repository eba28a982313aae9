"""An NDT file of UFM, as `ndt_file_creator.py --brief_structure` makes it of a subnet.

Shape: https://github.com/Mellanox/ufm_sdk_3.0/blob/main/plugins/UFM_NDT_Plugin/ndt_file_creator.py
"""

from __future__ import annotations

from collections.abc import Mapping

from fabricgen.addons.emulation.dumps import Seen
from fabricgen.addons.emulation.dumps._subnet import SwitchFace, list_links


def write_subnet(seen: Seen, switches: Mapping[str, SwitchFace]) -> dict[str, str]:
    """Return {file name: text}: one file of a subnet, with a row for each port of a switch.

    `seen` has the (device, port) that each port sees, None for a port that is down; `switches` are those of the subnet
    by name.
    """
    rows = ["StartDevice,StartPort,EndDevice,EndPort,State,Domain"]
    for _, end, far_end in sorted(list_links(seen, switches), key=lambda link: link[1]):
        if end.switch and far_end:
            rows.append(f"{end.name},Port {end.port},{far_end.name},Port {far_end.port},Active,In-Scope")
        elif end.switch:
            rows.append(f"{end.name},Port {end.port},,,Disabled,Disconnected")
    return {"ndt.csv": "\n".join([*rows, ""])}
