"""Numbers of single devices: they follow through columns, files and configurations, and move nobody else's."""

from __future__ import annotations

import numpy as np
import pytest

from fabricgen.cluster import Cluster
from fabricgen.numbering.blocks.column import AddressColumn, format_ipv4
from fabricgen.render.engine import render_configs
from tests.conftest import example_cluster

LEAF, SPINE = "compute-leaf-p1-su01-r1-01", "compute-spine-02"


def overridden(name: str, *own: str) -> Cluster:
    return example_cluster(name, f"address_of={{{', '.join(own)}}}")


def _text(content: bytes | str) -> str:
    return content if isinstance(content, str) else content.decode()


def changed(before: np.ndarray, after: np.ndarray) -> list[int]:
    return np.flatnonzero(before != after).tolist()


def test_numbers_of_a_switch_are_its_own_and_nobody_else_moves() -> None:
    usual = example_cluster("leaf-spine")
    own = overridden("leaf-spine", f'{LEAF}: {{asn: "64086.59999", loopback: 192.0.2.7, mgmt: 10.16.0.14}}')
    row = usual.names.index(LEAF)
    view = own.switch(row)
    assert (view.asn, view.router_id, view.loopback) == (64086 * 65536 + 59999, "192.0.2.7", "192.0.2.7")
    assert view.managements[0][0] == "10.16.0.14/28"
    for column in ("asn", "loopback", "management"):
        assert changed(getattr(usual.addresses, column), getattr(own.addresses, column)) == [row]
    assert not changed(usual.addresses.a_ip, own.addresses.a_ip)
    spine = next(view for view in own.switches() if view.name == SPINE)
    assert {port.peer_asn for port in spine.ports if port.peer == LEAF} == {view.asn}


def test_a_router_id_outside_the_pool_may_travel() -> None:
    own = "names.devices={compute-spine-02: edge}"
    cluster = example_cluster("leaf-spine", own, "routing.bfd=true", f"address_of={{{LEAF}: {{loopback: 192.0.2.7}}}}")
    configs = {path: content for path, content in render_configs(cluster) if path.endswith("frr.conf")}
    assert len(configs) == 8
    assert all("192.0.2.7/32" in _text(content) for content in configs.values())
    pools = overridden("leaf-spine", f"{LEAF}: {{loopback: 192.0.2.7}}").switch(8).fabric.loopback_pools
    assert pools[-1] == "192.0.2.7/32"
    inside = overridden("leaf-spine", f"{LEAF}: {{loopback: 10.0.99.7}}").switch(8).fabric.loopback_pools
    assert inside == pools[:-1]


@pytest.mark.parametrize("end", ["upper", "lower"])
def test_both_ends_of_a_link_move_together(end: str) -> None:
    usual = example_cluster("leaf-spine")
    links = usual.plan.links
    link = next(
        i
        for i in range(len(links))
        if usual.names[links.a_device[i]] == LEAF and usual.names[links.b_device[i]] == SPINE
    )
    port, device = (usual.b_port[link], SPINE) if end == "upper" else (usual.a_port[link], LEAF)
    own = overridden("leaf-spine", f"{device}: {{links: {{{port}: 192.0.2.101}}}}")
    ends = {format_ipv4(int(own.addresses.a_ip[link])), format_ipv4(int(own.addresses.b_ip[link]))}
    assert ends == {"192.0.2.100", "192.0.2.101"}
    mine = own.addresses.b_ip if end == "upper" else own.addresses.a_ip
    assert format_ipv4(int(mine[link])) == "192.0.2.101"
    assert changed(usual.addresses.a_ip, own.addresses.a_ip) == [link]


def test_a_managed_switch_and_its_port_have_one_address() -> None:
    own = overridden("superpod-b300", "compute-leaf-p1-su01-r1-pl1-01: {mgmt: 192.168.0.61}")
    row = own.names.index("compute-leaf-p1-su01-r1-pl1-01")
    held, links = own.addresses, own.plan.links
    assert format_ipv4(int(held.management[row])) == "192.168.0.61"
    port = np.flatnonzero((links.a_device == row) & (held.a_ip == held.management[row]))
    assert len(port) == 1


def test_switches_of_the_management_network_follow_their_router_ids() -> None:
    own = overridden("superpod-b300", "oob-spine-01: {loopback: 192.0.2.9}")
    row = own.names.index("oob-spine-01")
    assert own.addresses.management[row] == own.addresses.loopback[row]


def _same_but(before: AddressColumn, after: AddressColumn) -> list[int]:
    return np.flatnonzero(~before.same(after)).tolist()


def test_a_switch_has_an_address_of_each_family_of_its_own() -> None:
    usual = example_cluster("leaf-spine", "ip=dual")
    row = usual.names.index(LEAF)
    gateway = usual.switch(row).managements[1][1]
    mgmt = f"{gateway.removesuffix('1')}ff"
    own = example_cluster(
        "leaf-spine", "ip=dual", f'address_of={{{LEAF}: {{loopback: [192.0.2.7, "2001:db8::7"], mgmt: "{mgmt}"}}}}'
    )
    view = own.switch(row)
    assert (view.router_id, view.loopback, view.loopback6) == ("192.0.2.7", "192.0.2.7", "2001:db8::7")
    assert [address for address, _ in view.managements] == [usual.switch(row).managements[0][0], f"{mgmt}/64"]
    assert view.fabric.loopback_pools[-2:] == ("192.0.2.7/32", "2001:db8::7/128")
    for before, after in zip(usual.addresses.families, own.addresses.families, strict=True):
        assert _same_but(before.loopback, after.loopback) == [row]
        assert not _same_but(before.a, after.a)


def test_a_link_of_both_families_moves_in_the_one_that_is_stated() -> None:
    usual = example_cluster("leaf-spine", "ip=dual")
    port = next(port for port in usual.switch(usual.names.index(LEAF)).ports if port.peer == SPINE)
    own = example_cluster("leaf-spine", "ip=dual", f'address_of={{{LEAF}: {{links: {{{port.name}: "2001:db8::5"}}}}}}')
    ours = next(p for p in own.switch(own.names.index(LEAF)).ports if p.name == port.name)
    assert (ours.address6, ours.peer_address6) == ("2001:db8::5/127", "2001:db8::4/127")
    assert (ours.address, ours.peer_address) == (port.address, port.peer_address)


def test_an_ipv6_fabric_takes_its_router_id_from_an_ipv4_address() -> None:
    own = example_cluster("leaf-spine", "ip=v6", f"address_of={{{LEAF}: {{loopback: 192.0.2.7}}}}")
    view = own.switch(own.names.index(LEAF))
    assert (view.router_id, view.loopback) == ("192.0.2.7", "")
    assert not any("192.0.2.7" in pool for pool in view.fabric.loopback_pools), "no interface has it"


def test_devices_are_called_by_the_names_they_have() -> None:
    own = example_cluster("leaf-spine", f"names.devices={{{SPINE}: edge}}", "address_of={edge: {loopback: 192.0.2.9}}")
    assert format_ipv4(int(own.addresses.loopback[own.names.index("edge")])) == "192.0.2.9"
