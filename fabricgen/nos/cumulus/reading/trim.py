"""Packet trimming in a startup.yaml: `packet-trim` of `system forwarding` and of ports, and their map of DSCPs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fabricgen.nos.cumulus.reading.qos import classes_of
from fabricgen.running.tree import only, unfit
from fabricgen.switch.qos import Trimming

Row = Mapping[str, Any]


def is_map_alone(qos: Row) -> bool:
    """Whether all that `qos` has is a map of DSCPs: nothing of it is lossless."""
    return set(qos) == {"mapping"}


def read_trimming(tree: Row, rows: Mapping[str, Row]) -> Trimming | None:
    """What is trimmed, None where nothing is; raises UnknownTextError where ports do not fit to the switch."""
    own = tree["system"].get("forwarding", {}).get("packet-trim")
    ports = {name: row for name, row in rows.items() if "packet-trim" in row}
    if own is None:
        if ports or is_map_alone(tree.get("qos", {})):
            unfit("packets are trimmed at ports, and not by the switch")
        return None
    only(own, "remark", "size", "state", "switch-priority")
    if own["state"] != "enabled" or not is_map_alone(tree["qos"]):
        unfit("packet trimming that is off, or beside lossless traffic")
    mapped = {name for name, row in rows.items() if row.get("qos")}
    maps = {rows[name]["qos"]["mapping"]["profile"] for name in mapped}
    if mapped != set(ports) or len(maps) != 1:
        unfit("ports that trim have one map of DSCPs, and others none")
    return Trimming(
        dscp=own["remark"]["dscp"],
        size=own["size"],
        traffic_class=own["switch-priority"],
        class_of=classes_of(tree["qos"]["mapping"][maps.pop()]),
        ports={name: _eligible(row["packet-trim"]) for name, row in ports.items()},
    )


def _eligible(row: Row) -> frozenset[int]:
    only(row, "egress-eligibility")
    only(row["egress-eligibility"], "traffic-class")
    return frozenset(map(int, row["egress-eligibility"]["traffic-class"]))
