"""Pools, addresses and AS numbers: boundary values, and what must not be flagged."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from fabricgen.blueprint.load import load_blueprint
from fabricgen.cluster import build_cluster
from fabricgen.design.build import build_design
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, InputError
from fabricgen.lint.engine import lint
from fabricgen.lint.rules.design.addressing.fg505_public_asns import is_public
from fabricgen.lint.rules.design.addressing.fg508_reserved_asns import find_reserved_range
from fabricgen.numbering.addresses.demand import list_pool_demands
from tests.conftest import EXAMPLES, example_cluster, example_design

BLUEPRINT = """\
fabricgen: 1
name: addressed
scalable_unit: {nodes: 4 x dgx-b200}
pods: {p1: {su: 2, reserve: 16}}
fabrics:
  compute:
    protocol: roce
    tiers:
      leaf: {switch: sn5600, per: [su, rail]}
      spine: {switch: sn5600, count: 4}
"""

DesignOf = Callable[..., Design]


def found_by(design: Design, code: str, *, whole: bool = False) -> list[Diagnostic]:
    return [d for d in lint(design, build_cluster(design) if whole else None).findings if d.code == code]


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_pools_are_asked_for_is_what_they_give(name: str) -> None:
    cluster = example_cluster(name)
    asked: Counter[str] = Counter()
    for demand in list_pool_demands(cluster.design):
        assert demand.now <= demand.reserved <= demand.block
        # an SRv6 identifier stands for all addresses that begin with it, and is a number of its own in the lock
        if demand.pool != "srv6":
            asked[demand.family.kind] += demand.block
    given = {kind: cluster.addresses.lock.find_allocations(kind) for kind in ("ipv4", "ipv6")}
    assert asked == Counter({k: sum(e.size for held in of.values() for e in held) for k, of in given.items() if of})


@pytest.mark.tenth
@pytest.mark.parametrize(
    ("sets", "text"),
    [
        (["pools.hosts=10.128.0.0/17"], "32768 addresses: 4096 are used now (12%), 32768 with reserved slots (100%"),
        (["pools.hosts=10.128.0.0/18", "pods.p1.reserve=2", "lint.limits.pool_use=20%"], "(25%; the limit is 20%)"),
        (["routing.asn.pool=64512-64660"], "149 numbers: 17 are used now (11%), 129 with reserved slots (87%"),
        (["routing.asn.tiers.leaf=64512-64640"], "129 numbers: 16 are used now (12%), 128 with reserved slots (99%"),
    ],
)
def test_a_pool_that_growth_fills_is_told_and_its_hint_does(design_of: DesignOf, sets: list[str], text: str) -> None:
    design = design_of(BLUEPRINT, sets)
    build_cluster(design)
    (found,) = found_by(design, "FG506")
    assert text in found.message
    key = ".".join(map(str, found.path))
    if length := re.search(r"state a /(\d+) or shorter", found.hint):
        better = f"{key}=10.128.0.0/{length[1]}"
    else:
        needed = int(found.hint.split()[1])
        better = f"{key}=4200000000-{4200000000 + needed - 1}"
    assert not found_by(design_of(BLUEPRINT, [*sets, better]), "FG506")


@pytest.mark.parametrize("sets", [["pools.hosts=10.128.0.0/16"], ["pools.hosts=10.128.0.0/17", "pods.p1.reserve=12"]])
def test_a_pool_with_room_is_not(design_of: DesignOf, sets: list[str]) -> None:
    assert not found_by(design_of(BLUEPRINT, sets), "FG506")


@pytest.mark.parametrize(
    ("pool", "start"),
    [
        ("hosts", "10.128.0.0/23"),
        ("fabric", "10.64.0.0/26"),
        ("loopback", "10.0.0.0/29"),
        ("management", "10.16.0.0/28"),
    ],
)
def test_what_an_overflow_says_would_do_does(design_of: DesignOf, pool: str, start: str) -> None:
    with pytest.raises(InputError) as caught:
        build_cluster(design_of(BLUEPRINT, [f"pools.{pool}={start}"]))
    (found,) = caught.value.diagnostics
    assert found.code == "FG024"
    assert re.search(rf"pool {pool} \(.*\) has \d+ addresses: \d+ used, .* needs? \d+", found.message)
    length = re.search(r"add a prefix of /(\d+)", found.hint)
    assert length
    build_cluster(design_of(BLUEPRINT, [f"pools.{pool}=[{start}, 172.16.0.0/{length[1]}]"]))


@pytest.mark.tenth
@pytest.mark.parametrize(
    ("prefix", "code"),
    [
        ("172.16.0.0/12", ""),
        ("192.168.0.0/15", "FG509"),
        ("172.32.0.0/16", "FG509"),
        ("192.168.0.0/16", ""),
        ("100.64.0.0/10", ""),
        ("100.128.0.0/10", "FG509"),
        ("9.0.0.0/9", "FG509"),
        ("192.0.0.0/16", "FG507"),
        ("198.16.0.0/13", "FG507"),
        ("198.20.0.0/14", "FG509"),
        ("203.0.113.0/24", "FG507"),
        ("2001:db8::/32", "FG507"),
        ("2001:db9::/40", ""),
        ("2a00:1450::/32", ""),
        ("fc12::/32", "FG507"),
        ("fd12::/32", ""),
        ("3fff:10::/32", "FG507"),
        ("3fff:1000::/32", ""),
        ("64:ff9b::/48", "FG504"),
        ("5f00::/24", "FG507"),
        ("::ffff:0:0/96", "FG504"),
        ("240.0.0.0/8", "FG504"),
        ("0.0.0.0/8", "FG504"),
        ("169.254.0.0/20", "FG504"),
        ("224.0.0.0/4", "FG504"),
        ("ff00::/32", "FG504"),
        ("fe80::/40", "FG504"),
        ("127.0.0.0/9", "FG504"),
    ],
)
def test_the_kind_of_a_prefix(design_of: DesignOf, prefix: str, code: str) -> None:
    design = design_of(BLUEPRINT, ["ip=dual", f"pools.hosts=[10.128.0.0/10, '{prefix}']"])
    codes = {d.code for d in lint(design).findings} & {"FG504", "FG507", "FG509"}
    assert codes == ({code} if code else set())


@pytest.mark.parametrize(
    ("text", "aside", "public"),
    [
        ("64495", False, True),
        ("64496", True, False),
        ("64511", True, False),
        ("64512-65534", False, False),
        ("65536-65551", True, False),
        ("131071", True, False),
        ("131072", False, True),
        ("4199999999-4200000000", False, True),
        ("4200000000-4294967294", False, False),
        ("23457-64495", False, True),
    ],
)
def test_the_kind_of_as_numbers(text: str, aside: bool, public: bool) -> None:
    assert bool(find_reserved_range(text)) == aside
    assert is_public(text) == public


def test_adopted_numbers_are_judged_once(tmp_path: Path) -> None:
    file = tmp_path / "b.yaml"
    file.write_text(BLUEPRINT, encoding="utf-8")
    adopted = "".join(f"  compute-leaf-p1-su01-r{i}-01 asn: {1000 + i}\n" for i in range(1, 4))
    lock = f"fabricgen-lock: 1\nblueprint: addressed\nadopted:\n{adopted}  compute-spine-01 asn: 4200000000\n"
    (tmp_path / "b.lock.yaml").write_text(lock, encoding="utf-8")
    (found,) = found_by(build_design(load_blueprint(str(file))), "FG505")
    assert found.message == "the adopted AS number 1001 is not private, nor are 2 other adopted ones"
    assert found.span
    assert (Path(found.span.file).name, found.span.line) == ("b.lock.yaml", 4)


def test_ranges_of_tiers_may_lie_in_their_pool(design_of: DesignOf) -> None:
    tiers = "routing.asn={pool: 4200000000-4200009999, tiers: {leaf: 4200000000-4200000999, spine: 4200001000}}"
    assert not found_by(design_of(BLUEPRINT, [tiers]), "FG510")
    both = tiers.replace("spine: 4200001000", "spine: 4200000999")
    (found,) = found_by(design_of(BLUEPRINT, [both]), "FG510")
    assert found.path == ("routing", "asn", "tiers", "spine")


@pytest.mark.parametrize(
    ("override", "found"),
    [
        ("{loopback: 10.0.9.9}", 0),
        ("{loopback: 10.130.0.1}", 1),
        ("{loopback: 192.168.0.1}", 0),
        ("{loopback: 10.16.9.9}", 1),
        ("{links: {Ethernet0: 10.0.9.8}}", 1),
        ("{links: {Ethernet0: 10.64.9.8}}", 0),
    ],
)
def test_own_addresses_in_other_pools(design_of: DesignOf, override: str, found: int) -> None:
    design = design_of(BLUEPRINT, [f"address_of.compute-spine-01={override}"])
    assert len(found_by(design, "FG511")) == found


def test_unnumbered_links_leave_their_pool_free(design_of: DesignOf) -> None:
    own = "address_of.compute-spine-01={loopback: 10.64.0.1}"
    assert found_by(design_of(BLUEPRINT, [own]), "FG511")
    assert not found_by(design_of(BLUEPRINT, [own, "routing.underlay=ebgp-unnumbered"]), "FG511")


def test_a_server_that_a_device_is_may_be_in_a_pool() -> None:
    cluster = example_cluster("superpod-b200")
    row = next(i for i, name in enumerate(cluster.names) if name.startswith("mgmt"))
    address = cluster.addresses.list_device_addresses()[1][row]
    kept = address.rpartition(".")[0] + ".254"
    design = example_design("superpod-b200", f"management.ntp=[{address}, {kept}, 192.168.250.1]")
    (found,) = found_by(design, "FG512", whole=True)
    assert found.message.startswith(f"{kept} is in a block that is reserved for 'oob leaf")


def test_half_of_a_dual_stack(design_of: DesignOf) -> None:
    sets = ["pools.loopback=10.0.0.0/16", "pools.hosts=['fd5a:19c3:2e41::/48']"]
    assert not found_by(design_of(BLUEPRINT, sets[:1]), "FG513")
    found = found_by(design_of(BLUEPRINT, ["ip=dual", *sets]), "FG513")
    assert [d.path for d in found] == [("pools", "hosts"), ("pools", "loopback")]
    assert found[0].message.endswith("IPv4 uses the default, 10.128.0.0/9")


def test_one_number_for_a_single_leaf_is_no_finding(design_of: DesignOf) -> None:
    sets = ["routing.asn.tiers.leaf=4200100000"]
    assert found_by(design_of(BLUEPRINT, sets), "FG515")
    assert not found_by(design_of(BLUEPRINT, ["routing.asn.tiers.spine=4200100000"]), "FG515")


def test_a_prefix_as_large_as_the_smallest_block_is_used(design_of: DesignOf) -> None:
    (found,) = found_by(design_of(BLUEPRINT, ["pools.loopback=[10.0.0.0/16, 10.9.0.0/30]"]), "FG514")
    length = re.search(r"smallest block of its pool is a /(\d+)", found.message)
    assert length
    assert not found_by(design_of(BLUEPRINT, [f"pools.loopback=[10.0.0.0/16, 10.9.0.0/{length[1]}]"]), "FG514")


def test_router_ids_alone_make_no_dual_stack(design_of: DesignOf) -> None:
    own = [f"pools.{name}=fd5a:19c3:{n}::/48" for n, name in enumerate(("loopback", "fabric", "hosts"), start=1)]
    assert not found_by(design_of(BLUEPRINT, ["ip=v6", *own]), "FG513")
    assert len(found_by(design_of(BLUEPRINT, ["ip=dual", *own]), "FG513")) == 3


@pytest.mark.slow
@pytest.mark.parametrize(("tenants", "told"), [(30, False), (34, True)])
def test_sub_interfaces_of_many_tenants_reach_the_vlans_of_their_hosts(tenants: int, told: bool) -> None:
    """EOS gives a port and each VRF on it a VLAN from 1006 upwards; tenants have theirs from 2000."""
    nodes = {f"t{at}": {"nodes": [f"p1/su-{at // 4 + 1}/node-{at % 4 + 1}"]} for at in range(tenants)}
    tiers = {
        "leaf": {"switch": "7060x6-64pe", "count": 2, "spread": "stripe", "uplinks": "32 x 200G"},
        "spine": {"switch": "7060x6-64pe", "count": 2},
    }
    storage = [f"fabrics.storage.{key}" for key in (f"tiers={json.dumps(tiers)}", "nos=eos", "speed=200G")]
    design = example_design("tenants", "pods.p1.su=9", f"tenants={json.dumps(nodes)}", *storage)
    found = [d.message for d in found_by(design, "FG755")]
    assert found == (["VLAN 2001 of storage is among 1006 to 2125, which eos keeps for itself"] if told else [])
