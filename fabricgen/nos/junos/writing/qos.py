"""The class of RoCE of Junos as values: classes, schedulers, a congestion notification profile, and buffers.

The shape and the shares of buffers are those of Juniper's validated design (github.com/Juniper/jvd,
aiml_multitenancy_backend: `class-of-service`). Junos marks by how full a queue is, in percent, and has no thresholds in
kB (YANG, junos-conf-class-of-service, `drop-profiles`): fill levels are that design's, too. The watchdog finds a queue
that was paused for so many polls (`pfc-watchdog`: `poll-interval`, `detection`, `recovery`, `watchdog-action`).

The headroom of a queue that pauses is worked out by Junos, of the length of the cable and the largest frame (CLI
reference, `mru (Congestion Notification Profiles)`; YANG, `cable-length`, metres): ports at a long span have a profile
of their own, which says both.

A lossy class has another name, no `no-loss` and nothing that pauses; the buffer then is shared as Juniper recommends
for networks of mostly best-effort unicast traffic (Traffic Management User Guide for QFX Series, Example: Recommended
Configuration of the Shared Buffer Pool for Networks with Mostly Best-Effort Unicast Traffic; lossless is 5 % at least).

Load is balanced by that of the links (`ecmp-dlb`): flowlet by flowlet with that design's figures, or packet by packet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from fabricgen.switch.qos import PfcWatchdog, SwitchQos
from fabricgen.views.model.forwarding import model_balancing, model_qos
from fabricgen.views.switch import SwitchView

SPRAY = "spray"

ALL_PORTS = "et-*"
"""Stands for every port, where all are alike."""

NO_LOSS, LOSSY = "NO-LOSS", "LOSSY-ROCE"
"""The class of RoCE data, by whether it is paused or dropped."""

PROFILE = "ROCE"
"""The congestion notification profile of ports whose cables are as Junos takes them to be."""


def make_qos_values(switch: SwitchView) -> dict[str, Any]:
    """Classes, and what each port has of them; none where RoCE has no class of its own. `by_load`: how equal paths
    are chosen, None for by hash alone.
    """
    qos, balancing = model_qos(switch), model_balancing(switch)
    bond_of = {port.name: f"ae{port.bond}" for port in switch.ports if port.bond}
    families = [word for word, v in (("ipv4", "v4"), ("ipv6", "v6")) if v in switch.fabric.families]
    by_load = {"sprays": switch.fabric.balancing.mode == SPRAY, "families": families} if balancing.by_load else None
    return {
        "qos": _make_class_values(qos, qos.watchdog)
        | {"ports": _list_port_rows(qos, bond_of), "profiles": _list_profiles(qos) if qos.watchdog else []}
        if qos
        else None,
        "by_load": by_load,
    }


@lru_cache(maxsize=256)
def _make_class_values(qos: SwitchQos, watchdog: PfcWatchdog | None) -> dict[str, Any]:
    """The values that all switches with such ports share."""
    lossy_class, cnp_class, roce_class = qos.classes
    queues = next(iter(qos.ports.values())).queues
    pauses: dict[str, Any] = (
        {
            "poll": watchdog.poll_ms,
            # Junos counts polls; rounded up
            "detection": -(-watchdog.detect_ms // watchdog.poll_ms),
            "recovery": watchdog.restore_ms,
            "action": watchdog.action,
        }
        if watchdog
        else {}
    )
    return {
        "roce_name": NO_LOSS if watchdog else LOSSY,
        "cnp_points": _list_code_points(qos.class_of, cnp_class),
        "roce_points": _list_code_points(qos.class_of, roce_class),
        "cnp_queue": cnp_class,
        "roce_queue": roce_class,
        # a code point of IEEE 802.1p is three bits
        "priority": f"{roce_class:03b}",
        "lossy_percent": queues[lossy_class].share,
        "roce_percent": queues[roce_class].share,
        "cnp_percent": queues[cnp_class].limit,
        "ecn": next(iter(qos.ports.values())).ecn,
        "pauses": pauses,
    }


def _list_port_rows(qos: SwitchQos, bond_of: Mapping[str, str]) -> list[tuple[str, str]]:
    """(port, its congestion notification profile or ""): all as one where they are alike, but for the ports of bonds,
    which take nothing (YANG, junos-conf-interfaces, `bundle`: "scheduler-map config can not be applied on ae child").
    """
    profiles = {
        bond_of.get(name, name): _name_profile(port.length_m) if port.pfc else "" for name, port in qos.ports.items()
    }
    usual = PROFILE if qos.watchdog else ""
    return list(profiles.items()) if bond_of or {*profiles.values()} != {usual} else [(ALL_PORTS, usual)]


def _list_profiles(qos: SwitchQos) -> list[tuple[str, int]]:
    """(name, metres of fibre that its headroom is for, 0 for what Junos takes by itself) of each profile."""
    lengths = sorted({0, *(port.length_m for port in qos.ports.values() if port.pfc)})
    return [(_name_profile(length), length) for length in lengths]


def _name_profile(length_m: int) -> str:
    return f"{PROFILE}-{length_m}M" if length_m else PROFILE


def _list_code_points(class_of: Sequence[int], number: int) -> list[str]:
    """The code points of a class, as Junos has them: six bits."""
    return [f"{dscp:06b}" for dscp, class_ in enumerate(class_of) if class_ == number]
