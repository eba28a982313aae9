"""Underlays without BGP: what the files of both systems say, and what they leave out."""

from __future__ import annotations

import pytest

from fabricgen.nos.sonic.writing.routing import make_static_route
from fabricgen.switch.ordered import OrderedSet
from fabricgen.switch.routing import StaticRoute
from tests.render.rendered import ALL_EOS, BARE, BRIDGED, STATIC, cluster_of, config_db, files_of

LEAF, SPINE = "compute-leaf-p1-su01-r1-01", "compute-spine-01"


def eos(device: str, *sets: str) -> str:
    return files_of("leaf-spine", *ALL_EOS, *sets)[f"configs/{device}/{device}.cfg"]


def test_sonic_leaf_has_default_routes_up() -> None:
    tables = config_db(files_of("leaf-spine", *STATIC), LEAF)
    assert tables["STATIC_ROUTE"]["default|0.0.0.0/0"] == {
        "advertise": "false",
        "ifname": "Ethernet224,Ethernet232,Ethernet240,Ethernet248",
        "nexthop": "10.64.0.0,10.64.0.2,10.64.0.4,10.64.0.6",
    }
    assert tables["STATIC_ROUTE"]["default|10.128.0.0/25"] == {"advertise": "false", "blackhole": "true"}
    assert tables["INTERFACE"]["Ethernet224|10.64.0.1/31"] == {}


def test_sonic_spine_has_exact_routes_down() -> None:
    rows = config_db(files_of("leaf-spine", *STATIC), SPINE)["STATIC_ROUTE"]
    assert rows["default|10.128.0.128/25"] == {"advertise": "false", "ifname": "Ethernet8", "nexthop": "10.64.0.9"}
    assert rows["default|10.0.0.10/32"] == {"advertise": "false", "ifname": "Ethernet8", "nexthop": "10.64.0.9"}
    assert "default|0.0.0.0/0" not in rows
    assert len(rows) == 8


def test_sonic_discards_beside_next_hops_have_a_list_entry_of_their_own() -> None:
    route = StaticRoute(OrderedSet((f"Ethernet{n}", f"10.1.0.{n}") for n in (1, 3)), True)
    assert make_static_route("10.0.0.0/24", route) == {
        "advertise": "false",
        "blackhole": "false,false,true",
        "distance": "0,0,250",
        "ifname": "Ethernet1,Ethernet3,",
        "nexthop": "10.1.0.1,10.1.0.3,0.0.0.0",
    }


def test_eos_routes_name_their_port() -> None:
    leaf, spine = eos(LEAF, *STATIC), eos(SPINE, *STATIC)
    assert "\nip routing\n" in leaf
    assert "\nip route 0.0.0.0/0 Ethernet61/1 10.64.0.0\nip route 0.0.0.0/0 Ethernet62/1 10.64.0.2\n" in leaf
    assert "\nip route 10.128.0.0/24 Null0\n" in leaf
    assert "\nip route 10.128.1.0/24 Ethernet2/1 10.64.0.9\n" in spine
    assert "ip route 0.0.0.0/0" not in spine
    assert "   ip address 10.64.0.1/31\n" in leaf


@pytest.mark.parametrize("sets", [STATIC, BARE, STATIC + BRIDGED, BARE + BRIDGED], ids="+".join)
def test_there_is_no_bgp_and_no_as_number(sets: tuple[str, ...]) -> None:
    files = files_of("leaf-spine", *sets)
    for switch in cluster_of("leaf-spine", *sets).switches():
        assert switch.asn == 0
        assert all(port.peer_asn == 0 for port in switch.ports)
        tables = config_db(files, switch.name)
        assert "BGP_NEIGHBOR" not in tables
        assert "bgp_asn" not in tables["DEVICE_METADATA"]["localhost"]
        assert f"configs/{switch.name}/frr.conf" not in files
        assert {"DEVICE_NEIGHBOR", "LOOPBACK_INTERFACE", "MGMT_INTERFACE", "PORT_QOS_MAP"} <= set(tables)
        text = eos(switch.name, *sets)
        assert "router bgp" not in text
        assert "route-map" not in text


def test_bare_links_are_up_without_addresses() -> None:
    cluster, files = cluster_of("leaf-spine", *BARE), files_of("leaf-spine", *BARE)
    for switch in cluster.switches():
        tables = config_db(files, switch.name)
        assert "STATIC_ROUTE" not in tables
        assert tables["FEATURE"]["bgp"] == {"state": "disabled"}
        for port in switch.ports:
            row = tables["PORT"][port.name]
            assert (row["admin_status"], row["fec"], row["mtu"]) == ("up", "rs", "9216")
            assert (port.name in tables.get("INTERFACE", {})) == (port.role == "host")
            assert bool(port.address) == (port.role == "host")
    assert (
        "\ninterface Ethernet61/1\n"
        "   description compute-spine-01 Ethernet1/1 cable compute-leaf-p1-su01-r1-01:61\n"
        "   mtu 9214\n"
        "   speed 400g-8\n"
        "   error-correction encoding reed-solomon\n"
        "   no switchport\n"
        "   service-profile ROCE-400G\n"
        "   no shutdown\n!\n"
    ) in eos(LEAF, *BARE)


def test_bridged_hosts_keep_their_gateway() -> None:
    for underlay in (STATIC, BARE):
        tables = config_db(files_of("leaf-spine", *underlay, *BRIDGED), LEAF)
        assert tables["VLAN_INTERFACE"] == {"Vlan100": {}, "Vlan100|10.128.0.1/26": {}}


def test_bfd_without_bgp_starts_nothing() -> None:
    tables = config_db(files_of("leaf-spine", *STATIC, "routing.bfd=true"), LEAF)
    assert tables["DEVICE_METADATA"]["localhost"]["frr_mgmt_framework_config"] == "false"
