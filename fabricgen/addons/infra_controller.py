"""infra-controller/: the machines and NVLink switches that NVIDIA's Infra Controller is to expect; on request.

`SITE/expected-machines-001.json` has the body of a request that makes up to 100 of them known at once, and
`SITE/expected-switches.json` a list with the body of a request for each switch tray. `SITE_ID` stands for the id that
the controller gave the site. No credentials are written. Serial numbers, and MACs of BMCs, are those of the inventory.

Source: github.com/dsx-ai-factory/infra-controller@0a74a3c378: rest-api/api/pkg/api/model, expectedmachine.go
(APIExpectedMachineCreateRequest; at most 100 in a batch) and expectedswitch.go (APIExpectedSwitchCreateRequest), both
with serial numbers of at most 32 characters; docs.nvidia.com/infra-controller: an expected switch is an NVLink switch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from json import dumps
from typing import Any

import numpy as np

from fabricgen.api import ClusterView, Ints64

CODE = "FG158"
SITE_ID = "SITE_ID"
MAX_BATCH, MAX_SERIAL = 100, 32
"""The most machines of one request, and the most characters of a serial number."""
UNMANAGED = ("", "embedded")
"""What the catalogue has as NOS of trays that nobody logs in to: other than NVLink's."""


def files(view: ClusterView) -> Iterator[tuple[str, str]]:
    """Yield the files of each site: of the machines with accelerators, and of the switch trays that run an NOS.

    Raises InputError (FG158) if the inventory lacks a serial number or the MAC of a BMC of one of them, or has a serial
    number that is too long.
    """
    devices = view.devices
    machines = np.flatnonzero(np.isin(devices.name, np.unique(view.endpoints.node)))
    trays = np.flatnonzero((devices.kind == "tray") & ~np.isin(devices.nos, UNMANAGED))
    _check_inventory(view, np.concatenate((machines, trays)))
    # backwards, since clients are by family: of two addresses of a BMC the IPv4 one is entered last, and stays
    bmcs = np.flatnonzero(view.clients.bmc)[::-1]
    addresses = dict(zip(view.clients.device[bmcs].tolist(), view.clients.address[bmcs].tolist(), strict=True))
    for site in view.sites:
        bodies = [
            _make_body(view, row, "chassisSerialNumber", addresses.get(row, ""))
            for row in machines[devices.site[machines] == site].tolist()
        ]
        for first in range(0, len(bodies), MAX_BATCH):
            batch = bodies[first : first + MAX_BATCH]
            yield f"{site}/expected-machines-{first // MAX_BATCH + 1:03}.json", _write_json(batch)
        bodies = [_make_body(view, row, "switchSerialNumber") for row in trays[devices.site[trays] == site].tolist()]
        if bodies:
            yield f"{site}/expected-switches.json", _write_json(bodies)


def _check_inventory(view: ClusterView, rows: Ints64) -> None:
    """Raise InputError (FG158) unless the inventory has what the API wants of each of some devices (their rows)."""
    devices = view.devices
    lacking = {
        "serial number": rows[devices.serial[rows] == ""],
        "MAC of the BMC": rows[devices.bmc_mac[rows] == ""],
        f"serial number of at most {MAX_SERIAL} characters": [
            row for row in rows.tolist() if len(devices.serial[row]) > MAX_SERIAL
        ],
    }
    words = [
        f"no {what} of {len(without):,} of {len(rows):,} devices, {devices.name[without[0]]} the first"
        for what, without in lacking.items()
        if len(without)
    ]
    if words:
        raise view.refuse(
            CODE,
            f"the inventory has {'; '.join(words)}",
            ("inventory",),
            "a line `NAME,,,,SERIAL` has the serial number of a device, `NAME,BMC,MAC,,` the MAC of its port BMC",
        )


def _make_body(view: ClusterView, row: int, serial_key: str, bmc_address: str = "") -> dict[str, Any]:
    """Return the body of the request for a device, by its row; what the device does not have is left out, as the API
    takes no empty text.

    `serial_key` is what the API calls its serial number, `bmc_address` the address of its BMC, "" if it is not planned.
    """
    devices = view.devices
    model = devices.model[row]
    vendor = view.models.vendor[(view.models.model == model) & (view.models.kind != "rack")][0]
    # a tray that serves several units is in none (0), one that serves several pods in no pod
    labels = {"pod": devices.pod[row], "unit": int(devices.su[row]), "rack-unit": int(devices.u[row])}
    body = {
        "siteId": SITE_ID,
        "name": devices.name[row],
        "bmcMacAddress": devices.bmc_mac[row],
        serial_key: devices.serial[row],
        "bmcIpAddress": bmc_address,
        "manufacturer": vendor,
        "model": model,
        "rackId": devices.rack[row],
        "labels": {name: str(value) for name, value in labels.items() if value},
    }
    return {name: value for name, value in body.items() if value}


def _write_json(bodies: Sequence[dict[str, Any]]) -> str:
    """Return bodies as a JSON list with a line for each."""
    lines = ",\n".join(dumps(body) for body in bodies)
    return f"[\n{lines}\n]\n"
