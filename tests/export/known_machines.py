"""NVL72 racks of whose machines and switch trays the serial numbers and the MACs of their BMCs are known."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from fabricgen.api import ClusterView
from tests.conftest import BLUEPRINTS, example_cluster

EXAMPLE = "nvl72-gb200"


def list_lines(example: str = EXAMPLE) -> dict[str, str]:
    """The lines of the inventory, by device (serial numbers) and by `DEVICE BMC` (MACs)."""
    devices = ClusterView(example_cluster(example)).devices
    names = devices.name[(devices.kind == "node") | (devices.kind == "tray")].tolist()
    serials = {name: f"{name},,,,SN{number:05}" for number, name in enumerate(names)}
    macs = {f"{name} BMC": f"{name},BMC,b8:3f:d2:00:{n >> 8:02x}:{n & 255:02x},," for n, name in enumerate(names)}
    return serials | macs


def write_page(file: Path, lines: Iterable[str], example: str = EXAMPLE) -> None:
    """Write the blueprint, and its inventory `hardware.csv` beside it."""
    table = "\n".join(["device,port,mac,guid,serial", *lines, ""])
    (file.parent / "hardware.csv").write_text(table, encoding="utf-8")
    text = (BLUEPRINTS / f"{example}.yaml").read_text(encoding="utf-8")
    file.write_text(f"{text}inventory: hardware.csv\n", encoding="utf-8")
