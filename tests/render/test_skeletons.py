"""Skeletons: whatever is filled in is what rendering that switch by itself gives, byte for byte."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from fabricgen.catalog.loader import Catalog
from fabricgen.cluster import Cluster
from fabricgen.nos.sonic import writer as sonic
from fabricgen.render.engine import Renderer, make_render_options, render_configs
from fabricgen.render.nos_protocol import keeps_order, known_nos
from fabricgen.render.shapes import SwitchShapes
from fabricgen.render.skeletons import FEWEST, parse_template
from fabricgen.views.fabric import FabricView
from fabricgen.views.switch import SwitchView
from tests.render.rendered import BRIDGED, CUMULUS, DUAL, JUNOS, RAILS, TUNED, UNNUMBERED, V6, cluster_of

LARGER = ("pods.p1.su=7",)
SRV6 = (
    *("fabrics.compute.ip=v6", "fabrics.compute.qos.profile=best-effort"),
    *("fabrics.compute.routing.underlay=srv6", "fabrics.compute.routing.srv6.links=true"),
)
EOS = ("nos=eos", *(f"fabrics.compute.tiers.{tier}.switch=7060dx5-64s" for tier in ("leaf", "spine")))
NEAR = "fabrics.compute.dhcp.servers=10.128.0.9"
SUBNETS = "fabrics.compute.router_advertisements.autoconfig=false"
KEEP_ORDER = frozenset(filter(keeps_order, known_nos(whole_fabric=False)))
CASES = {
    "colossus-200k": (),
    "superpod-b300": (),
    "two-site": (),
    "full-cluster": (),
    "multi-plane": (),
    "leaf-spine": LARGER,
}
VARIANTS = {
    "cumulus": (*LARGER, *CUMULUS),
    "eos": (*LARGER, *EOS),
    "junos": (*LARGER, *JUNOS),
    "dual junos": (*LARGER, *JUNOS, *DUAL),
    "unnumbered junos": (*LARGER, *JUNOS, *DUAL, *UNNUMBERED),
    "subnets junos": (*LARGER, *JUNOS, *BRIDGED, *DUAL),
    "bonds of junos": (
        *LARGER,
        *JUNOS,
        *BRIDGED,
        "fabrics.compute.bond=node",
        "fabrics.compute.tiers.leaf.per=su",
        NEAR,
    ),
    "advertisements of junos": (*LARGER, *JUNOS, *BRIDGED, *DUAL, NEAR, SUBNETS),
    "dual eos": (*LARGER, *EOS, *DUAL),
    "dual cumulus": (*LARGER, *CUMULUS, *DUAL),
    "unnumbered": (*LARGER, *UNNUMBERED),
    "bridged": (*LARGER, *BRIDGED),
    "subnets cumulus": (*LARGER, *CUMULUS, *BRIDGED, *DUAL, NEAR, SUBNETS),
    "subnets eos": (*LARGER, *EOS, *BRIDGED, *DUAL, NEAR, SUBNETS),
    "dual": (*LARGER, *DUAL),
    "v6": (*LARGER, *V6),
    "rails": (*LARGER, *RAILS),
    "srv6": (*LARGER, *SRV6),
    "srv6 of digits": (*LARGER, *SRV6, "pools.srv6=5f00:1::/32"),
    "tuned": (*LARGER, *TUNED),
    "tuned cumulus": (*LARGER, *TUNED, *CUMULUS),
    "dual rails unnumbered": (*LARGER, *DUAL, *RAILS, *UNNUMBERED),
    "relays of cumulus": (*LARGER, *CUMULUS, *BRIDGED, "fabrics.compute.dhcp={servers: [10.9.9.9]}"),
    "advertisements of eos": (
        *(*LARGER, *EOS, *BRIDGED, *V6),
        "fabrics.compute.router_advertisements={autoconfig: false}",
    ),
    "lines of the user's": (*LARGER, *UNNUMBERED, "snippets.a={nos: sonic, at: bgp, text: neighbor UP weight 10}"),
}


def agree(cluster: Cluster, step: int = 1) -> None:
    """Hold filled skeletons to switches rendered by themselves, and see that there are as many as there can be."""
    renderer, rows = Renderer(make_render_options(cluster)), cluster.switch_rows()
    alone: set[str] = set()
    whole = renderer.files

    def counted(view: SwitchView | FabricView, catalog: Catalog) -> Iterator[tuple[str, bytes]]:
        alone.add(view.name)
        return whole(view, catalog)

    renderer.files = counted  # type: ignore[method-assign]
    files: dict[str, dict[str, bytes]] = {}
    files_of = renderer.make_switch_renderer(cluster, rows)
    for row in rows:
        files[cluster.names[row]] = dict(files_of(row))
    shapes = Counter(o.shape for o in SwitchShapes(cluster.views).list_signatures(rows, KEEP_ORDER) if o)
    most = sum(count - 1 for count in shapes.values() if count >= FEWEST)
    assert most >= len(rows) - len(alone) > 0.9 * most
    for row in [row for row in rows if cluster.names[row] not in alone][::step]:
        assert files[cluster.names[row]] == dict(whole(cluster.switch(row), cluster.design.catalog))


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(CASES))
def test_examples_are_filled_as_they_would_be_rendered(name: str) -> None:
    agree(cluster_of(name, *CASES[name]), step=3)


@pytest.mark.tenth
@pytest.mark.parametrize("variant", sorted(VARIANTS))
def test_variants_are_filled_as_they_would_be_rendered(variant: str) -> None:
    agree(cluster_of("leaf-spine", *VARIANTS[variant]))


@pytest.mark.parametrize("nos", [EOS, CUMULUS, JUNOS])
def test_the_order_of_texts_is_no_part_of_shapes_where_nothing_is_sorted(nos: tuple[str, ...]) -> None:
    """Leaves and spines are of one shape each, however their addresses and those of their peers are ordered."""
    cluster = cluster_of("leaf-spine", *LARGER, *nos)
    rows = cluster.switch_rows()
    if_sorted, as_kept = (
        SwitchShapes(cluster.views).list_signatures(rows, keep_order) for keep_order in ((), KEEP_ORDER)
    )
    assert len({o.shape for o in if_sorted if o}) > len({o.shape for o in as_kept if o}) == 2


def test_the_order_of_addresses_is_no_part_of_shapes_without_sessions() -> None:
    """SONiC sorts addresses of ports as those of sessions, of which SRv6 has none: all spines are of one shape."""
    for sets, several in ((V6, True), (SRV6, False)):
        cluster = cluster_of("leaf-spine", *LARGER, *sets)
        found = SwitchShapes(cluster.views).list_signatures(cluster.switch_rows())
        assert (len({signature.shape for signature in found if signature}) > 2) == several


def test_shapes_that_disagree_are_rendered_switch_by_switch(monkeypatch: pytest.MonkeyPatch) -> None:
    """A NOS that decides by what skeletons take for mere text is found out by the check, and nothing wrong is built."""
    cluster = cluster_of("leaf-spine", *LARGER)
    plain = dict(render_configs(cluster))
    values = sonic.values

    def odd(switch: SwitchView, catalog: Catalog) -> dict[str, Any]:
        return {**values(switch, catalog), "hostname": switch.name[: 10 + len(switch.name) % 3]}

    monkeypatch.setattr(sonic, "values", odd)
    built = dict(render_configs(cluster))
    assert built != plain
    for row in cluster.switch_rows():
        hostname = cluster.names[row][: 10 + len(cluster.names[row]) % 3]
        assert f'"hostname": "{hostname}"'.encode() in built[f"configs/{cluster.names[row]}/config_db.json"]


@pytest.mark.tenth
@pytest.mark.parametrize("text", ["call 4195551234", "AS 4190000002", "Qz0000001zQ", "Qs000sQ"])
def test_text_of_the_user_is_never_taken_for_a_placeholder(text: str) -> None:
    cluster = cluster_of("leaf-spine", *LARGER, *UNNUMBERED, f"snippets.a={{nos: sonic, at: bgp, text: {text}}}")
    built = dict(render_configs(cluster))
    for name in (cluster.names[row] for row in cluster.switch_rows()):
        assert f"\n{text}\n".encode() in built[f"configs/{name}/frr.conf"]


def test_families_that_are_mixed_when_sorted_take_no_skeleton() -> None:
    """Each port has its IPv4 address before that of IPv6, but leaves have 21.0.0.1 after the 2000:: of another port."""
    pools = "{hosts: [10.128.0.0/9, '2000::/48'], fabric: [21.0.0.0/16, '3000::/48']}"
    cluster = cluster_of("leaf-spine", *LARGER, *DUAL, f"pools={pools}")
    signatures = SwitchShapes(cluster.views).list_signatures(cluster.switch_rows())
    assert {view.tier.name for view, found in zip(cluster.switches(), signatures, strict=True) if not found} == {"leaf"}


@pytest.mark.parametrize("name", ["x" * 75, 'a"b', "a\nb", "ä"])
def test_names_that_could_be_cut_or_escaped_take_no_skeleton(name: str) -> None:
    """No blueprint can have such names; should one come to, each switch is rendered by itself."""
    cluster = cluster_of("leaf-spine", *LARGER)
    assert SwitchShapes(cluster.views).plain
    assert not SwitchShapes(replace(cluster, names=(name, *cluster.names[1:])).views).plain


def test_a_text_is_split_at_its_placeholders() -> None:
    text = parse_template("a Qz0000001zQ/31 b Qz0000000:zQ Qs000sQ\n4190000001.", 2)
    assert text.fill(["fd00::1", "10.0.0.1", "table"]) == "a 10.0.0.1/31 b fd00::1 table\n10.0.0.1."
    assert parse_template("none", 0).fill([]) == "none"
