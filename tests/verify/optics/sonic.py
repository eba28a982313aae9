"""STATE_DB of a leaf of leaf-spine.yaml with SONiC, as `sonic-db-dump -n STATE_DB -y` writes it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.verify.cabled import CabledHall

LEAF = "compute-leaf-p1-su01-r1-01"
SR = {"manufacturer": "OEM", "model": "Q8", "specification_compliance": "400G-SR8"}
AOC = {"manufacturer": "OEM", "model": "A2", "connector": "No separable connector", "cable_length": "10"}
AOC |= {"specification_compliance": "100G AOC (Active Optical Cable) or 25GAUI C2M AOC"}


def dumped(folder: Path, **changed: dict[str, str] | None) -> Path:
    """Neighbours of all devices as planned, and STATE_DB of a leaf, but for what is changed."""
    state_db(folder, **changed)
    CabledHall("leaf-spine").csv(folder / "hall.csv")
    return folder


def state_db(folder: Path, **changed: dict[str, str] | None) -> None:
    """Modules and ports of a leaf as planned; `TABLE__PORT` changes some fields of a row, or takes the row out."""
    tables: dict[str, Any] = {}
    for port in ("Ethernet224", "Ethernet232", "Ethernet240", "Ethernet248"):
        tables[f"TRANSCEIVER_INFO|{port}"] = SR
        tables[f"PORT_TABLE|{port}"] = {"speed": "400000", "fec": "rs", "netdev_oper_status": "up"}
    for port in ("Ethernet0", "Ethernet4", "Ethernet8", "Ethernet12"):
        tables[f"TRANSCEIVER_INFO|{port}"] = AOC
    for name, fields in changed.items():
        key = name.replace("__", "|")
        tables[key] = {**tables.get(key, {}), **(fields or {})}
        if fields is None:
            del tables[key]
    (folder / LEAF).mkdir(parents=True, exist_ok=True)
    (folder / LEAF / "state_db.json").write_text(json.dumps(tables), encoding="utf-8")
