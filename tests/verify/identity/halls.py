"""What dumps of a whole hall say, in the manner of one agent or another: sightings of both ends of planned links."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path

import numpy as np

from fabricgen.pipeline import compile_cluster, compile_design
from fabricgen.verify.cabling import PlannedCabling, make_cabling
from fabricgen.verify.dumps.sighting import SEEN, Box, Dump, Sighting
from fabricgen.verify.sightings import Sightings, SightingsBuilder

ROOT = Path(__file__).resolve().parents[3]


@cache
def planned(name: str, *sets: str) -> PlannedCabling:
    """The cabling of an example."""
    return make_cabling(compile_cluster(compile_design(str(ROOT / "blueprints" / f"{name}.yaml"), list(sets))))


def by_name(cabling: PlannedCabling) -> list[Box]:
    """Every device with its own host name."""
    return [Box(name=name) for name in cabling.device_names]


def mac(number: int) -> str:
    """A MAC of which no two numbers have the same."""
    return ":".join(f"{byte:02x}" for byte in (0x0200_0000_0000 + number).to_bytes(6, "big"))


def sightings_of(
    cabling: PlannedCabling,
    boxes: list[Box] | None = None,
    owners: Iterable[int] | None = None,
    mates: Mapping[int, int] | None = None,
    files: Mapping[int, Box] | None = None,
    port_text: Callable[[int], str] | None = None,
) -> Sightings:
    """Dumps of `owners` (all devices), where `mates` differ from the plan (-1: nobody) at both ends.

    `files` are the boxes of dumps where these are not called as neighbours see them.
    """
    boxes, text = boxes or by_name(cabling), port_text or cabling.port_text
    builder = SightingsBuilder()
    for device in range(len(cabling.device_names)) if owners is None else owners:
        own = []
        for port in cabling.list_device_ports(device).tolist():
            far = port ^ 1 if mates is None else mates.get(port, port ^ 1)
            if far >= 0:
                own.append(Sighting(text(port), boxes[int(cabling.device[far])], text(far)))
        builder.add_dump(Dump((files or {}).get(device, boxes[device]), own))
    return builder.make_sightings()


def all_links(cabling: PlannedCabling) -> Sightings:
    """Both ends of every planned link, as columns at once: for plans of a size that rows would take too long for."""
    port = np.arange(cabling.ports, dtype=np.int32)
    names = tuple(str(text) for text in cabling.port_texts.tolist())
    return Sightings(
        boxes=tuple(by_name(cabling)),
        texts=("", *names),
        owner=cabling.device,
        port=cabling.name + np.int32(1),
        neighbor=cabling.device[port ^ 1],
        far_port=cabling.name[port ^ 1] + np.int32(1),
        far_text=np.zeros(len(port), dtype=np.int32),
        gbps=np.zeros(len(port), dtype=np.int32),
        state=np.full(len(port), SEEN, dtype=np.uint8),
        agents=dict.fromkeys(range(len(cabling.device_names)), "lldp"),
        lists_all=frozenset(range(len(cabling.device_names))),
    )
