"""The parts of the switch model for classes of RoCE, packet trimming, and the choice among equal paths."""

from __future__ import annotations

from collections.abc import Set
from functools import lru_cache

from fabricgen.catalog.nos_configuration import DialectFacts, Intent
from fabricgen.design.qos import QosIntent, compute_ecn_thresholds
from fabricgen.switch.ordered import OrderedSet
from fabricgen.switch.qos import Balancing, Ecn, PacketTrimming, PfcWatchdog, PortQos, Queue, SwitchQos
from fabricgen.views.balancing import choose_hash_seed
from fabricgen.views.exits import EXIT
from fabricgen.views.switch import SwitchView

_INTENTS_LEFT_OUT: tuple[Intent, ...] = (
    "cnp-shaping",
    "packet-trim",
    "watchdog-forward",
    "watchdog-restore",
    "watchdog-poll",
)
"""What the model of QoS leaves out if a NOS does not claim it. A class of RoCE, lossless or lossy, is not among it, nor
are its ECN thresholds: the model has them whatever the NOS claims, and FG703 alone says that it does not."""

_BY_LOAD: dict[str, Intent] = {"dynamic": "dynamic-load-balance", "spray": "packet-spray"}


def model_qos(view: SwitchView) -> SwitchQos | None:
    """Return the QoS of a fabric in which RoCE has a class of its own; None for others, and for a switch without ports.

    Switches with like ports get the same object, so that what writers make of it is made once.
    """
    intent = view.fabric.qos
    if not intent.marks or not view.ports:
        return None
    ports = tuple(
        (
            port.name,
            port.speed_gbps,
            port.may_pause and intent.lossless,
            port.span.length_m if intent.lossless and port.span and port.span.lossless else 0,
        )
        for port in view.ports
    )
    # arguments that can be compared and hashed, since the model is kept by them: thousands of switches have the same
    # few
    lacked = frozenset(name for name in _INTENTS_LEFT_OUT if view.lacks(name))
    return _model_qos(intent, view.is_lowest, ports, view.dialect, lacked)


@lru_cache(maxsize=256)
def _model_qos(
    intent: QosIntent,
    is_lowest: bool,
    ports: tuple[tuple[str, int, bool, int], ...],
    dialect: DialectFacts,
    lacked: Set[Intent],
) -> SwitchQos:
    """Return the QoS of a switch. `ports` are (name, speed in Gb/s, whether PFC pauses it, length in m of its lossless
    span, or 0); `lacked` are those of `_INTENTS_LEFT_OUT` that the NOS does not claim.
    """
    lossy = dialect.lossy_class
    trim = None if "packet-trim" in lacked else intent.trim
    trim_percent = intent.trim_percent if trim else 0
    # a DSCP that is stated twice is that of the last entry: congestion notifications, then RoCE data, before what is
    # left of trimmed packets
    class_of = {
        **({trim.dscp: trim.traffic_class} if trim else {}),
        intent.roce_dscp: intent.roce_class,
        intent.cnp_dscp: intent.cnp_class,
    }
    kinds = {
        (speed, pauses, length_m): PortQos(
            pfc=frozenset({intent.roce_class} if pauses else ()),
            # the watchdog guards whatever is paused
            watched=frozenset({intent.roce_class} if pauses else ()),
            queues={
                **({trim.traffic_class: Queue(False, trim_percent)} if trim else {}),
                lossy: Queue(False, 100 - intent.roce_percent - trim_percent),
                intent.cnp_class: Queue(True, limit=0 if "cnp-shaping" in lacked else intent.cnp_max_percent),
                intent.roce_class: Queue(
                    False,
                    intent.roce_percent,
                    # `ecn_fill`: a NOS that marks by how full a queue is takes percent, whatever kB are asked for
                    Ecn(*(dialect.ecn_fill or compute_ecn_thresholds(intent, is_lowest, speed)), intent.mark_percent),
                ),
            },
            length_m=length_m if dialect.names_cable_lengths else 0,
        )
        # without their names: ports of one kind share one row
        for speed, pauses, length_m in {port[1:] for port in ports}
    }
    return SwitchQos(
        # a DSCP has six bits
        class_of=tuple(class_of.get(dscp, lossy) for dscp in range(64)),
        # every class has the queue of its own number
        queue_of={number: number for number in sorted({lossy, *class_of.values()})},
        ports={name: kinds[speed, pauses, length_m] for name, speed, pauses, length_m in ports},
        watchdog=PfcWatchdog(
            intent.detect_ms,
            0 if "watchdog-restore" in lacked else intent.restore_ms,
            0 if "watchdog-poll" in lacked else intent.poll_ms,
            "drop" if "watchdog-forward" in lacked else intent.watchdog_action,
        )
        if intent.lossless
        else None,
        # where lint was overruled, it is that of other packets, which have its queue
        trim_class=trim.traffic_class
        if trim and trim.traffic_class not in (intent.roce_class, intent.cnp_class)
        else 0,
    )


def model_trimming(view: SwitchView) -> PacketTrimming | None:
    """Return how packets are trimmed; None if nothing is trimmed, if the NOS does not claim it, and for a switch
    without ports.

    Trimmed is the class whose packets may be dropped, at every port except those that lead outside: the class of RoCE,
    or class 0 if all packets are in one class.
    """
    intent, qos = view.fabric.qos, model_qos(view)
    trim = intent.trim
    if trim is None or not view.ports or view.lacks("packet-trim"):
        return None
    trimmed = frozenset({intent.trimmed_class})
    class_of = tuple(trim.traffic_class if dscp == trim.dscp else 0 for dscp in range(64))
    return PacketTrimming(
        dscp=trim.dscp,
        size=trim.size,
        traffic_class=trim.traffic_class,
        class_of=qos.class_of if qos else class_of,
        ports={port.name: trimmed for port in view.ports if port.role != EXIT},
    )


def model_balancing(view: SwitchView) -> Balancing:
    """Return how equal paths are chosen; flows of host ports are assigned to uplinks in turn if hosts are routed."""
    balancing, groups = view.fabric.balancing, dict[str, list[str]]()
    if balancing.mode == "cluster" and not view.lacks("cluster-load-balance"):
        for port in view.ports:
            if port.role == "host" and port.address and not port.bond:
                groups.setdefault(port.peer, []).append(port.name)
    # hosts behind a gateway are bridged: they have no block of their own that ports could be dealt by
    blocks = [s.host_subnet for s in view.services if s.host_subnet and not s.gateways] if groups else []
    return Balancing(
        by_load=balancing.mode in _BY_LOAD and not view.lacks(_BY_LOAD[balancing.mode]),
        queue_pairs=frozenset(
            view.fabric.families if balancing.queue_pairs and not view.lacks("hash-queue-pairs") else ()
        ),
        seed=None if view.lacks("hash-seeds") else choose_hash_seed(balancing, view.tier.name, view.level),
        groups={host: OrderedSet(ports) for host, ports in groups.items()},
        aging_s=balancing.flow_aging_s if groups else 0,
        prefix_length=int(blocks[0].partition("/")[2]) if blocks else 0,
    )
