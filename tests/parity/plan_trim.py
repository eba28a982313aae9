"""Packet trimming that the plan asks of a switch, without the help of what renders it."""

from __future__ import annotations

from collections.abc import Callable

from fabricgen.catalog.nos_configuration import Intent
from fabricgen.switch.qos import Trimming
from fabricgen.views.switch import SwitchView


def planned_trimming(switch: SwitchView, lacks: Callable[[Intent], bool]) -> Trimming | None:
    """Class 0 of every port but those that lead out; only what was trimmed has a class of its own."""
    asked = switch.fabric.qos.trim
    if asked is None or lacks("packet-trim"):
        return None
    classes = [0] * 64
    classes[asked.dscp] = asked.traffic_class
    return Trimming(
        dscp=asked.dscp,
        size=asked.size,
        traffic_class=asked.traffic_class,
        class_of=tuple(classes),
        ports={port.name: frozenset({0}) for port in switch.ports if port.role != "exit"},
    )
