"""Boxes that say which device they are: by host name, management address, MAC or GUID, or the file of the dump."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.dumps.sighting import Box
from fabricgen.verify.identity.identities import How, Identities
from fabricgen.verify.identity.known import KnownAddress
from fabricgen.verify.identity.names import DeviceNames, device_names
from fabricgen.verify.ports.numbers import PortNumbers


def stated(
    cabling: PlannedCabling, boxes: Sequence[Box], known: Iterable[KnownAddress], ports: PortNumbers
) -> Identities:
    """The boxes that tell their device. Ports of known addresses are put into `ports`."""
    names = device_names(cabling)
    chassis = _chassis(cabling, known, ports)
    device, how = np.full(len(boxes), -1, dtype=np.int32), np.full(len(boxes), How.UNKNOWN, dtype=np.uint8)
    port, adapter = np.full(len(boxes), -1, dtype=np.int32), np.zeros(len(boxes), dtype=np.int32)
    adapters = {"": 0}
    seen: dict[str, tuple[int, str]] = {}
    for i, box in enumerate(boxes):
        if box.chassis:
            port[i] = ports.by_address.get(box.chassis, -1) if box.chassis.startswith("0x") else -1
        if box.name not in seen:
            seen[box.name] = names.of_name(box.name)
        found, own = seen[box.name]
        if own:
            adapter[i] = adapters.setdefault(own, len(adapters))
        device[i], how[i] = (found, How.NAME) if found >= 0 else _otherwise(box, names, chassis)
    wrong = (port >= 0) & (cabling.device[port] != device)
    port[wrong] = -1
    hardware = np.array([chassis.get(box.chassis, -1) if box.chassis else -1 for box in boxes], dtype=np.int32)
    return Identities(device, how, port, hardware, adapter, tuple(adapters), ports)


def _otherwise(box: Box, names: DeviceNames, chassis: dict[str, int]) -> tuple[int, How]:
    if box.address and (found := names.of_address(box.address)) >= 0:
        return found, How.ADDRESS
    if box.chassis and (found := chassis.get(box.chassis, -1)) >= 0:
        return found, How.CHASSIS
    if box.file and (found := names.of_file(box.file)) >= 0:
        return found, How.FILE
    return -1, How.UNKNOWN


def _chassis(cabling: PlannedCabling, known: Iterable[KnownAddress], ports: PortNumbers) -> dict[str, int]:
    """The device of each known address."""
    found: dict[str, int] = {}
    with_port: list[tuple[int, KnownAddress]] = []
    for row in known:
        device = cabling.device_numbers.get(row.device, -1)
        if device >= 0:
            found.setdefault(row.address, device)
            if row.port:
                with_port.append((device, row))
    if with_port:
        texts = {"": 0}
        codes = np.array([texts.setdefault(row.port, len(texts)) for _, row in with_port], dtype=np.int32)
        devices = np.array([device for device, _ in with_port], dtype=np.int32)
        numbers = ports.find(devices, codes, tuple(texts)).tolist()
        for number, (_, row) in zip(numbers, with_port, strict=True):
            if number >= 0:
                ports.by_address[row.address] = number
    return found
