"""Numbers of single devices: they follow through columns, files and configurations, and move nobody else's."""

from __future__ import annotations

import numpy as np
import pytest

from fabricgen.cluster import Cluster
from fabricgen.numbering.blocks.column import AddressColumn, format_ipv4
from fabricgen.render.engine import render_configs
from tests.conftest import example_cluster

LEAF, SPINE = "compute-leaf-p1-su01-r1-01", "compute-spine-02"


def build_overridden(name: str, *lines: str) -> Cluster:
    return example_cluster(name, f"address_of={{{', '.join(lines)}}}")


def _decode_text(content: bytes | str) -> str:
    return content if isinstance(content, str) else content.decode()


def find_changed_rows(before: np.ndarray, after: np.ndarray) -> list[int]:
    return np.flatnonzero(before != after).tolist()


def test_numbers_of_a_switch_are_its_own_and_nobody_else_moves() -> None:
    usual = example_cluster("leaf-spine")
    overridden = build_overridden(
        "leaf-spine", f'{LEAF}: {{asn: "64086.59999", loopback: 192.0.2.7, mgmt: 10.16.0.14}}'
    )
    row = usual.names.index(LEAF)
    view = overridden.switch(row)
    assert (view.asn, view.router_id, view.loopback) == (64086 * 65536 + 59999, "192.0.2.7", "192.0.2.7")
    assert view.managements[0][0] == "10.16.0.14/28"
    for column in ("asn", "loopback", "management"):
        assert find_changed_rows(getattr(usual.addresses, column), getattr(overridden.addresses, column)) == [row]
    assert not find_changed_rows(usual.addresses.a_ip, overridden.addresses.a_ip)
    spine = next(view for view in overridden.switches() if view.name == SPINE)
    assert {port.peer_asn for port in spine.ports if port.peer == LEAF} == {view.asn}


def test_a_router_id_outside_the_pool_may_travel() -> None:
    setting = "names.devices={compute-spine-02: edge}"
    cluster = example_cluster(
        "leaf-spine", setting, "routing.bfd=true", f"address_of={{{LEAF}: {{loopback: 192.0.2.7}}}}"
    )
    configs = {path: content for path, content in render_configs(cluster) if path.endswith("frr.conf")}
    assert len(configs) == 8
    assert all("192.0.2.7/32" in _decode_text(content) for content in configs.values())
    pools = build_overridden("leaf-spine", f"{LEAF}: {{loopback: 192.0.2.7}}").switch(8).fabric.loopback_pools
    assert pools[-1] == "192.0.2.7/32"
    inside = build_overridden("leaf-spine", f"{LEAF}: {{loopback: 10.0.99.7}}").switch(8).fabric.loopback_pools
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
    overridden = build_overridden("leaf-spine", f"{device}: {{links: {{{port}: 192.0.2.101}}}}")
    ends = {format_ipv4(int(overridden.addresses.a_ip[link])), format_ipv4(int(overridden.addresses.b_ip[link]))}
    assert ends == {"192.0.2.100", "192.0.2.101"}
    column = overridden.addresses.b_ip if end == "upper" else overridden.addresses.a_ip
    assert format_ipv4(int(column[link])) == "192.0.2.101"
    assert find_changed_rows(usual.addresses.a_ip, overridden.addresses.a_ip) == [link]


def test_a_managed_switch_and_its_port_have_one_address() -> None:
    overridden = build_overridden("superpod-b300", "compute-leaf-p1-su01-r1-pl1-01: {mgmt: 192.168.0.61}")
    row = overridden.names.index("compute-leaf-p1-su01-r1-pl1-01")
    held, links = overridden.addresses, overridden.plan.links
    assert format_ipv4(int(held.management[row])) == "192.168.0.61"
    port = np.flatnonzero((links.a_device == row) & (held.a_ip == held.management[row]))
    assert len(port) == 1


def test_switches_of_the_management_network_follow_their_router_ids() -> None:
    overridden = build_overridden("superpod-b300", "oob-spine-01: {loopback: 192.0.2.9}")
    row = overridden.names.index("oob-spine-01")
    assert overridden.addresses.management[row] == overridden.addresses.loopback[row]


def _find_changed_addresses(before: AddressColumn, after: AddressColumn) -> list[int]:
    return np.flatnonzero(~before.same(after)).tolist()


def test_a_switch_has_an_address_of_each_family_of_its_own() -> None:
    usual = example_cluster("leaf-spine", "ip=dual")
    row = usual.names.index(LEAF)
    gateway = usual.switch(row).managements[1][1]
    mgmt = f"{gateway.removesuffix('1')}ff"
    overridden = example_cluster(
        "leaf-spine", "ip=dual", f'address_of={{{LEAF}: {{loopback: [192.0.2.7, "2001:db8::7"], mgmt: "{mgmt}"}}}}'
    )
    view = overridden.switch(row)
    assert (view.router_id, view.loopback, view.loopback6) == ("192.0.2.7", "192.0.2.7", "2001:db8::7")
    assert [address for address, _ in view.managements] == [usual.switch(row).managements[0][0], f"{mgmt}/64"]
    assert view.fabric.loopback_pools[-2:] == ("192.0.2.7/32", "2001:db8::7/128")
    for before, after in zip(usual.addresses.families, overridden.addresses.families, strict=True):
        assert _find_changed_addresses(before.loopback, after.loopback) == [row]
        assert not _find_changed_addresses(before.a, after.a)


def test_a_link_of_both_families_moves_in_the_one_that_is_stated() -> None:
    usual = example_cluster("leaf-spine", "ip=dual")
    port = next(port for port in usual.switch(usual.names.index(LEAF)).ports if port.peer == SPINE)
    overridden = example_cluster(
        "leaf-spine", "ip=dual", f'address_of={{{LEAF}: {{links: {{{port.name}: "2001:db8::5"}}}}}}'
    )
    ours = next(p for p in overridden.switch(overridden.names.index(LEAF)).ports if p.name == port.name)
    assert (ours.address6, ours.peer_address6) == ("2001:db8::5/127", "2001:db8::4/127")
    assert (ours.address, ours.peer_address) == (port.address, port.peer_address)


def test_an_ipv6_fabric_takes_its_router_id_from_an_ipv4_address() -> None:
    overridden = example_cluster("leaf-spine", "ip=v6", f"address_of={{{LEAF}: {{loopback: 192.0.2.7}}}}")
    view = overridden.switch(overridden.names.index(LEAF))
    assert (view.router_id, view.loopback) == ("192.0.2.7", "")
    assert not any("192.0.2.7" in pool for pool in view.fabric.loopback_pools), "no interface has it"


def test_devices_are_called_by_the_names_they_have() -> None:
    overridden = example_cluster(
        "leaf-spine", f"names.devices={{{SPINE}: edge}}", "address_of={edge: {loopback: 192.0.2.9}}"
    )
    assert format_ipv4(int(overridden.addresses.loopback[overridden.names.index("edge")])) == "192.0.2.9"
