"""Scale-across: sites stand apart, and only spans join them, with optics and latency by distance."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest

from fabricgen.cluster import Cluster
from fabricgen.design.inside.scale_across import compute_site_oversubscription, list_spans
from fabricgen.design.summary import summarize_design
from tests.conftest import example_cluster


@pytest.fixture(scope="module")
def cluster() -> Cluster:
    return example_cluster("two-site")


def test_only_spans_join_sites(cluster: Cluster) -> None:
    links, site = cluster.plan.links, cluster.plan.devices.site
    crossing = site[links.a_device] != site[links.b_device]
    joined = {links.segments[i].key for i in links.segment[crossing].tolist()}
    assert joined == {"border-border"}
    assert int(crossing.sum()) == 64


def test_every_border_switch_has_its_share_of_the_span_to_one_far_switch(cluster: Cluster) -> None:
    links = cluster.plan.links
    rows = [i for i, s in enumerate(links.segments) if s.km]
    pairs = Counter(
        (cluster.names[a], cluster.names[b])
        for a, b, s in zip(links.a_device.tolist(), links.b_device.tolist(), links.segment.tolist(), strict=True)
        if s in rows
    )
    assert pairs == {(f"across-border-east-{i:02d}", f"across-border-west-{i:02d}"): 16 for i in range(1, 5)}


def test_racks_of_a_site_hold_only_its_devices_and_have_their_own_floor(cluster: Cluster) -> None:
    devices, racks = cluster.plan.devices, cluster.plan.racks
    assert (racks.site[devices.rack] == devices.site).all()
    places = Counter(zip(racks.site.tolist(), racks.row.tolist(), racks.column.tolist(), strict=True))
    assert max(places.values()) == 1
    assert racks.row[racks.site == 1].max() < racks.row[racks.site == 0].max()


@pytest.mark.parametrize(
    ("km", "medium", "length_m"), [(0.4, "DR", 400), (1.5, "FR", 1500), (8, "LR", 8000), (40, "ZR", 40000)]
)
def test_the_optics_follow_the_distance(km: float, medium: str, length_m: float) -> None:
    cluster = example_cluster("two-site", f"fabrics.across.spans.haul.km={km}")
    cables, links = cluster.plan.cables, cluster.plan.links
    hauls = [i for i, s in enumerate(links.segments) if s.km]
    mine = {links.cable[row] for row in range(len(links)) if links.segment[row] in hauls}
    assert {cables.media[cables.medium[c]].medium for c in mine} == {medium}
    assert {cables.length_m[c] for c in mine} == {length_m}
    assert all(cables.reaches[c] for c in mine)


def test_figures_of_a_span_and_of_each_site_against_it(cluster: Cluster) -> None:
    across = cluster.design.fabric("across")
    [(_, figures)] = list_spans(cluster.design, across)
    assert (figures.links, figures.gbps, figures.latency_us) == (64, 25600, 196.0)
    nodes = {"east": 128, "west": 64}
    expected = {site: Fraction(count * 8 * 400, 64 * 400) for site, count in nodes.items()}
    assert compute_site_oversubscription(cluster.design, across) == expected
    assert summarize_design(cluster.design)["fabrics"]["across"]["spans"]["haul"]["latency_us"] == 196


def test_bgp_runs_over_the_span_between_different_as_numbers(cluster: Cluster) -> None:
    row = cluster.names.index("across-border-east-01")
    view = cluster.switch(row)
    peers = [port for port in view.ports if port.role == "peer"]
    assert len(peers) == 16
    assert {port.peer_asn for port in peers} == {
        int(cluster.addresses.asn[cluster.names.index("across-border-west-01")])
    }
    assert view.asn not in {port.peer_asn for port in view.ports}


def test_growth_of_one_site_moves_nothing_at_the_other(cluster: Cluster) -> None:
    grown = example_cluster("two-site", "pods.w1.su=3")
    before = dict(zip(cluster.names, cluster.plan.devices.u.tolist(), strict=True))
    after = dict(zip(grown.names, grown.plan.devices.u.tolist(), strict=True))
    east = {name: u for name, u in before.items() if "-east-" in name or name.startswith("e1-")}
    assert east.items() <= after.items()
