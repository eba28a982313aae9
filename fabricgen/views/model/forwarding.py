"""Lossless Ethernet, packet trimming, and the choice among equal paths."""

from __future__ import annotations

from fabricgen.catalog.nos_configuration import Intent
from fabricgen.design.qos import ecn_thresholds_kb
from fabricgen.switch.balancing import Balancing
from fabricgen.switch.ordered import OrderedSet
from fabricgen.switch.qos import Ecn, PortQos, Qos, Queue, Trimming, Watchdog
from fabricgen.views.balancing import seed_of
from fabricgen.views.exits import EXIT
from fabricgen.views.switch import SwitchPort, SwitchView

_BY_LOAD: dict[str, Intent] = {"dynamic": "dynamic-load-balance", "spray": "packet-spray"}


def model_qos(switch: SwitchView) -> Qos | None:
    """QoS of a lossless fabric; None for any other, and for a switch without ports."""
    qos, lossy = switch.fabric.qos, switch.dialect.lossy_class
    if not qos.lossless or not switch.ports:
        return None
    action = "drop" if switch.lacks("watchdog-forward") else qos.watchdog_action
    restore_ms = 0 if switch.lacks("watchdog-restore") else qos.restore_ms
    class_of = {qos.roce_dscp: qos.roce_class, qos.cnp_dscp: qos.cnp_class}
    return Qos(
        class_of=tuple(class_of.get(dscp, lossy) for dscp in range(64)),
        queue_of={number: number for number in sorted({lossy, *class_of.values()})},
        ports={port.name: _model_port(switch, port) for port in switch.ports},
        watchdog=Watchdog(qos.detect_ms, restore_ms, qos.poll_ms, action),
    )


def _model_port(switch: SwitchView, port: SwitchPort) -> PortQos:
    qos, length = switch.fabric.qos, port.span.length_m if port.span and port.span.lossless else 0
    paused = frozenset({qos.roce_class} if port.pauses else ())
    ecn = Ecn(*ecn_thresholds_kb(qos, switch.is_lowest, port.speed_gbps), qos.mark_percent)
    return PortQos(
        pfc=paused,
        watched=paused,
        queues={
            switch.dialect.lossy_class: Queue(False, 100 - qos.roce_percent),
            qos.roce_class: Queue(False, qos.roce_percent, ecn),
            qos.cnp_class: Queue(True, limit=0 if switch.lacks("cnp-shaping") else qos.cnp_max_percent),
        },
        length_m=length if switch.dialect.names_cable_lengths else 0,
    )


def model_trimming(switch: SwitchView) -> Trimming | None:
    """Class 0 of every port but those that lead out; only what was trimmed has a class of its own."""
    asked = switch.fabric.qos.trim
    if asked is None or switch.lacks("packet-trim"):
        return None
    return Trimming(
        dscp=asked.dscp,
        size=asked.size,
        traffic_class=asked.traffic_class,
        class_of=tuple(asked.traffic_class if dscp == asked.dscp else 0 for dscp in range(64)),
        ports={port.name: frozenset({0}) for port in switch.ports if port.role != EXIT},
    )


def model_balancing(switch: SwitchView) -> Balancing:
    """How equal paths are chosen; the ports of hosts are dealt out where these are routed."""
    asked, groups = switch.fabric.balancing, dict[str, list[str]]()
    if asked.mode == "cluster" and not switch.lacks("cluster-load-balance"):
        for port in switch.ports:
            if port.role == "host" and port.address and not port.bond:
                groups.setdefault(port.peer, []).append(port.name)
    blocks = [s.host_subnet for s in switch.services if s.host_subnet and not s.gateways] if groups else []
    return Balancing(
        by_load=asked.mode in _BY_LOAD and not switch.lacks(_BY_LOAD[asked.mode]),
        queue_pairs=frozenset(
            switch.fabric.families if asked.queue_pairs and not switch.lacks("hash-queue-pairs") else ()
        ),
        seed=None if switch.lacks("hash-seeds") else seed_of(asked, switch.tier.name, switch.level),
        groups={host: OrderedSet(ports) for host, ports in groups.items()},
        aging_s=asked.flow_aging_s if groups else 0,
        prefix_length=int(blocks[0].partition("/")[2]) if blocks else 0,
    )
