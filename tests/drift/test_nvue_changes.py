"""Changes that an operator makes by `nv set` and `nv unset`: each is told at its place, or is nobody's harm."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from fabricgen.kernel.diagnostics import Severity
from fabricgen.nos.cumulus.statements import read_statements
from fabricgen.running.differences import Verdicts, load_rules
from fabricgen.running.statements import UNREADABLE
from fabricgen.verify.drift.checking import check_running
from fabricgen.verify.drift.finding import DriftFinding
from fabricgen.verify.drift.planned import RenderedConfigs
from tests.drift.nvue_shown import as_shown, before_5_15, commands, defaults_unsaid, groups_written_out, in_ranges
from tests.laws import law_cases
from tests.parity.switches import switches_of
from tests.render.rendered import EVPN_PAIRS_CUMULUS, MANAGED, UNNUMBERED, cluster_of

pytestmark = pytest.mark.slow

PLANS = {
    "fabric": ("leaf-spine", ("nos=cumulus", "routing.bfd=true", *MANAGED, *UNNUMBERED)),
    "numbered": ("leaf-spine", ("nos=cumulus", "routing.bfd=true")),
    "evpn": ("evpn-guests", EVPN_PAIRS_CUMULUS),
    "pair": ("bonded-pair", ()),
}

DRIFT = {
    "fabric": """
        nv set router bgp state disabled
        nv set router bgp graceful-shutdown enabled
        nv set router bgp wait-for-install disabled
        nv unset router bfd state
        nv set router bfd profile FABRIC min-rx-interval 999
        nv unset vrf default router bgp peer-group UP bfd
        nv set vrf default router bgp peer-group UP shutdown enabled
        nv set vrf default router bgp neighbor swp29 shutdown enabled
        nv set vrf default router bgp neighbor swp29 shutdown on
        nv set vrf default router bgp neighbor swp29 graceful-shutdown enabled
        nv set vrf default router bgp neighbor swp29 state disabled
        nv set vrf default router bgp neighbor swp29 enable off
        nv set vrf default router bgp neighbor swp29 address-family ipv4-unicast state disabled
        nv set vrf default router bgp neighbor swp29 address-family ipv4-unicast weight 100
        nv set vrf default router bgp neighbor swp29 address-family ipv4-unicast soft-reconfiguration enabled
        nv set vrf default router bgp neighbor swp29 ttl-security hops 1
        nv set vrf default router bgp neighbor swp29 ttl-security state enabled
        nv set vrf default router bgp neighbor swp29 timers hold 30
        nv set vrf default router bgp neighbor swp29 password secret-of-none
        nv set vrf default router bgp neighbor swp29 remote-as 65000
        nv set vrf default router bgp neighbor swp29 local-as asn 65000
        nv set vrf default router bgp neighbor swp29 capabilities extended-nexthop disabled
        nv unset vrf default router bgp neighbor swp29
        nv set vrf default router bgp neighbor 192.0.2.1 remote-as external
        nv set vrf default router bgp timers keepalive 60
        nv set vrf default router bgp path-selection multipath aspath-ignore disabled
        nv set vrf default router bgp address-family ipv4-unicast multipaths ebgp 1
        nv set vrf default router bgp address-family ipv4-unicast state disabled
        nv set vrf default router bgp address-family ipv4-unicast network 203.0.113.0/24
        nv unset vrf default router bgp address-family ipv4-unicast redistribute
        nv set vrf default router static 203.0.113.0/24 via blackhole
        nv set vrf mgmt router static 0.0.0.0/0 via 10.0.0.1
        nv set router policy route-map FABRIC-IN rule 1 action deny
        nv set router policy prefix-list LOOPBACKS rule 10 action deny
        nv set interface swp29 link state down
        nv set interface swp29 link mtu 1500
        nv set interface swp29 link speed 100G
        nv set interface swp29 link fec off
        nv set interface swp29 link auto-negotiate off
        nv set interface swp29 link flap-protection state disabled
        nv set interface swp29 vrf blue
        nv set interface swp29 ipv4 address 192.0.2.1/31
        nv set interface swp29 ip address 192.0.2.1/31
        nv set interface swp29 ipv4 forward disabled
        nv set interface swp29 ptp state enabled
        nv set interface swp29 router adaptive-routing state enabled
        nv set interface swp29 acl GUESTS inbound
        nv set interface swp29 bridge domain br_default access 10
        nv set interface swp29 qos pfc-watchdog state disable
        nv unset interface swp29 qos pfc
        nv set interface swp1 link breakout 4x
        nv unset interface swp1s0
        nv set interface swp64 link state up
        nv set interface bond9 bond member swp64
        nv set interface vlan99 ip address 192.0.2.1/24
        nv set interface lo ipv4 address 192.0.2.1/32
        nv set bridge domain br_default vlan 99
        nv set qos roce state enabled
        nv set qos pfc ROCE rx disable
        nv set qos mapping ROCE dscp 26 switch-priority 0
        nv set qos mapping default-global trust port
        nv set qos congestion-control ROCE-400G traffic-class 3 ecn disable
        nv set qos egress-scheduler ROCE traffic-class 3 bw-percent 1
        nv set qos traffic-pool default-lossless memory-percent 10
        nv unset qos pfc-watchdog
        nv set router adaptive-routing state enabled
        nv set router ospf state enabled
        nv set mlag state enabled
        nv set evpn state enabled
        nv set nve vxlan state enabled
        nv set maintenance unit all-protocols state maintenance
        nv set system forwarding ecmp-hash source-port disabled
        nv set system forwarding hash-seed 7
        nv set system global anycast-mac 44:38:39:ff:00:01
        nv set system hostname leaf-99
        nv set system lldp state disabled
        nv set system ssh-server state disabled
        nv set system config apply ignore /etc/frr/frr.conf
        nv set system acl mode non-atomic
        nv set system control-plane policer bgp state disabled
        nv unset system control-plane acl acl-default-whitelist
        nv set system aaa user ops role nvue-monitor
        nv set system aaa user ops ssh authorized-key other type ssh-rsa
        nv unset system aaa user ops
        nv set system dns server 192.0.2.53
        nv set system ntp server 192.0.2.123
        nv set service dhcp-relay default server-group x server 192.0.2.1
        nv set platform anything new
        nv set brand-new-word
    """,
    "numbered": """
        nv set vrf default router bgp neighbor 10.64.0.0 shutdown enabled
        nv unset vrf default router bgp neighbor 10.64.0.0 peer-group
        nv set vrf default router bgp neighbor 10.64.0.0 update-source lo
        nv set vrf default router bgp neighbor 10.64.0.0 multihop-ttl 5
        nv unset interface swp29 ipv4
    """,
    "evpn": """
        nv set evpn state disabled
        nv set evpn multihoming state disabled
        nv set nve vxlan source address 192.0.2.1
        nv set nve vxlan arp-nd-suppress disabled
        nv set nve vxlan flooding state disabled
        nv set interface bond1 evpn multihoming segment state disabled
        nv set interface bond1 evpn multihoming segment local-id 999
        nv set interface bond1 bond lacp-bypass enabled
        nv set interface bond1 bond lacp-rate slow
        nv set interface bond1 bond mode static
        nv unset interface bond1 bond member
        nv set vrf default router bgp address-family l2vpn-evpn state disabled
        nv set bridge domain br_default vlan 100 vni 99
        nv set bridge domain br_default stp priority 4096
    """,
    "pair": """
        nv set mlag state disabled
        nv set mlag mac-address 44:38:39:ff:00:99
        nv set mlag priority 1
        nv set mlag backup 192.0.2.1
        nv set interface bond1 bond mlag id 99
        nv set interface bond1 bond mlag state disabled
        nv set interface bond1 bridge domain br_default access 99
        nv set interface bond1 bridge domain br_default stp bpdu-guard disabled
        nv set interface peerlink link state down
        nv unset bridge domain br_default vlan
    """,
}

HARMLESS = """
    nv set system aaa user anna role nvue-monitor
    nv set system telemetry export otlp grpc destination 192.0.2.9 port 4317
    nv set system wjh state enabled
    nv set system sflow state enabled
    nv set system control-plane acl SSH_ONLY inbound
    nv set acl SSH_ONLY type ipv4
    nv set acl SSH_ONLY rule 10 action permit
    nv set acl SSH_ONLY rule 10 match ip protocol tcp
    nv set acl SSH_ONLY rule 10 match ip source-ip 10.0.0.0/8
    nv set acl SSH_ONLY rule 10 match ip tcp dest-port 22
    nv set acl SSH_ONLY rule 20 action deny
    nv set acl SSH_ONLY rule 20 match ip protocol tcp
    nv set acl SSH_ONLY rule 20 match ip tcp dest-port 22
    nv set vrf default router bgp neighbor swp29 shutdown off
    nv set vrf default router bgp neighbor swp29 enable on
    nv set interface swp29 link auto-negotiate on
    nv set interface swp1 link state up
"""


@cache
def plan(name: str) -> dict[str, Any]:
    """The tree of the first switch of a plan, or the first of an MLAG pair."""
    example, sets = PLANS[name]
    texts = [files["startup.yaml"] for _, files in switches_of(example, sets, 2) if "startup.yaml" in files]
    texts.sort(key=lambda text: "mlag:" not in text)
    tree: dict[str, Any] = yaml.safe_load(texts[0])[0]["set"]
    return tree


def after(name: str, commands_typed: list[str]) -> str:
    """What `nv config show -o commands` prints after some commands."""
    tree = copy.deepcopy(plan(name))
    typed = []
    for command in commands_typed:
        _, verb, *words = command.split()
        if verb == "unset":
            node = tree
            for word in words[:-1]:
                node = node[word]
            del node[words[-1]]
        else:
            typed.append(command)
    return "\n".join([*commands(tree), *typed])


def judged(name: str, commands_typed: list[str]) -> Verdicts:
    planned = read_statements({"startup.yaml": yaml.safe_dump([{"set": plan(name)}])})
    return load_rules("cumulus").judge(read_statements({"startup.yaml": after(name, commands_typed)}), planned)


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().splitlines()]


@pytest.mark.slow
@pytest.mark.parametrize("name", DRIFT)
def test_every_change_is_told_at_its_place(name: str) -> None:
    silent = []
    for command in lines(DRIFT[name]):
        places = [" ".join(each.difference.path) for each in judged(name, [command]).errors]
        word = {"ip": "ipv4", "enable": "state"}
        path = [word.get(step, step) for step in command.split()[2:]]
        known = any(UNREADABLE not in place and set(path[:3]) & set(place.split()) for place in places)
        silent += [] if known else [command]
    assert not silent


def test_what_cannot_touch_the_plan_is_no_drift() -> None:
    verdicts = judged("fabric", lines(HARMLESS))
    assert not verdicts.errors, [each.difference for each in verdicts.errors]
    assert {"user anna", "telemetry", "what-just-happened", "sFlow", "access list SSH_ONLY"} <= {
        each.name for each in verdicts.foreign
    }


def test_a_list_of_the_control_plane_that_reaches_bgp_is_drift() -> None:
    acl = [line for line in lines(HARMLESS) if "acl" in line.lower()]
    for rule in ("match ip tcp dest-port 179", "match ip protocol tcp"):
        more = ["nv set acl SSH_ONLY rule 30 action deny", f"nv set acl SSH_ONLY rule 30 {rule}"]
        assert judged("fabric", acl + more).errors
    assert judged("fabric", [*acl, "nv set interface swp29 acl SSH_ONLY inbound"]).errors


def told(folder: Path, name: str, text: str) -> list[DriftFinding]:
    """What `check --running` tells where the switch of a plan shows this."""
    (folder / "shown.txt").write_text(text)
    example, sets = PLANS[name]
    drift = check_running(str(folder), RenderedConfigs(cluster_of(example, *sets)), 1)
    return [each for device in drift.checked for each in device.findings]


COMMAND = [(name, line) for name, text in DRIFT.items() for line in lines(text) if "hostname" not in line]


@pytest.mark.law
@pytest.mark.parametrize(("name", "command"), law_cases("changes by hand of nvue", COMMAND))
def test_the_command_tells_a_change(name: str, command: str, tmp_path: Path) -> None:
    findings = told(tmp_path, name, after(name, [command]))
    assert any(each.severity == Severity.ERROR and each.path for each in findings), findings
    assert not any("secret-of-none" in each.text for each in findings)


@pytest.mark.parametrize("spell", [as_shown, before_5_15, defaults_unsaid, groups_written_out, in_ranges])
def test_the_command_finds_no_drift_in_other_spellings(spell: Callable[[Any], Any], tmp_path: Path) -> None:
    assert not told(tmp_path, "fabric", yaml.safe_dump(spell(plan("fabric"))))


def test_the_command_finds_no_drift_in_what_is_harmless(tmp_path: Path) -> None:
    assert not told(tmp_path, "fabric", after("fabric", lines(HARMLESS)))
