"""What a blueprint asks beside the fabric itself, on every NOS whose templates say it: management, tuned QoS, ports."""

from __future__ import annotations

import pytest

from tests.parity.neutral import differences
from tests.parity.plan import DIALECTS
from tests.parity.switches import first, read, switches_of, wanted
from tests.render.rendered import ALL_EOS, UNNUMBERED, cluster_of

MANAGED = (
    "management.users.ops={password: 'env:FABRICGEN_OPS', ssh_keys: [ssh-ed25519 AAAAC3Nz, ssh-rsa AAAAB3Nz]}",
    "management.users.look={role: operator, ssh_keys: [ssh-ed25519 AAAAC3Nw]}",
    "management.aaa={servers: [10.16.0.20, 10.16.0.21], key: 'env:FABRICGEN_TACACS'}",
    "management.ntp=[10.16.0.30, ntp.example.net]",
    "management.dns={servers: [10.16.0.40, 10.16.0.41], domain: fabric.example.net}",
    "management.syslog={servers: [10.16.0.50], level: warning}",
    "management.snmp={users: {poller: {auth: 'env:FABRICGEN_AUTH', privacy: 'env:FABRICGEN_PRIVACY'}}, contact: noc}",
    "management.gnmi={}",
    "management.timezone=Europe/Berlin",
    'management.banner={login: "Keep out!\\nrouter bgp 1\\n!\\n  exit", motd: "  {{ hostname }}"}',
)
RADIUS = (
    "management.aaa={protocol: radius, servers: 10.16.0.20, key: 'env:FABRICGEN_RADIUS'}",
    "management.gnmi.port=50051",
)
TUNED = (
    "routing.bfd={interval_ms: 100, multiplier: 5}",
    "routing.max_prefixes=5000",
    "routing.load_balance=dynamic",
    "qos={ecn: {400G: 300-900}, mark_percent: 40, roce_percent: 80, cnp_max_percent: 10}",
    "qos.roce_class=4",
    "qos.cnp_class=5",
    "qos.watchdog={detect_ms: 250, restore_ms: 1000, poll_ms: 125, action: forward}",
)
LEAF = "config_of.compute-leaf-p1-su01-r1-01.ports"
HARDWARE = {"eos": ALL_EOS, "sonic": (), "cumulus": ("nos=cumulus",)}
PORTS = {"eos": ("Ethernet1/1", "Ethernet1/5"), "sonic": ("Ethernet0", "Ethernet4"), "cumulus": ("swp1s0", "swp1s1")}
COMPLETE = [nos for nos, dialect in DIALECTS.items() if not dialect.unsaid]


def by_hand(nos: str) -> tuple[str, ...]:
    one, other = PORTS[nos]
    return (
        f"{LEAF}.{one}={{description: spare, mtu: 9000, shutdown: true, fec: fc}}",
        f"{LEAF}.{other}={{fec: none, mtu: 1500}}",
    )


CASES = [
    (nos, asked)
    for nos in COMPLETE
    for asked in (MANAGED, RADIUS, TUNED, (*TUNED, *UNNUMBERED), by_hand(nos), ("routing.max_prefixes=0",))
]


@pytest.mark.parametrize(("nos", "asked"), CASES, ids=lambda v: v if isinstance(v, str) else v[0].partition("=")[0])
def test_what_is_asked_is_said(nos: str, asked: tuple[str, ...]) -> None:
    sets = HARDWARE[nos] + asked
    cluster = cluster_of("leaf-spine", *sets)
    for switch, files in switches_of("leaf-spine", sets):
        found = list(differences(read(switch, files), wanted(cluster, switch, files)))
        assert not found, f"{switch.name}\n{first(found)}"
