"""Switches and hosts are told one thing: QoS and MTU of both ends of a link, each read back from its own files."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from fabricgen.design.names.switches import name_interface
from fabricgen.export.files import hosts
from fabricgen.export.table import ExportContext
from fabricgen.running.tree import UnknownTextError
from fabricgen.switch.model import Switch
from fabricgen.switch.qos import SwitchQos
from fabricgen.views.switch import SwitchPort
from tests.conftest import BLUEPRINTS, EXAMPLES
from tests.hosts.netplans import ethernets
from tests.hosts.nic_form import HostPort
from tests.hosts.rdma_hosts import run
from tests.hosts.setup_reader import read_setup
from tests.parity.switches import read, switches_of
from tests.render.rendered import ALL_EOS, CUMULUS, cluster_of

POLLARA = ("scalable_unit.nodes=24 x mi355x-8", "scale_up={infinity-fabric: {domain: mi355x-8}}")
TUNED = ("qos={roce_dscp: 24, cnp_dscp: 46, roce_class: 4, cnp_class: 5, roce_percent: 70, cnp_max_percent: 5}",)
LOSSY, TRIMMED = "qos={profile: roce-lossy}", "qos={profile: roce-lossy, roce_percent: 60, trim: {dscp: 12}}"
NO_KNOWN_NIC = (
    "cloudmatrix-384",
    "four-tier",
    "gaudi3",
    "leaf-spine",
    "mi300x-roce",
    "mixed-breakouts",
    "modular-spine",
    "rail-groups",
    "trn2-ultraserver",
    "trn3-ultraserver",
    "two-exits",
    "ualink-pod",
)
"""Examples with RoCE whose nodes have no NIC that a script is written for."""
TEXTS = {name: (BLUEPRINTS / f"{name}.yaml").read_text(encoding="utf-8") for name in EXAMPLES}
ROCE = [name for name, text in TEXTS.items() if "protocol: roce" in text]
CASES = [
    *((name, ()) for name in ROCE),
    ("mi300x-roce", POLLARA),
    ("mi300x-roce", (*POLLARA, *TUNED)),
    ("rail-only", (*TUNED, *ALL_EOS)),
    ("rail-only", (*TUNED, *CUMULUS)),
    ("mi300x-roce", (*POLLARA, LOSSY)),
    ("rail-only", (*ALL_EOS, LOSSY)),
    ("superpod-b300", ("nos=cumulus", TRIMMED)),
]


def links(name: str, sets: tuple[str, ...]) -> Iterator[tuple[Switch, SwitchPort, HostPort, int]]:
    """Node ports of some switches: the switch as read, its port, and the node's end as read with its MTU."""
    cluster = cluster_of(name, *sets)
    profiles = {n: c.profile.id for c in cluster.plan.devices.classes for n in cluster.names[c.rows]}
    for switch, files in switches_of(name, sets, per_tier=2):
        seen = read(switch, files) if switch.fabric.qos.marks and switch.is_lowest else None
        for port in [port for port in switch.ports if port.role == "host"][:2] if seen else ():
            setup, mtus = host_of(name, sets, port.peer)
            interface = name_interface(cluster.design.loaded.blueprint, profiles[port.peer], port.peer_port)
            if seen and interface in setup:
                yield seen, port, setup[interface], mtus[interface]


@cache
def files_of(name: str, sets: tuple[str, ...]) -> dict[str, str]:
    cluster = cluster_of(name, *sets)
    return {path: content.decode() for path, content in hosts.files(cluster, ExportContext())}  # type: ignore[union-attr]


@cache
def host_of(name: str, sets: tuple[str, ...], node: str) -> tuple[dict[str, HostPort], dict[str, int]]:
    """A node's ports of RDMA as its script sets them, and the MTUs of its netplan file."""
    files = files_of(name, sets)
    script = files.get(f"hosts/{node}/rdma-setup", "")
    mtus = {port: settings["mtu"] for port, settings in ethernets(files[f"hosts/{node}/60-fabric.yaml"]).items()}
    return (read_setup(printed(script)) if script else {}), mtus


@cache
def printed(script: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        return "\n".join(run(Path(folder), script).printed)


def others_of(qos: SwitchQos) -> int:
    """What a NOS calls the class of all other traffic."""
    return max(set(qos.class_of), key=qos.class_of.count)


@pytest.mark.tenth
@pytest.mark.parametrize(("name", "sets"), CASES, ids=lambda v: "+".join(v) if isinstance(v, tuple) else v)
def test_hosts_and_switches_say_the_same(name: str, sets: tuple[str, ...]) -> None:
    found = list(links(name, sets))
    assert bool(found) == bool(sets or name not in NO_KNOWN_NIC)
    for switch, port, host, mtu in found:
        assert switch.qos
        others, own = others_of(switch.qos), switch.qos.ports[port.name]
        classes = tuple(0 if c == others else c for c in switch.qos.class_of)
        assert host.classes_of == classes
        assert host.pfc == own.pfc
        assert host.ecn == {c for c, queue in own.queues.items() if queue.ecn}
        assert host.strict == {c for c, queue in own.queues.items() if queue.strict}
        shares = {0 if c == others else c: q.share for c, q in own.queues.items() if not q.strict}
        assert dict(host.shares) == shares
        assert {classes[host.cnp_dscp]} == host.strict
        assert host.cnp_priority in (None, *host.strict)
        assert {classes[host.traffic_class >> 2]} == host.ecn or not host.device  # the NIC has one at another port
        assert 1500 < mtu <= switch.interfaces[port.name].mtu
        if host.firmware:
            assert host.firmware["CNP_DSCP"] == str(host.cnp_dscp)
            assert int(host.firmware["ROCE_CC_PRIO_MASK"]) == sum(1 << c for c in host.ecn)


FAULTS = [
    ((), "--dscp2prio=set,26,3", "--dscp2prio=set,26,0", "classes_of"),
    ((), "--pfc=0,0,0,1,0,0,0,0", "--pfc=0,0,0,0,1,0,0,0", "pfc"),
    ((), "echo 48 >", "echo 46 >", "cnp_dscp"),
    ((), "ecn/roce_np/enable/3", "ecn/roce_np/enable/4", "reacts to other congestion"),
    ((), "--trust=dscp", "--trust=pcp", "does not trust DSCPs"),
    ((), "mlnx_qos -i", "mlnx_tune -i", "not understood"),
    ((), "default_roce_tos", "default_roce_toss", "not understood"),
    (POLLARA, "--dscp 26 --priority 3", "--dscp 26 --priority 2", "classes_of"),
    (POLLARA, "pfc --priority 3 --no-drop enable", "pfc --priority 3 --no-drop disable", "pfc"),
    (POLLARA, "--rx-pause enable --tx-pause enable", "--rx-pause disable --tx-pause disable", "pfc"),
    (POLLARA, "--cnp-dscp 48", "--cnp-dscp 46", "cnp_dscp"),
    (POLLARA, "--pause-type pfc", "--pause-type link", "not understood"),
]


@pytest.mark.parametrize(("sets", "old", "new", "said"), FAULTS)
def test_a_fault_of_a_host_is_seen(sets: tuple[str, ...], old: str, new: str, said: str) -> None:
    script = files_of("mi300x-roce" if sets else "superpod-b300", sets)["hosts/p1-su01-n001/rdma-setup"]
    right = printed(script)
    assert old in right
    try:
        pairs = zip(read_setup(right).values(), read_setup(right.replace(old, new)).values(), strict=True)
        fields = ("classes_of", "pfc", "cnp_dscp")
        found = {name for a, b in pairs for name in fields if getattr(a, name) != getattr(b, name)}
    except UnknownTextError as error:
        found = {said} if said in str(error) else {str(error)}
    assert found == {said}
