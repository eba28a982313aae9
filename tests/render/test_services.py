"""Switches that serve two fabrics: VLANs, VRFs and what carries a VRF over the links, on hand-made views."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fabricgen.nos.sonic.writer import make_subinterface_name
from fabricgen.nos.sonic.writing.routing import make_vrf_name
from fabricgen.render.engine import Renderer, RenderOptions
from fabricgen.switch.interfaces import Subinterface
from fabricgen.views.service import Service
from fabricgen.views.switch import SwitchPort, SwitchView
from tests.parity.switches import switches_of
from tests.render.rendered import ALL_EOS, EXAMPLES, STATIC, UNNUMBERED, cluster_of

POOLS = ("172.16.0.0/12",)
BRIDGED = Service("inband", 110, "", "bridged", "172.16.0.1/25", "172.16.0.0/25", POOLS)
BRIDGED_VRF = BRIDGED._replace(vrf="inband")
ROUTED_VRF = Service("storage", 120, "storage", "routed", "", "172.16.0.0/25", POOLS)


def converged(guest: Service, *sets: str) -> SwitchView:
    """A leaf whose last two host ports belong to a guest; in a VRF, its routes go over the uplinks."""
    leaf = next(s for s in cluster_of("leaf-spine", *sets).switches() if s.is_lowest)
    hosts = [p.name for p in leaf.ports if p.role == "host"][-2:]
    ups = [p.name for p in leaf.ports if p.role == "up"]

    def port_of(port: SwitchPort) -> SwitchPort:
        if port.name in hosts:
            at = 2 * hosts.index(port.name)
            own, far = (f"172.16.0.{at}/31", f"172.16.0.{at + 1}/31") if guest.hosts == "routed" else ("", "")
            return replace(port, address=own, peer_address=far, service=guest.fabric)
        if port.name in ups and guest.vrf:
            at = 2 * ups.index(port.name)
            pair = (f"10.70.0.{at + 1}/31", f"10.70.0.{at}/31")
            sub = Subinterface(guest.vrf, frozenset(pair[:1]), guest.vlan, (pair,), 4200000000)
            return replace(port, subinterfaces=(sub,))
        return port

    return replace(leaf, services=(*leaf.services, guest), ports=tuple(map(port_of, leaf.ports)))


def files_of(switch: SwitchView) -> dict[str, str]:
    catalog = cluster_of("leaf-spine").design.catalog
    return {path.rpartition("/")[2]: text.decode() for path, text in Renderer(RenderOptions()).files(switch, catalog)}


def tables_of(switch: SwitchView) -> dict[str, Any]:
    text = files_of(switch)["config_db.json"]
    tables: dict[str, Any] = json.loads(text)
    assert text == json.dumps(tables, indent=4, sort_keys=True) + "\n"
    return tables


def eos(switch: SwitchView) -> str:
    (text,) = files_of(switch).values()
    return text


def block(text: str, head: str) -> str:
    found = re.search(rf"^{re.escape(head)}\n((?:   .*\n)*)", text, re.M)
    assert found, head
    return found[1]


def test_sonic_bridged_guest_in_the_default_vrf() -> None:
    tables = tables_of(converged(BRIDGED))
    assert tables["VLAN"] == {"Vlan110": {"vlanid": "110"}}
    assert tables["VLAN_INTERFACE"] == {"Vlan110": {}, "Vlan110|172.16.0.1/25": {}}
    assert set(tables["VLAN_MEMBER"]) == {"Vlan110|Ethernet8", "Vlan110|Ethernet12"}
    assert "Ethernet8" not in tables["INTERFACE"]
    assert tables["INTERFACE"]["Ethernet0|10.128.0.0/31"] == {}
    assert tables["STATIC_ROUTE"] == {"default|10.128.0.0/25": {"advertise": "true", "blackhole": "true"}}
    assert not {"VRF", "VLAN_SUB_INTERFACE"} & set(tables)


def test_sonic_routed_guest_in_a_vrf_takes_an_frr_conf() -> None:
    """SONiC's YANG models refuse BGP_NEIGHBOR rows of bgpcfgd with a VRF in the key."""
    switch = converged(ROUTED_VRF)
    tables, frr = tables_of(switch), files_of(switch)["frr.conf"]
    assert tables["VRF"] == {"Vrf_storage": {}}
    assert tables["INTERFACE"]["Ethernet8"] == {"vrf_name": "Vrf_storage"}
    assert tables["INTERFACE"]["Ethernet8|172.16.0.0/31"] == {}
    assert tables["INTERFACE"]["Ethernet0"] == {}
    assert tables["VLAN_SUB_INTERFACE"]["Ethernet224.120"] == {
        "admin_status": "up",
        "vlan": "120",
        "vrf_name": "Vrf_storage",
    }
    assert tables["VLAN_SUB_INTERFACE"]["Ethernet224.120|10.70.0.1/31"] == {}
    assert tables["DEVICE_METADATA"]["localhost"]["docker_routing_config_mode"] == "split-unified"
    assert not {"BGP_NEIGHBOR", "STATIC_ROUTE", "VLAN"} & set(tables)
    instance = frr[frr.index("router bgp 4200000001 vrf Vrf_storage\n") :]
    assert " neighbor 10.70.0.0 remote-as 4200000000\n neighbor 10.70.0.0 peer-group UP\n" in instance
    assert " neighbor 10.64.0.0 remote-as 4200000000\n" in frr


@pytest.mark.tenth
@pytest.mark.parametrize("name", EXAMPLES)
def test_bgpcfgd_has_no_sessions_in_a_vrf(name: str) -> None:
    """They are for frrcfgd: sonic-bgp-neighbor.yang, BGP_NEIGHBOR_LIST."""
    for switch, files in switches_of(name):
        rows = json.loads(files.get("config_db.json", "{}")).get("BGP_NEIGHBOR", {})
        assert not [key for key in rows if "|" in key], switch.name


def test_sonic_vlan_in_a_vrf_takes_an_frr_conf() -> None:
    switch = converged(BRIDGED_VRF)
    tables, frr = tables_of(switch), files_of(switch)["frr.conf"]
    assert tables["VLAN_INTERFACE"] == {"Vlan110": {"vrf_name": "Vrf_inband"}, "Vlan110|172.16.0.1/25": {}}
    assert tables["DEVICE_METADATA"]["localhost"]["docker_routing_config_mode"] == "split-unified"
    assert not {"BGP_NEIGHBOR", "STATIC_ROUTE"} & set(tables)
    assert "ip prefix-list HOSTS-Vrf_inband seq 10 permit 172.16.0.0/12 le 31\n" in frr
    assert "ip prefix-list HOSTS seq 10 permit 10.128.0.0/9 le 31\n" in frr
    assert (
        "route-map OUT-Vrf_inband permit 10\n match ip address prefix-list HOSTS-Vrf_inband\n match as-path OWN\nexit\n"
    ) in frr
    instance = frr[frr.index("router bgp 4200000001 vrf Vrf_inband\n") :]
    assert " neighbor 10.70.0.0 remote-as 4200000000\n neighbor 10.70.0.0 peer-group UP\n" in instance
    assert "  redistribute connected route-map CONNECTED-Vrf_inband\n" in instance
    assert "  neighbor UP route-map IN-Vrf_inband in\n  neighbor UP route-map OUT-Vrf_inband out\n" in instance
    assert "10.64.0." not in instance


@pytest.mark.daemon
@pytest.mark.parametrize(
    ("guest", "sets"),
    [(BRIDGED_VRF, ()), (ROUTED_VRF, ()), (BRIDGED_VRF, UNNUMBERED), (ROUTED_VRF, UNNUMBERED)],
    ids=["bridged-numbered", "routed-numbered", "bridged-unnumbered", "routed-unnumbered"],
)
def test_frr_reads_files_with_vrfs(tmp_path: Path, vtysh: str, guest: Service, sets: tuple[str, ...]) -> None:
    text = files_of(converged(guest, *sets))["frr.conf"]
    file = tmp_path / "frr.conf"
    file.write_text(text)
    done = subprocess.run([vtysh, "-C", "--inputfile", str(file)], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_eos_bridged_guest_in_the_default_vrf() -> None:
    text = eos(converged(BRIDGED, *ALL_EOS))
    assert "\nvlan 110\n   name inband\n" in text
    assert block(text, "interface Vlan110") == (
        "   description gateway of inband\n   mtu 9214\n   ip address 172.16.0.1/25\n"
    )
    assert "   switchport access vlan 110\n" in block(text, "interface Ethernet2/5")
    assert "   no switchport\n   ip address 10.128.0.0/31\n" in block(text, "interface Ethernet1/1")
    assert "vrf inband" not in text
    assert block(text, "ip prefix-list HOSTS") == (
        "   seq 10 permit 10.128.0.0/9 le 31\n   seq 20 permit 172.16.0.0/12 le 31\n"
    )


def test_eos_routed_guest_in_a_vrf() -> None:
    text = eos(converged(ROUTED_VRF, *ALL_EOS))
    assert "\nvrf instance storage\n!\n" in text
    assert "\nip routing vrf storage\n" in text
    assert "   no switchport\n   vrf storage\n   ip address 172.16.0.2/31\n" in block(text, "interface Ethernet2/5")
    assert block(text, "interface Ethernet61/1.120") == (
        "   description compute-spine-01 Ethernet1/1 vrf storage\n"
        "   mtu 9214\n"
        "   encapsulation dot1q vlan 120\n"
        "   vrf storage\n"
        "   ip address 10.70.0.1/31\n"
        "   no shutdown\n"
    )
    bgp = block(text, "router bgp 4200000001")
    assert bgp.index("   address-family ipv4\n      neighbor UP activate\n") < bgp.index("   !\n   vrf storage\n")
    assert bgp[bgp.index("   vrf storage\n") :].startswith(
        "   vrf storage\n"
        "      router-id 10.0.0.9\n"
        "      update wait-install\n"
        "      timers bgp 3 9\n"
        "      maximum-paths 4 ecmp 4\n"
        "      neighbor 10.70.0.0 remote-as 4200000000\n"
        "      neighbor 10.70.0.0 description compute-spine-01 Ethernet1/1\n"
        "      neighbor 10.70.0.0 route-map IN-storage in\n"
        "      neighbor 10.70.0.0 route-map OUT-storage out\n"
        "      neighbor 10.70.0.0 maximum-routes 4096 warning-limit 80 percent\n"
        "      neighbor 10.70.0.2 remote-as 4200000000\n"
    )
    assert bgp.endswith("         neighbor 10.70.0.4 activate\n         neighbor 10.70.0.6 activate\n")
    assert block(text, "route-map OUT-storage permit 10") == (
        "   match as-path OWN\n   match ip address prefix-list HOSTS-storage\n"
    )
    assert block(text, "ip prefix-list HOSTS") == "   seq 10 permit 10.128.0.0/9 le 31\n"


def test_eos_vlan_in_a_vrf() -> None:
    text = eos(converged(BRIDGED_VRF, *ALL_EOS))
    assert block(text, "interface Vlan110") == (
        "   description gateway of inband\n   mtu 9214\n   vrf inband\n   ip address 172.16.0.1/25\n"
    )
    port = block(text, "interface Ethernet2/5")
    assert "   switchport access vlan 110\n" in port
    assert "vrf" not in port


def test_without_bgp_a_vrf_has_ports_and_no_sessions() -> None:
    tables, text = tables_of(converged(ROUTED_VRF, *STATIC)), eos(converged(ROUTED_VRF, *STATIC, *ALL_EOS))
    assert tables["INTERFACE"]["Ethernet8"] == {"vrf_name": "Vrf_storage"}
    assert not {"BGP_NEIGHBOR", "BGP_GLOBALS"} & set(tables)
    assert "router bgp" not in text


def test_every_switch_of_the_examples_has_one_service() -> None:
    for switch in cluster_of("superpod-b300").switches():
        (service,) = switch.services
        assert (service.fabric, service.vrf, switch.vrfs) == (switch.fabric.name, "", ())
        for port in switch.ports:
            assert switch.find_service(port) == (service if port.role == "host" else None)
            assert port.subinterfaces == ()


def test_names_fit_the_kernel() -> None:
    assert make_subinterface_name("Ethernet224", 120) == "Ethernet224.120"
    assert make_subinterface_name("Ethernet224", 1200) == "Eth224.1200"
    assert make_vrf_name("abcdefghijk") == "Vrf_abcdefghijk"
    with pytest.raises(ValueError, match="cannot be the name of a VRF"):
        make_vrf_name("abcdefghijkl")
