"""What is asked of configurations: clashes, what a NOS cannot say, and what a user's hand undoes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fabricgen.cluster import build_cluster
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic
from fabricgen.lint.engine import lint

BLUEPRINT = """\
fabricgen: 1
name: asked
scalable_unit: {nodes: 4 x generic-server}
pods: {p1: {su: 2}}
fabrics:
  compute:
    protocol: roce
    tiers:
      leaf: {switch: sn4700, per: [su, rail]}
      spine: {switch: 7060dx5-64s, count: 4}
"""

DesignOf = Callable[..., Design]


def found_by(design_of: DesignOf, code: str, more: str) -> list[Diagnostic]:
    return [d for d in lint(design_of(BLUEPRINT + more)).findings if d.code == code]


def test_classes_may_not_clash_across_scopes(design_of: DesignOf) -> None:
    (found,) = found_by(design_of, "FG702", "qos: {roce_class: 6}\n")
    assert found.path == ("qos", "roce_class")
    assert "traffic class 6" in found.message
    assert not found_by(design_of, "FG702", "qos: {roce_class: 6, cnp_class: 5}\n")


def test_what_one_nos_lacks_is_told_of_its_tiers_alone(design_of: DesignOf) -> None:
    users = "management: {users: {admin: {password: 'env:FABRICGEN_A'}, other: {password: 'env:FABRICGEN_B'}}}\n"
    (found,) = found_by(design_of, "FG703", users)
    assert found.message == "sonic of compute leaf does not support users"
    assert found.path == ("management", "users")
    assert not found_by(design_of, "FG703", "management: {ntp: 10.0.0.1}\nrouting: {bfd: true}\n")


def test_a_fabrics_own_setting_is_where_it_is_told(design_of: DesignOf) -> None:
    more = "    routing: {load_balance: dynamic}\nrouting: {load_balance: dynamic}\n"
    (found,) = found_by(design_of, "FG703", more)
    assert found.path == ("fabrics", "compute", "routing", "load_balance")


@pytest.mark.parametrize(
    "snippet",
    [
        "{nos: eos, at: bgp, text: 'neighbor UP maximum-routes 0'}",
        "{nos: eos, at: bgp, text: 'no neighbor UP route-map FABRIC-IN in'}",
        '{nos: eos, text: "interface Ethernet1/1\\n   error-correction encoding fire-code"}',
        '{nos: eos, text: "interface Ethernet1/1\\n   no priority-flow-control on"}',
        "{nos: sonic, at: frr, text: 'ip prefix-list HOSTS seq 5 permit any'}",
        "{nos: sonic, tree: {PFC_WD: {GLOBAL: {POLL_INTERVAL: 5000}}}}",
        "{nos: sonic, tree: {PORT: {Ethernet0: {fec: none}}}}",
        "{nos: cumulus, tree: {router: {policy: {route-map: {}}}}}",
    ],
)
def test_a_snippet_that_undoes_a_safety_line_is_found(design_of: DesignOf, snippet: str) -> None:
    (found,) = found_by(design_of, "FG704", f"snippets: {{own: {snippet}}}\n")
    assert found.path[:2] == ("snippets", "own")
    assert "overrides a safety line" in found.message


@pytest.mark.tenth
@pytest.mark.parametrize(
    "snippet",
    [
        "{nos: eos, text: 'hardware counter feature ip in'}",
        "{nos: eos, at: bgp, text: 'neighbor 192.0.2.1 description provider'}",
        "{nos: sonic, tree: {CRM: {Config: {polling_interval: 60}}}}",
        "{nos: sonic, tree: {PORT: {Ethernet0: {description: 'to be moved'}}}}",
        "{nos: sonic, tree: {PORT: {Ethernet0: {mtu: 9216, admin_status: up}}}}",
        "{nos: sonic, tree: {LOOPBACK_INTERFACE: {Loopback1: {}}}}",
        "{nos: sonic, at: bgp, text: 'no bgp default ipv4-unicast'}",
        "{nos: sonic, at: bgp, text: 'neighbor 192.0.2.1 description no shutdown'}",
        '{nos: eos, text: "interface Ethernet1/1\\n   mtu 9214\\n   no shutdown"}',
        '{nos: eos, text: "interface Vlan1\\n   shutdown"}',
        '{nos: eos, text: "interface Ethernet1/1\\n   description a\\n!\\nvlan 7\\n   shutdown"}',
        '{nos: eos, text: "interface Ethernet60\\n   switchport access vlan 7"}',
        "{nos: eos, text: 'snmp-server location hall 2'}",
        "{nos: eos, text: 'username x secret sha512 $6$ab$cd'}",
        "{nos: eos, text: 'no ip http server'}",
        "{nos: cumulus, tree: {interface: {swp1: {link: {mtu: 9216}}}}}",
        "{nos: cumulus, tree: {system: {wjh: {state: enabled}}}}",
    ],
)
def test_a_harmless_snippet_is_not(design_of: DesignOf, snippet: str) -> None:
    assert not found_by(design_of, "FG704", f"snippets: {{own: {snippet}}}\n")
    assert not found_by(design_of, "FG740", f"snippets: {{own: {snippet}}}\n")


def test_a_secret_in_a_snippet_is_found_and_not_repeated(design_of: DesignOf) -> None:
    text = "username x privilege 15 secret hunter22"
    (found,) = found_by(design_of, "FG740", f"snippets: {{own: {{nos: eos, text: '{text}'}}}}\n")
    assert "hunter22" not in found.text()


def own_ports(
    design_of: DesignOf, device: str, ports: str, more: str = "", code: str = "FG717"
) -> list[tuple[object, ...]]:
    design = design_of(f"{BLUEPRINT}{more}config_of: {{{device}: {{ports: {ports}}}}}\n")
    return [d.path[-2:] for d in lint(design, build_cluster(design)).findings if d.code == code]


def test_a_small_mtu_or_weak_fec_of_a_port_is_found(design_of: DesignOf) -> None:
    ports = "{Ethernet0: {mtu: 1500, fec: none}, Ethernet8: {mtu: 9100, fec: rs}}"
    found = own_ports(design_of, "compute-leaf-p1-su01-r1-01", ports)
    assert found == [("Ethernet0", "mtu"), ("Ethernet0", "fec")]


def test_bmcs_send_no_jumbo_frames_and_slow_lanes_need_no_rs_fec(design_of: DesignOf) -> None:
    oob = "  oob: {protocol: ethernet, attach: bmc, tiers: {leaf: {switch: sn2201}}}\n"
    assert own_ports(design_of, "oob-leaf-01", "{Ethernet0: {mtu: 1500, fec: none}}", oob) == []


def test_mtus_of_a_link_between_two_nos_are_compared_byte_for_byte(design_of: DesignOf) -> None:
    """The spines run EOS, whose largest MTU, 9214, is counted like SONiC's: in bytes of an IP packet."""
    leaf, up = "compute-leaf-p1-su01-r1-01", "Ethernet248"
    assert own_ports(design_of, leaf, f"{{{up}: {{mtu: 9216}}}}", code="FG710") == [(up, "mtu")]
    assert own_ports(design_of, leaf, f"{{{up}: {{mtu: 9214}}}}", code="FG710") == []
    assert own_ports(design_of, "compute-spine-01", "{Ethernet1/1: {mtu: 9216}}", code="FG710") == []


def test_the_management_port_of_a_switch_has_no_mtu_to_match(design_of: DesignOf) -> None:
    """Ethernet8 and those that follow lead to the management ports of the fabric's switches."""
    oob = "  oob: {protocol: ethernet, attach: bmc, also: switches, tiers: {leaf: {switch: sn2201}}}\n"
    ports = ", ".join(f"Ethernet{n}: {{mtu: 1500}}" for n in range(8, 14))
    assert own_ports(design_of, "oob-leaf-01", f"{{{ports}}}", oob, "FG710") == []
