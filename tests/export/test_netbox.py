"""What NetBox is told: rows that its forms take, in an order in which whatever is referred to is there already."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from functools import cache

import pytest

from fabricgen.addons import netbox
from fabricgen.addons.netbox import list_objects
from fabricgen.addons.netbox_objects.kinds import Kind
from fabricgen.api import ClusterView
from fabricgen.kernel.diagnostics import InputError
from tests.conftest import built_files, example_cluster

EXAMPLES = ("leaf-spine", "host-vlans", "bonded-pair", "tenants", "pkeys", "two-exits", "dual-stack")

FORMS = {
    "dcim/manufacturers": "name slug description",
    "dcim/sites": "name slug status description",
    "dcim/locations": "site name slug status description",
    "dcim/rack-types": "manufacturer model slug form_factor width u_height description",
    "dcim/racks": "site location name facility_id status rack_type description",
    "dcim/device-types": "manufacturer model slug part_number u_height description",
    "dcim/device-roles": "name slug color description",
    "dcim/platforms": "name slug description",
    "dcim/devices": "name role manufacturer device_type platform status site location rack position face description",
    "ipam/rirs": "name slug is_private",
    "ipam/asns": "asn rir description",
    "ipam/vlans": "vid name status description",
    "ipam/vrfs": "name description",
    "ipam/prefixes": "prefix vrf status description",
    "dcim/interfaces": "device name label lag type speed mgmt_only description",
    "dcim/module-types": "manufacturer model part_number",
    "dcim/module-bays": "device name",
    "dcim/modules": "device module_bay module_type status",
    "dcim/cables": "side_a_site side_a_device side_a_type side_a_name side_b_site side_b_device side_b_type "
    "side_b_name type status label color length length_unit",
    "ipam/ip-addresses": "address vrf status role device interface description is_primary is_oob",
}
"""The columns of NetBox's forms for CSV (v4.4.10: dcim/forms/bulk_import.py, ipam/forms/bulk_import.py)."""

LISTED = (
    "virtual lag other 1000base-t 2.5gbase-t 5gbase-t 10gbase-t 25gbase-t 10gbase-x-sfpp 25gbase-x-sfp28 "
    "40gbase-x-qsfpp 50gbase-x-sfp56 50gbase-x-sfp28 100gbase-x-qsfp28 100gbase-x-qsfpdd 200gbase-x-qsfp56 "
    "200gbase-x-qsfpdd 400gbase-x-qsfp112 400gbase-x-qsfpdd 400gbase-x-osfp 800gbase-x-qsfpdd 800gbase-x-osfp "
    "infiniband-edr infiniband-hdr infiniband-ndr infiniband-xdr"
)
TYPES = set(LISTED.split())
CABLES = {"cat6a", "dac-active", "dac-passive", "mmf-om4", "smf-os2", "aoc"}
"""Of the choices that NetBox 4.4.10 answers to OPTIONS, those that clusters have."""


@cache
def kinds(example: str) -> tuple[Kind, ...]:
    return tuple(list_objects(ClusterView(example_cluster(example))))


def records(kind: Kind) -> list[dict[str, object]]:
    return list(kind.rows())


def keys(rows: Iterable[dict[str, object]], columns: tuple[str, ...]) -> list[tuple[object, ...]]:
    return [tuple(row[column] for column in columns) for row in rows]


@pytest.mark.parametrize("example", EXAMPLES)
def test_everything_refers_to_what_is_there_already(example: str) -> None:
    made: dict[str, set[tuple[object, ...]]] = {}
    for kind in kinds(example):
        rows = records(kind)
        assert set(kind.columns) <= set(FORMS[kind.path].split()), kind.name
        assert len(set(keys(rows, kind.key))) == len(rows), kind.name
        for target, columns in kind.references.values():
            wanted = {key for key in keys(rows, columns) if key[-1] != ""}
            assert wanted <= made[target], (kind.name, target)
        own = set(keys(rows, kind.key))
        made[kind.name] = own | (made.get("bonds", set()) if kind.name == "interfaces" else set())


@pytest.mark.parametrize("example", EXAMPLES)
def test_cables_join_the_ports_that_links_join(example: str) -> None:
    """One cable a link, none at a port twice, and every port that it names is an interface with a type NetBox has."""
    by_name = {kind.name: records(kind) for kind in kinds(example)}
    listed = csv.DictReader(built_files(example_cluster(example), "links")["links.csv"].decode().splitlines())
    planned = {(row["a_device"], row["a_port"], row["b_device"], row["b_port"], row["cable"]) for row in listed}
    sides = ("side_a_device", "side_a_name", "side_b_device", "side_b_name", "label")
    assert set(keys(by_name["cables"], sides)) == {link for link in planned if link[4]}
    ends = keys(by_name["cables"], sides[:2]) + keys(by_name["cables"], sides[2:4])
    assert len(set(ends)) == len(ends)
    assert set(ends) <= set(keys(by_name["interfaces"], ("device", "name")))
    assert {row["type"] for row in by_name["interfaces"]} <= TYPES
    assert {row["type"] for row in by_name["cables"]} <= CABLES


def test_every_address_is_there_once_and_switches_are_reached_at_one_of_each_family() -> None:
    cluster = example_cluster("dual-stack")
    listed = list(csv.DictReader(built_files(cluster, "addresses")["addresses.csv"].decode().splitlines()))
    rows = [row for kind in kinds("dual-stack") if kind.path == "ipam/ip-addresses" for row in records(kind)]
    assert sorted(map(str, (row["address"] for row in rows))) == sorted(row["prefix"] for row in listed)
    primary = [(row["device"], ":" in str(row["address"])) for row in rows if row.get("is_primary")]
    switches, kinds_of_own = {cluster.names[row] for row in cluster.switch_rows()}, ("management", "loopback")
    own = {(row["device"], ":" in row["prefix"]) for row in listed if row["kind"] in kinds_of_own}
    assert sorted(primary) == sorted(each for each in own if each[0] in switches)
    assert {name for name, _ in primary} == switches


@pytest.mark.parametrize("example", ["tenants", "host-vlans"])
def test_addresses_are_in_the_vrf_that_their_switch_has_there(example: str) -> None:
    """Of the ports and sub-interfaces of switches, and of what these lead to; pools are in none."""
    cluster, by_name = example_cluster(example), {kind.name: records(kind) for kind in kinds(example)}
    found = {(row["device"], row["interface"]): row["vrf"] for row in by_name["ip-addresses"]}
    seen = set()
    for row in cluster.switch_rows():
        view = cluster.switch(row)
        of_port = [(port.name, service.vrf) for port in view.ports if (service := view.find_service(port))]
        inside = [(f"{port.name}.{sub.vlan}", vrf) for vrf in view.vrfs for port, sub in view.links_in(vrf)]
        for port, vrf in (*of_port, *inside):
            if (view.name, port) in found:
                assert found[view.name, port] == vrf
                seen.add(vrf)
    assert seen - {""} == {row["name"] for row in by_name["vrfs"]}
    assert {row["vrf"] for row in by_name["prefixes"] if row["status"] == "container"} == {""}


def test_ports_of_a_bond_refer_to_it() -> None:
    by_name = {kind.name: records(kind) for kind in kinds("bonded-pair")}
    bonds = set(keys(by_name["bonds"], ("device", "name")))
    members = [(row["device"], row["lag"]) for row in by_name["interfaces"] if row["lag"]]
    assert bonds == set(members)
    hosts = [bond for bond in bonds if bond[1].startswith("bond-")]
    assert sum(member in hosts for member in members) >= 2 * len(hosts) > 0
    # a switch calls its end of a bond as its configuration does
    switches = {(device, name) for device, name in bonds if (device, name) not in hosts}
    configured = built_files(example_cluster("bonded-pair"), "configs")
    texts = {path.split("/")[1]: content.decode() for path, content in configured.items()}
    assert {name for _, name in switches if not name.startswith("bond")} == {"peerlink"}
    assert all(f"{name}:" in texts[device] for device, name in switches)
    assert bonds.isdisjoint(keys(by_name["interfaces"], ("device", "name")))


def test_files_are_numbered_in_the_order_of_import() -> None:
    written = built_files(example_cluster("leaf-spine"), "netbox")
    names = [path for path in written if path.endswith(".csv")]
    assert names == sorted(names)
    assert (names[0], len(names)) == ("netbox/01-manufacturers.csv", 19)
    assert written["netbox/17-cables.csv"].decode().splitlines()[1] == (
        "site1,p1-su01-n001,dcim.interface,eth1,site1,compute-leaf-p1-su01-r1-01,dcim.interface,Ethernet0,"
        "aoc,planned,compute-leaf-p1-su01-r1-01:1,206699,10,m"
    )


def test_a_name_that_netbox_does_not_take_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fabricgen.addons.netbox_objects.kinds.LONGEST", {("devices", "name"): 25})
    with pytest.raises(InputError) as refused:
        list(netbox.files(ClusterView(example_cluster("leaf-spine"))))
    (found,) = refused.value.diagnostics
    assert (found.code, found.message) == (
        "FG163",
        "compute-leaf-p1-su01-r1-01 has 26 characters, and NetBox takes at most 25 as name of devices",
    )
