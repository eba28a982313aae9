"""What SONiC switches of an SRv6 fabric are told: an identifier each, routes to their neighbours, and nothing else."""

from __future__ import annotations

from ipaddress import IPv6Network
from typing import Any

import pytest

from fabricgen.kernel.diagnostics import InputError
from fabricgen.pipeline import compile_cluster, compile_design
from fabricgen.render.checks.config_db import check_config_db
from tests.render.rendered import BLUEPRINTS, cluster_of, config_db, files_of

LEAF_SPINE = str(BLUEPRINTS / "leaf-spine.yaml")

SRV6 = ("fabrics.compute.ip=v6", "fabrics.compute.routing.underlay=srv6", "fabrics.compute.qos.profile=best-effort")
LINKS = (*SRV6, "fabrics.compute.routing.srv6.links=true")
LEAF, SPINE = "compute-leaf-p1-su01-r1-01", "compute-spine-01"
THREE_TIERS = (
    "fabrics.compute.tiers.leaf={switch: sn5600, per: [su, rail], uplinks: 4 x 400G}",
    "fabrics.compute.tiers.spine={switch: sn5600, per: pod, count: 4, uplinks: 4 x 400G}",
    "fabrics.compute.tiers.core={switch: sn5600, per: spine, count: 4}",
)


def tables_of(*sets: str) -> dict[str, dict[str, Any]]:
    files = files_of("leaf-spine", *sets)
    return {switch.name: config_db(files, switch.name) for switch in cluster_of("leaf-spine", *sets).switches()}


def test_a_leaf_knows_itself_its_spines_and_its_hosts() -> None:
    tables = tables_of(*SRV6)
    leaf, spines = tables[LEAF], {name: t for name, t in tables.items() if "spine" in name}
    assert leaf["SRV6_MY_LOCATORS"]["main"] == {
        "block_len": "32",
        "node_len": "16",
        "func_len": "16",
        "prefix": leaf["SRV6_MY_LOCATORS"]["main"]["prefix"],
    }
    assert list(leaf["SRV6_MY_SIDS"].values()) == [{"action": "uN", "decap_dscp_mode": "pipe"}]
    own = {key.partition("|")[2] for t in spines.values() for key in t["SRV6_MY_SIDS"]}
    routes = {key.partition("|")[2]: row for key, row in leaf["STATIC_ROUTE"].items()}
    assert own == {prefix for prefix in routes if not prefix.startswith("fcbb:bb00:e")}
    # every other route is to a host, whose port it leaves by: eight identifiers for each cage
    hosts = {prefix: row["ifname"] for prefix, row in routes.items() if prefix not in own}
    lanes = {name: int(row["index"]) for name, row in leaf["PORT"].items()}
    assert len(hosts) == sum(
        leaf["DEVICE_NEIGHBOR"][name]["name"].startswith("p1-") for name in leaf["DEVICE_NEIGHBOR"]
    )
    for prefix, port in hosts.items():
        identifier = int(prefix.split(":")[2], 16)
        assert (identifier - 0xE000) // 8 + 1 == lanes[port]
        assert routes[prefix]["nexthop"].startswith("fd00:fab:100:")


@pytest.mark.slow
@pytest.mark.parametrize("sets", [SRV6, LINKS, (*SRV6, *THREE_TIERS)], ids=["uN", "uA", "three tiers"])
def test_every_switch_is_routed_to_by_its_neighbours_alone(sets: tuple[str, ...]) -> None:
    tables = tables_of(*sets)
    own = {name: next(iter(t["SRV6_MY_SIDS"])).partition("|")[2] for name, t in tables.items()}
    assert len(set(own.values())) == len(own)
    for t in tables.values():
        neighbours = {row["name"] for row in t["DEVICE_NEIGHBOR"].values()} & own.keys()
        routes = {key.partition("|")[2]: row for key, row in t["STATIC_ROUTE"].items()}
        assert {own[far] for far in neighbours} == {prefix for prefix in routes if prefix in own.values()}
        for far in neighbours:
            ports = routes[own[far]]["ifname"].split(",")
            assert all(t["DEVICE_NEIGHBOR"][port]["name"] == far for port in ports)
        assert "BGP_NEIGHBOR" not in t
        assert "bgp_asn" not in t["DEVICE_METADATA"]["localhost"]


@pytest.mark.parametrize("sets", [SRV6, LINKS], ids=["uN", "uA"])
def test_the_tables_are_those_of_the_yang_models(sets: tuple[str, ...]) -> None:
    """The schema is made of sonic-srv6.yang; it would refuse a field that is not there, and a locator of nobody."""
    catalog = cluster_of("leaf-spine", *sets).design.catalog
    tables = tables_of(*sets)[LEAF]
    assert list(check_config_db(tables, catalog)) == []
    assert list(check_config_db({**tables, "SRV6_MY_LOCATORS": {}}, catalog))
    foreign = {key: {**row, "action": "uX"} for key, row in tables["SRV6_MY_SIDS"].items()}
    assert list(check_config_db({**tables, "SRV6_MY_SIDS": foreign}, catalog))


def test_links_have_identifiers_where_that_is_asked() -> None:
    leaf = tables_of(*LINKS)[LEAF]
    links = {key: row for key, row in leaf["SRV6_MY_SIDS"].items() if row["action"] == "uA"}
    uplinks = {name for name, row in leaf["DEVICE_NEIGHBOR"].items() if "spine" in row["name"]}
    assert {row["interface"] for row in links.values()} == uplinks
    for row in links.values():
        # the far end of the /127 that the port has its address in
        (own,) = (key.partition("|")[2] for key in leaf["INTERFACE"] if key.startswith(f"{row['interface']}|"))
        assert IPv6Network(own, strict=False) == IPv6Network(f"{row['adj']}/127", strict=False)
        assert own.partition("/")[0] != row["adj"]


@pytest.mark.slow
def test_identifiers_stay_when_the_cluster_grows() -> None:
    growth = ("pods.p1.reserve=8",)
    before, after = (tables_of(*SRV6, *growth, f"pods.p1.su={su}") for su in (2, 6))
    for name, tables in before.items():
        assert after[name]["SRV6_MY_SIDS"] == tables["SRV6_MY_SIDS"]
    assert len(after) > len(before)


def test_another_format_has_another_block_and_less_room() -> None:
    sets = (*SRV6, "fabrics.compute.routing.srv6.format=f4816", "pools.srv6=5f00:0:7::/48")
    leaf = tables_of(*sets)[LEAF]
    assert leaf["SRV6_MY_LOCATORS"]["main"]["block_len"] == "48"
    (key,) = leaf["SRV6_MY_SIDS"]
    assert IPv6Network(key.partition("|")[2]).subnet_of(IPv6Network("5f00:0:7::/48"))
    assert key.endswith("/64")
    with pytest.raises(InputError, match="has 6 identifiers, and f4816 has room for 5"):
        compile_design(LEAF_SPINE, (*sets, *THREE_TIERS))
    compile_design(LEAF_SPINE, (*SRV6, *THREE_TIERS))


@pytest.mark.parametrize(
    ("sets", "why"),
    [
        (("fabrics.compute.ip=v4",), "has no IPv6"),
        (("fabrics.compute.hosts=bridged",), "are not routed"),
        (("pools.srv6=fcbb:bb00::/48",), "is one IPv6 prefix of /32 in f3216"),
        (("pools.srv6=10.0.0.0/8",), "is one IPv6 prefix of /32"),
        (("fabrics.compute.routing.srv6.format=f4816",), "no block of 48 bits"),
        (("tenants={blue: {nodes: [p1/su-1]}}",), "static routes do not run in those"),
    ],
    ids=["IPv4", "bridged", "long block", "IPv4 block", "no block", "tenants"],
)
def test_what_cannot_run_is_refused_at_its_line(sets: tuple[str, ...], why: str) -> None:
    with pytest.raises(InputError, match=why) as refused:
        compile_design(LEAF_SPINE, (*SRV6, *sets))
    assert all(diagnostic.span for diagnostic in refused.value.diagnostics)


def test_more_switches_than_identifiers_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fabricgen.numbering.addresses.allocate.MOST_IDENTIFIERS", 7)  # four spines and four leaves
    with pytest.raises(InputError, match=r"the block of SRv6 identifiers .* has 7 numbers") as refused:
        compile_cluster(compile_design(LEAF_SPINE, SRV6))
    assert {diagnostic.code for diagnostic in refused.value.diagnostics} == {"FG127"}
