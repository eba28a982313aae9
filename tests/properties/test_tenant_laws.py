"""Laws of tenants over generated blueprints: what they change, and that they are kept apart."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fabricgen.cluster import Cluster
from fabricgen.lint.rules.plan.tenants.fg821_tenants_meet import walk_vrfs
from fabricgen.numbering.underlay import links_carry_vrfs
from fabricgen.views.switch import SwitchPort, SwitchView
from tests.properties.blueprints import FAMILIES
from tests.properties.compiling import cases, compiled, compiled_or_dropped
from tests.properties.halls import Tree

TREES = st.one_of(*(st.deferred(FAMILIES[name]) for name in ("many_fabrics", "clos", "planes", "dual_ported")))


def slots_of(cluster: Cluster) -> list[str]:
    """Every node slot that is there, as blueprints name it."""
    layout = cluster.design.layout
    return [
        f"{pod.name}/su-{su}/node-{node}"
        for at, pod in enumerate(layout.pods)
        for su in range(1, pod.su + 1)
        for node in range(1, layout.kind_of_pod[at].nodes + 1)
        if not any((s.pod, s.su, s.node) == (at, su, node) for s in layout.omitted)
    ]


def dealt(data: st.DataObject, slots: list[str]) -> Tree:
    """Tenants: each slot is blue's, green's or nobody's."""
    owners = data.draw(st.lists(st.sampled_from(["blue", "green", ""]), min_size=len(slots), max_size=len(slots)))
    found = {name: [s for s, owner in zip(slots, owners, strict=True) if owner == name] for name in ("blue", "green")}
    return {name: {"nodes": nodes} for name, nodes in found.items() if nodes}


def addresses(cluster: Cluster) -> list[list[str]]:
    """All addresses but those of links in VRFs."""
    columns = [c for f in cluster.addresses.families for c in (f.a, f.b, f.loopback, f.management, *f.shared.values())]
    return [list(column.texts()) for column in columns]


def host_ports(cluster: Cluster) -> Iterator[tuple[SwitchView, SwitchPort]]:
    yield from ((switch, port) for switch in cluster.switches() for port in switch.ports if port.role == "host")


@pytest.mark.law
@cases(35)
@given(TREES, st.data())
@pytest.mark.slow
def test_tenants_change_the_vrfs_of_ports_alone(tree: Tree, data: st.DataObject) -> None:
    plain = compiled_or_dropped(tree)
    tenants, again = (dealt(data, slots_of(plain)) for _ in range(2))
    assume(tenants)
    cluster = compiled_or_dropped(tree | {"tenants": tenants})
    assert addresses(cluster) == addresses(plain)
    apart = {tenant.name: tenant.fabrics for tenant in cluster.design.tenants}
    for (switch, port), (before, same) in zip(host_ports(cluster), host_ports(plain), strict=True):
        service, usual = switch.find_service(port), before.find_service(same)
        own = port.tenant if port.service in apart.get(port.tenant, ()) else ""
        assert (port.name, port.addresses) == (same.name, same.addresses)
        assert (service.vrf, service.gateways) == (own or usual.vrf, usual.gateways)
    only_own_tenants_meet(cluster, plain)
    if again:
        moved = compiled(tree | {"tenants": again}, cluster.lock)
        assert addresses(moved) == addresses(plain)
        numbers = {tenant.name: tenant.number for tenant in cluster.design.tenants}
        assert all(numbers.get(tenant.name, tenant.number) == tenant.number for tenant in moved.design.tenants)


def only_own_tenants_meet(cluster: Cluster, plain: Cluster) -> None:
    """No two owners meet, and of one owner all who met before do; where hosts have no addresses all may meet, and over
    bare links none need to.
    """
    design, devices = cluster.design, cluster.plan.devices
    found = list(walk_vrfs(cluster.switches(), design))
    if all(fabric.hosts != "none" for fabric in design.fabrics):
        assert all(len(one.ports) < 2 for one in found), found
    number = {place: n for n, one in enumerate(found) for place in one.vrfs}
    for before in walk_vrfs(plain.switches(), plain.design):
        names = {name for name, _ in before.vrfs}
        rows = [devices.classes[devices.device_class[cluster.names.index(name)]] for name in names]
        if all(links_carry_vrfs(design, design.fabric(row.fabric)) for row in rows):
            for tenant in design.tenants:
                own = {number[name, tenant.name] for name in names if (name, tenant.name) in number}
                assert len(own) < 2, (tenant.name, own, names)
