"""An NDT file of UFM, as `ndt_file_creator.py --brief_structure` makes it of a subnet.

Shape: https://github.com/Mellanox/ufm_sdk_3.0/blob/main/plugins/UFM_NDT_Plugin/ndt_file_creator.py
"""

from __future__ import annotations

from collections.abc import Mapping

from fabricgen.addons.emulation.dumps import Seen
from fabricgen.addons.emulation.dumps._subnet import SwitchFace, list_ends


def write_subnet(seen: Seen, switches: Mapping[str, SwitchFace]) -> dict[str, str]:
    """File name -> text: one file of a subnet, whose switches are given with their models."""
    of_subnet, rows = list_ends(seen, switches), ["StartDevice,StartPort,EndDevice,EndPort,State,Domain"]
    for port, end in sorted(of_subnet.items(), key=lambda item: item[1]):
        far = of_subnet[beyond] if (beyond := seen.get(port)) else None
        if end.switch and far:
            rows.append(f"{end.name},Port {end.port},{far.name},Port {far.port},Active,In-Scope")
        elif end.switch:
            rows.append(f"{end.name},Port {end.port},,,Disabled,Disconnected")
    return {"ndt.csv": "\n".join([*rows, ""])}
