"""Interfaces, bonds, and transceivers as modules in bays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain

import numpy as np
import numpy.typing as npt

from fabricgen.addons.netbox_objects.kinds import MAKER, MANUFACTURER, Cell, Kind, Reference
from fabricgen.api import ClusterView

KBITS = 1_000_000
"""Kbit/s of one Gb/s."""

DEVICE: dict[str, Reference] = {"device": ("devices", ("device",))}

FALSE, TRUE = np.array(("false", "true"), dtype=object)

End = tuple[str, str]
"""(device, port)"""


def make_port_kinds(view: ClusterView) -> Iterator[Kind]:
    """Yield bonds, interfaces, types of module, bays and modules."""
    links, rows = view.links, np.flatnonzero(view.links.cable >= 0)
    ends = (zip(links[f"{end}_device"][rows], links[f"{end}_bond"][rows], strict=True) for end in "ab")
    # (device, bond), in which the bond of a port by itself is ""
    bonds = [end for end in dict.fromkeys(chain(*ends)) if end[1]]
    if bonds:
        yield Kind(
            "dcim/interfaces",
            "bonds",
            {
                "device": [device for device, _ in bonds],
                "name": [name for _, name in bonds],
                "type": ["lag"] * len(bonds),
                "mgmt_only": ["false"] * len(bonds),
            },
            ("device", "name"),
            DEVICE,
        )
    yield Kind(
        "dcim/interfaces",
        "interfaces",
        _list_interfaces(view, bonds),
        ("device", "name"),
        {**DEVICE, **({"lag": ("bonds", ("device", "lag"))} if bonds else {})},
    )
    yield from _make_module_kinds(view)


def _list_interfaces(view: ClusterView, bonds: Sequence[End]) -> dict[str, list[Cell]]:
    """Return the ports of cables, then interfaces with an address and no cable: loopbacks, VLANs, idle management
    ports.
    """
    links, addresses, rows = view.links, view.addresses, np.flatnonzero(view.links.cable >= 0)
    device, port, cage, form, managing = (
        np.concatenate([links[f"{end}_{name}"][rows] for end in "ab"])
        for name in ("device", "port", "cage", "form", "management")
    )
    devices = np.concatenate((device, np.array([end[0] for end in bonds], dtype=object), addresses.device))
    ports = np.concatenate((port, np.array([end[1] for end in bonds], dtype=object), addresses.port))
    first_rows, cabled = _find_first_ends(devices, ports), len(device) + len(bonds)
    # ends of cables and bonds come first, so that an end first met after them has an address and no cable
    new = first_rows[(first_rows >= cabled) & (ports[first_rows] != "")] - cabled
    is_idle, blank = addresses.kind[new] == "management", [""] * len(new)
    speeds, lanes = links.speed_gbps[rows].tolist() * 2, links.lane_gbps[rows].tolist() * 2
    kbits = {speed: int(speed * KBITS) for speed in set(speeds)}
    return {
        "device": device.tolist() + addresses.device[new].tolist(),
        "name": port.tolist() + addresses.port[new].tolist(),
        "label": cage.tolist() + blank,
        "type": [
            *map(choose_port_type, links.protocol[rows].tolist() * 2, form.tolist(), speeds, lanes),
            *np.where(is_idle, "1000base-t", "virtual").tolist(),
        ],
        "speed": [kbits[speed] for speed in speeds] + blank,
        "mgmt_only": np.where(np.concatenate((managing, is_idle)), TRUE, FALSE).tolist(),
        **({"lag": links.a_bond[rows].tolist() + links.b_bond[rows].tolist() + blank} if bonds else {}),
    }


def _find_first_ends(devices: Iterable[str], ports: Iterable[str]) -> npt.NDArray[np.int64]:
    """Return the row at which each distinct (device, port) comes first, ascending; int64."""
    codes = dict[str, int]()
    device, port = (
        np.fromiter((codes.setdefault(text, len(codes)) for text in texts), dtype=np.int64)
        for texts in (devices, ports)
    )
    # one number for both texts: the device's in the upper half, the port's in the lower
    return np.sort(np.unique((device << 32) + port, return_index=True)[1])


def _make_module_kinds(view: ClusterView) -> Iterator[Kind]:
    """Yield transceivers: one for each cage that has any, however many cables are in it."""
    device, cage, part = (
        np.concatenate([view.ends[f"{end}_{name}"] for end in "ab"]) for name in ("device", "cage", "transceiver")
    )
    rows = np.flatnonzero(part != "")
    first_rows = rows[_find_first_ends(device[rows], cage[rows])]
    used = set(part[first_rows])
    models = [row["model"] for row in view.models.rows() if row["kind"] == "transceiver" and row["model"] in used]
    yield Kind(
        "dcim/module-types",
        "module-types",
        {
            "manufacturer": [MAKER] * len(models),
            "model": models,
            "part_number": [model[:50] for model in models],
        },
        ("model",),
        MANUFACTURER,
    )
    bay_columns = {"device": device[first_rows].tolist(), "name": cage[first_rows].tolist()}
    yield Kind("dcim/module-bays", "module-bays", bay_columns, ("device", "name"), DEVICE)
    yield Kind(
        "dcim/modules",
        "modules",
        {
            "device": bay_columns["device"],
            "module_bay": bay_columns["name"],
            "module_type": part[first_rows].tolist(),
            "status": ["planned"] * len(first_rows),
        },
        ("device", "module_bay"),
        {
            **DEVICE,
            "module_bay": ("module-bays", ("device", "module_bay")),
            "module_type": ("module-types", ("module_type",)),
        },
    )


# NetBox's types of ports.
# Source: github.com/netbox-community/netbox v4.4.10, netbox/dcim/choices.py (InterfaceTypeChoices).
# It has no type above 800 Gb/s, and none for NVLink.

OTHER = "other"
ETHERNET = {
    10: ("sfpp",),
    25: ("sfp28",),
    40: ("qsfpp",),
    50: ("sfp56", "sfp28"),
    100: ("qsfp28", "qsfpdd", "sfpdd", "dsfp"),
    200: ("qsfp56", "qsfpdd"),
    400: ("qsfpdd", "osfp", "qsfp112"),
    800: ("osfp", "qsfpdd"),
}
"""By Gb/s, the form factors for which NetBox has a type of that speed; other form factors get the first one."""

TWISTED = {1: "1000base-t", 2.5: "2.5gbase-t", 5: "5gbase-t", 10: "10gbase-t", 25: "25gbase-t"}
LANES = {14: "fdr", 25: "edr", 50: "hdr", 100: "ndr", 200: "xdr"}
"""InfiniBand generation, by Gb/s of a lane."""

FORMS = {"SFP+": "sfpp", "QSFP+": "qsfpp", "QSFP-DD800": "qsfpdd", "QSFP56-DD": "qsfpdd", "QSFP-DD": "qsfpdd"}


@cache
def choose_port_type(protocol: str, form_factor: str, speed_gbps: float, lane_gbps: float) -> str:
    """Return the type of the ports at one end of links, such as `400gbase-x-osfp`; `other` if NetBox has none.

    `protocol` is `infiniband`, `roce` or `ethernet`, "" for scale-up links.
    """
    if protocol == "infiniband" and form_factor != "RJ45":
        return f"infiniband-{LANES[int(lane_gbps)]}" if int(lane_gbps) in LANES else OTHER
    if form_factor == "RJ45":
        return TWISTED.get(speed_gbps, OTHER)
    if not protocol:
        return OTHER
    forms = ETHERNET.get(int(speed_gbps), ())
    form = FORMS.get(form_factor, form_factor.lower())
    port_form = form if form in forms else next(iter(forms), "")
    return f"{int(speed_gbps)}gbase-x-{port_form}" if port_form else OTHER
