"""Small halls to judge: two leaves under a spine, on EOS, with NVIDIA and generic parts, as columns of the lists."""

from __future__ import annotations

from fabricgen.catalog.loader import Catalog
from fabricgen.verify import cabling as planned
from fabricgen.verify.actions import Action
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.dumps.sighting import Box
from fabricgen.verify.optics.report import PortReport
from fabricgen.verify.optics.verifying import judge_optics

DR, SR, FR, NRZ = "MMS4X00-NM", "sr8-100g-osfp-400g", "2fr4-osfp-400g", "sr4-25g-qsfp28-100g"
TWIN = "MMA4Z00-NS"

LINKS = (
    # cable, part, medium, length, a_port, a_cage, a_transceiver, b_device, b_port, b_cage, b_transceiver, Gb/s
    ("leaf1:1", "MFP7E30-N300", "DR", "300", "Ethernet1/1", "1", DR, "spine1", "Ethernet1/1", "1", DR, "800"),
    ("leaf1:2", "fibre", "SR", "15", "Ethernet2/1", "2", SR, "spine1", "Ethernet2/1", "2", SR, "400"),
    ("leaf1:3", "MCP4Y10-N002", "DAC", "2", "Ethernet3/1", "3", "", "spine1", "Ethernet3/1", "3", "", "800"),
    ("leaf1:4", "aoc-100g-osfp-400g-10m", "AOC", "10", "Ethernet4/1", "4", "", "spine1", "Ethernet4/1", "4", "", "400"),
    ("leaf1:5.1", "MFP7E10-N015", "SR", "15", "Ethernet5/1", "5", TWIN, "n1", "OSFP1", "OSFP1", SR, "400"),
    ("leaf1:5.2", "MFP7E10-N015", "SR", "15", "Ethernet5/5", "5", TWIN, "n1", "OSFP2", "OSFP2", SR, "400"),
    ("leaf1:6", "fibre", "FR", "900", "Ethernet6/1", "6", FR, "spine1", "Ethernet6/1", "6", FR, "400"),
    ("leaf1:7", "cat6a-2m", "COPPER", "2", "Ethernet7/1", "7", "", "n1", "eth0", "eth0", "", "1"),
    ("leaf1:8", "fibre", "SR", "15", "Ethernet8/1", "8", NRZ, "n1", "eth1", "eth1", NRZ, "100"),
)

_DEVICES = {"leaf1": ("r1", "40"), "spine1": ("r2", "38"), "n1": ("r1", "")}


def hall() -> PlannedCabling:
    """The plan of LINKS."""
    devices = {name: [""] * len(_DEVICES) for name in planned.DEVICES}
    devices |= {"device": list(_DEVICES), "rack": [r for r, _ in _DEVICES.values()]}
    devices["u"] = [u for _, u in _DEVICES.values()]
    cable, part, medium, length, a_port, a_cage, a_module, b_device, b_port, b_cage, b_module, speed = zip(
        *LINKS, strict=True
    )
    links = {name: [""] * len(LINKS) for name in planned.LINKS}
    links |= {"cable": list(cable), "a_device": ["leaf1"] * len(LINKS), "a_port": list(a_port)}
    links |= {"b_device": list(b_device), "b_port": list(b_port), "speed_gbps": list(speed)}
    cables = {name: [""] * len(LINKS) for name in planned.CABLES}
    cables |= {"cable": list(cable), "part": list(part), "medium": list(medium), "length_m": list(length)}
    cables |= {"a_device": ["leaf1"] * len(LINKS), "a_cage": list(a_cage), "a_transceiver": list(a_module)}
    cables |= {"b_device": list(b_device), "b_cage": list(b_cage), "b_transceiver": list(b_module)}
    cables |= {f"label_{side}": [f"{name} {side}" for name in cable] for side in "ab"}
    encoded = [
        {name: planned._encode_column(column) for name, column in table.items()} for table in (devices, links, cables)
    ]
    none = {name: [] for name in planned.ADDRESSES}
    return planned._assemble_cabling(*encoded, planned.read_sockets(cables["label_a"]), lambda: none)


def judged(*reports: PortReport, states: list[int] | None = None) -> tuple[tuple[Action, ...], tuple[str, ...]]:
    """What is said of reports whose boxes go by the names of devices."""
    import numpy as np

    cabling = hall()
    known = None if states is None else np.array(states, dtype=np.int32)
    return judge_optics(
        cabling, Catalog(), reports, lambda box: cabling.device_numbers.get(box.name, -1), states=known
    )[:2]


def at(device: str, port: str, **told: object) -> PortReport:
    """A row of a dump of a device."""
    return PortReport(Box(name=device), port, **told)  # type: ignore[arg-type]
