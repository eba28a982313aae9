"""Who can log in after the push, which servers are reached, and which switches are: at the borders of each rule."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic
from fabricgen.lint.engine import lint
from fabricgen.lint.rule import DesignRule, load_all_rules
from tests.conftest import BLUEPRINTS, EXAMPLES, example_cluster, example_design

RULES = {rule.id: rule for rule in load_all_rules() if isinstance(rule, DesignRule)}

BLUEPRINT = """\
fabricgen: 1
name: managed
scalable_unit: {nodes: 4 x generic-server}
pods: {p1: {su: 2}}
fabrics:
  compute:
    protocol: roce
    tiers:
      leaf: {switch: sn4700, per: [su, rail]}
      spine: {switch: 7060dx5-64s, count: 4}
"""
"""Leaves of SONiC, spines of EOS."""

NO_MANAGEMENT = "management={ntp: [], syslog: {servers: []}}"

DesignOf = Callable[..., Design]


def found(design: Design, code: str) -> list[Diagnostic]:
    return list(RULES[code].check(design))


def test_only_the_nos_that_locks_out_is_told_of(design_of: DesignOf) -> None:
    (one,) = found(design_of(BLUEPRINT), "FG719")
    assert one.message.startswith("nobody can log in to compute spine after the push: admin is left without a password")
    assert one.path == ("fabrics", "compute", "tiers", "spine", "switch")
    for nos in ("sonic", "cumulus"):
        assert not found(design_of(BLUEPRINT.replace("7060dx5-64s", "sn4700") + f"nos: {nos}\n"), "FG719")


@pytest.mark.parametrize(
    "enough",
    [
        "management: {users: {ops: {password: 'env:FABRICGEN_OPS'}}}\n",
        "management: {aaa: {servers: [10.32.0.9], key: 'env:FABRICGEN_KEY'}}\n",
        "    management: {users: {ops: {password: 'env:FABRICGEN_OPS'}}}\n",
    ],
)
def test_an_account_or_a_login_server_is_a_way_in(design_of: DesignOf, enough: str) -> None:
    assert not found(design_of(BLUEPRINT + enough), "FG719")


def test_infiniband_needs_no_account_time_or_log() -> None:
    design = example_design("superpod-b200-3tier")
    assert not [f for code in ("FG719", "FG720") for f in found(design, code)]


def test_what_is_lacking_is_named_alone(design_of: DesignOf) -> None:
    said = {
        more: [f.message for f in found(design_of(BLUEPRINT + more), "FG720")]
        for more in (
            "",
            "management: {ntp: 10.32.0.2}\n",
            "management: {syslog: {servers: 10.32.0.2}}\n",
            "management: {ntp: 10.32.0.2, syslog: {servers: 10.32.0.2}}\n",
        )
    }
    assert list(said.values()) == [
        ["the switches of compute have no time server and send their logs nowhere"],
        ["the switches of compute send their logs nowhere"],
        ["the switches of compute have no time server"],
        [],
    ]


def test_fabrics_that_lack_the_same_are_one_finding() -> None:
    (one,) = found(example_design("two-site", NO_MANAGEMENT), "FG720")
    assert one.message == "the switches of compute, oob, across have no time server and send their logs nowhere"


def test_a_resolver_of_the_fabric_will_do(design_of: DesignOf) -> None:
    by_name = "management: {ntp: [10.32.0.2, ntp.example.net], syslog: {servers: logs.example.net}}\n"
    ntp, syslog = found(design_of(BLUEPRINT + by_name), "FG721")
    assert ntp.message.startswith("ntp.example.net cannot be looked up")
    assert (ntp.path, syslog.path) == (("management", "ntp"), ("management", "syslog", "servers"))
    assert not found(design_of(BLUEPRINT + "    management: {dns: {servers: 10.32.0.5}}\n" + by_name), "FG721")


def test_the_protocol_says_what_a_missing_key_costs(design_of: DesignOf) -> None:
    said = [
        found(design_of(BLUEPRINT + f"management: {{aaa: {{protocol: {protocol}, servers: 10.32.0.9}}}}\n"), "FG722")
        for protocol in ("tacacs", "radius")
    ]
    assert [one.message.partition(", ")[2] for (one,) in said] == [
        "TACACS+ sends passwords in the clear",
        "RADIUS servers answer nobody",
    ]


def test_login_servers_alone_are_enough_where_the_image_has_accounts(design_of: DesignOf) -> None:
    aaa = "management: {aaa: {servers: 10.32.0.9, key: 'env:FABRICGEN_KEY'}}\n"
    (one,) = found(design_of(BLUEPRINT + aaa), "FG723")
    assert one.message == "nobody can log in to compute spine while the login servers do not answer"
    assert not found(design_of(BLUEPRINT.replace("7060dx5-64s", "sn4700") + aaa), "FG723")


@pytest.mark.parametrize(("ip", "told"), [("v4", "fd00::9"), ("v6", "10.32.0.9"), ("dual", "")])
def test_a_server_needs_the_family_of_the_management_ports(ip: str, told: str) -> None:
    sets = (f"fabrics.oob.ip={ip}", "management={ntp: [10.32.0.9, 'fd00::9'], syslog: {servers: []}}")
    said = [f.message.partition(" ")[0] for f in found(example_design("dual-stack", *sets), "FG516")]
    assert said == ([told] if told else [])


@pytest.mark.slow
def test_an_extra_devices_own_address_is_a_server() -> None:
    cluster = example_cluster("full-cluster")
    addresses = {
        (cluster.names[device], port): address
        for device, port, address in zip(
            cluster.plan.links.a_device.tolist(), list(cluster.a_port), _first_addresses(cluster), strict=True
        )
        if address
    }
    said = {}
    for port in ("BMC", "eth1"):
        server = addresses[("head-a", port)]
        judged = example_cluster("full-cluster", f"management.ntp={server}")
        said[port] = [d.message for d in lint(judged.design, judged).findings if d.code in ("FG517", "FG705", "FG512")]
    assert said["BMC"] == [f"{addresses[('head-a', 'BMC')]} is the address of head-a's BMC"]
    assert said["eth1"] == []


def _first_addresses(cluster) -> list[str]:
    """The IPv4 address of the lower end of each link; "" for none."""
    found, _ = cluster.addresses.families[0], None
    return [found.format_prefix(found.a.at(row), 32).partition("/")[0] for row in range(len(cluster.plan.links))]


def test_switches_are_managed_by_one_fabric_or_by_none_at_all() -> None:
    assert not found(example_design("superpod-b300"), "FG727")
    assert not found(example_design("leaf-spine"), "FG727")  # where management ports go is not in the blueprint
    (one,) = found(example_design("superpod-b300", "fabrics.oob.also=[]"), "FG727")
    assert one.message == "96 switches have management addresses and no link to oob, which serves BMCs alone"


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_have_accounts_time_and_logs(name: str) -> None:
    """Each example that is configured states them; a copied blueprint is not one whose switches nobody can reach."""
    design = example_design(name)
    codes = ("FG719", "FG720", "FG721", "FG722", "FG723")
    assert [f.message for code in codes for f in found(design, code)] == []


def test_no_example_holds_a_secret() -> None:
    """What is needed to log in comes as a public key, or by reference."""
    for name in EXAMPLES:
        text = (BLUEPRINTS / f"{name}.yaml").read_text(encoding="utf-8")
        assert "$6$" not in text
        assert "PRIVATE" not in text
        assert "password" not in text
