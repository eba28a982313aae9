"""NVUE's settings in one spelling: forms, releases and defaults of place say the same, and nothing is lost."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
import yaml

from fabricgen.nos.cumulus.reading.spelling import load_spellings, make_tree, read_settings
from fabricgen.nos.cumulus.statements import files_of, read_statements
from fabricgen.running.statements import Statements
from fabricgen.running.tree import UnknownTextError
from tests.drift.nvue_shown import commands
from tests.parity.switches import switches_of
from tests.render.nvue_model import EMPTY, KEY_FORMS, TREE
from tests.render.rendered import EVPN_PAIRS_CUMULUS, MANAGED, UNNUMBERED

SHOWN = [
    ("leaf-spine", ("nos=cumulus", *MANAGED, *UNNUMBERED)),
    ("evpn-guests", EVPN_PAIRS_CUMULUS),
    ("two-exits", ("nos=cumulus",)),
    ("bonded-pair", ()),
]


def stated(text: str) -> Statements:
    return read_statements({"startup.yaml": text})


def of_tree(tree: Any) -> Statements:
    return stated(yaml.safe_dump([{"set": tree}]))


def texts(name: str, sets: tuple[str, ...]) -> Iterator[str]:
    for _, files in switches_of(name, sets, 2):
        if "startup.yaml" in files:
            yield files["startup.yaml"]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "sets"), SHOWN, ids=[name for name, _ in SHOWN])
def test_all_forms_of_a_configuration_say_the_same(name: str, sets: tuple[str, ...]) -> None:
    shown = list(texts(name, sets))
    assert shown
    for text in shown:
        (item,) = yaml.safe_load(text)
        wanted = stated(text)
        assert stated(json.dumps([{"header": {"model": "SN5600", "version": "5.15.0"}}, item])) == wanted
        assert stated("\n".join(["# of a switch", *commands(item["set"])])) == wanted
        halves = [{"set": {key: below}} for key, below in reversed(item["set"].items())]
        assert stated(yaml.safe_dump(halves)) == wanted
        assert read_statements(files_of(wanted)) == wanted


def paths(model: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(model, Mapping):
        for key, below in model.items():
            yield (*path, key), below
            yield from paths(below, (*path, key))


def test_what_is_a_name_a_map_and_a_value_is_as_in_the_model_of_nvue() -> None:
    """The model is written from the documents for the tests of what is written, and knows nothing of the spellings."""
    known, secret_keys = load_spellings(), load_spellings().secret_keys
    choices = {place.rpartition("/")[2] for place in known.choices}
    for path, below in paths(TREE):
        above, place = path[-2] if len(path) > 1 else "", " ".join(path)
        if path[-1] in KEY_FORMS:
            assert above in known.names | secret_keys, place
        elif below is EMPTY:
            assert above in known.names | choices or path[-1] == "inbound", place
        elif isinstance(below, Mapping) and above not in known.names | choices:
            assert path[-1] in known.names | known.containers | secret_keys | choices, place


SAME = yaml.safe_load(
    """
ranges of ports:
- {interface: {"swp1-3,5,bond_x": {vrf: a}}}
- {interface: {swp1: &a {vrf: a}, swp2: *a, swp3: *a, swp5: *a, bond_x: *a}}
ranges of split ports:
- {interface: {"swp1s0-1,swp2s0-1": {vrf: a}}}
- {interface: {swp1s0: &b {vrf: a}, swp1s1: *b, swp2s0: *b, swp2s1: *b}}
ranges of VLANs, and nothing:
- {bridge: {domain: {br_default: {vlan: {"10-12,20": null}}}}}
- {bridge: {domain: {br_default: {vlan: {10: {}, 11: {}, 12: {}, "20": {}}}}}}
ranges of DSCPs, and numbers that are text:
- {qos: {mapping: {A: {dscp: {0-2: {switch-priority: 3}}}}}}
- {qos: {mapping: {A: {dscp: {"0": &c {switch-priority: "3"}, "1": *c, "2": *c}}}}}
choices:
- {interface: {swp1: {link: {mtu: "9216", state: up}}}}
- {interface: {swp1: {link: {state: {up: {}}, mtu: 9216}}}}
addresses before 5.15:
- interface:
    vlan10:
      ip:
        address: {10.0.0.1/24: {}, "2001:DB8:0::1/64": {}}
        vrf: a
        vrr: {enable: "on", state: {up: {}}, address: {10.0.0.9/24: {}, "2001:db8::9/64": {}}}
- interface:
    vlan10:
      ipv4: {address: {10.0.0.1/24: {}}, vrr: {address: {10.0.0.9/24: {}}, state: enabled, vrr-state: up}}
      ipv6: {address: {"2001:db8::1/64": {}}, vrr: {address: {"2001:db8::9/64": {}}, state: enabled, vrr-state: up}}
      vrf: a
DHCP before 5.15:
- {interface: {eth0: {ip: {address: {dhcp: {}}}}}}
- {interface: {eth0: {ipv4: {dhcp-client: {state: enabled}}}}}
services before 5.15:
- service:
    dns: {mgmt: {server: {10.0.0.2: {}}}}
    lldp: {dot1-tlv: "off"}
    ntp: {mgmt: {server: {10.0.0.1: {iburst: "on"}}}}
- system:
    dns: {server: {10.0.0.2: {vrf: mgmt}}}
    lldp: {dot1-tlv: false}
    ntp: {vrf: mgmt, server: {10.0.0.1: {iburst: enabled}}}
AS numbers in dots, and what is on:
- {router: {bgp: {enable: "on", autonomous-system: "64086.59904"}}, evpn: {enable: true}}
- {evpn: {state: enabled}, router: {bgp: {state: enabled, autonomous-system: 4200000000}}}
MACs, and maps with nothing in them:
- {mlag: {mac-address: "44:38:39:FF:00:AA"}, nve: {}, vrf: {a: {router: {bgp: {route-export: {}, rd: "10.0.0.1:2"}}}}}
- {mlag: {mac-address: "44:38:39:ff:00:aa"}, vrf: {a: {router: {bgp: {route-import: null, rd: "10.0.0.1:2"}}}}}
"""
)


@pytest.mark.parametrize("name", SAME)
def test_releases_and_ranges_say_the_same(name: str) -> None:
    one, other = SAME[name]
    assert of_tree(one) == of_tree(other)


def bgp(neighbor: Any, group: Any, **more: Any) -> Statements:
    sessions = {"neighbor": {"swp1": {"peer-group": "UP", **neighbor}}, "peer-group": {"UP": group}}
    return of_tree({"router": {"bgp": {"autonomous-system": 1}}, "vrf": {"default": {"router": {"bgp": sessions}}}})


def test_what_a_neighbour_has_from_its_group_is_stated_of_it() -> None:
    family = {"address-family": {"ipv4-unicast": {"policy": {"inbound": {"route-map": "IN"}}}}}
    in_group = bgp({"remote-as": "auto"}, {"remote-as": "external", **family})
    assert in_group == bgp({"remote-as": "external", **family}, {})
    assert in_group != bgp({"remote-as": "internal", **family}, {})
    own = bgp({"remote-as": 7}, {"remote-as": "external", "description": "to spines"})
    assert own["vrf", "default", "router", "bgp", "neighbor", "swp1", "remote-as"] == "7"
    assert ("vrf", "default", "router", "bgp", "neighbor", "swp1", "description") not in own
    assert own["vrf", "default", "router", "bgp", "autonomous-system"] == "1"


def test_a_group_of_no_neighbour_keeps_what_it_says() -> None:
    found = of_tree({"vrf": {"default": {"router": {"bgp": {"peer-group": {"UP": {"remote-as": "external"}}}}}}})
    assert found["vrf", "default", "router", "bgp", "peer-group", "UP", "remote-as"] == "external"


def test_secrets_that_are_keys_are_values_here() -> None:
    user = {"auth-sha": {"hunter22": {"encrypt-aes": {"hunter33": {}}}}}
    found = of_tree({"system": {"snmp-server": {"username": {"ops": user}}}})
    place = ("system", "snmp-server", "username", "ops", "auth-sha")
    assert found == {place[:-1]: "", place: "hunter22", (*place, "encrypt-aes"): "hunter33"}
    assert make_tree(found)["system"]["snmp-server"]["username"]["ops"] == user


def test_what_is_unset_and_what_nobody_knows_is_stated() -> None:
    text = "- set:\n    router:\n      new: {}\n      newer: {x: y}\n- unset:\n    interface: {swp1: {link: {}}}\n"
    assert list(stated(text)) == [("router", "new"), ("router", "newer", "x"), ("unset", "interface", "swp1")]
    assert stated("nv set router new\nnv set router newer x y\nnv unset interface swp1\nnv config apply\n") == {
        ("router",): "new",
        ("router", "newer", "x"): "y",
        ("unset", "interface", "swp1"): "",
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "- set:\n" + "".join(f"{' ' * n * 2}  a:\n" for n in range(1, 60)),
        "- set:\n    a0: &a0 {x: {}, y: {}}\n"
        + "".join(f"    a{n}: &a{n} {{x: *a{n - 1}, y: *a{n - 1}}}\n" for n in range(1, 30)),
        "- set:\n    a0: &a0 [x, x]\n"
        + "".join(f"    a{n}: &a{n} [*a{n - 1}, *a{n - 1}, *a{n - 1}]\n" for n in range(1, 30)),
        "- 7\n",
        "[[]]",
    ],
    ids=["deep", "doubling", "tripling lists", "number", "list"],
)
def test_what_no_switch_has_is_refused(text: str) -> None:
    with pytest.raises(UnknownTextError):
        read_settings(text)


def test_ports_of_a_range_are_no_more_than_a_switch_has() -> None:
    assert len(of_tree({"interface": {"swp1-99999999": {"type": "swp"}}})) < 10_000
    assert re.fullmatch("a-b", next(path[1] for path in of_tree({"interface": {"a-b": {"type": "swp"}}})))
