"""Another dimension of `per` is one entry of the table: names, groups, wiring, numbers and messages follow from it."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator

import pytest

from fabricgen.blueprint import dimensions
from fabricgen.blueprint.dimensions import DIMENSIONS, Dimension
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import InputError
from fabricgen.lint.rules.design.topology.fg315_fabric_in_islands import FabricInIslands
from tests.conftest import built_files
from tests.properties.case import Case
from tests.properties.laws import LAWS

STOREY = Dimension("storey", "st", 2, noun="floor", units=lambda _: 2)
CAGE_ROW = Dimension("cage-row", "cr", 2, racks=lambda _: 2, stand="unit-end")
NIC_HALF = Dimension("nic-half", "h", leg=lambda leg: (leg.rail + 3) // 4)

BY_NAME = {
    "nodes_meet_switches_of_their_coordinates",
    "tiers_meet_as_their_grouping_says",
    "a_fabric_is_as_connected_as_its_design",
}
"""Laws that name the dimensions there are; here names of devices tell instead who is to meet whom."""

UNITS = ("p1-su01", "p1-su02", "p1-su03", "p2-su01", "p2-su02")

BLUEPRINT = """
name: hall
scalable_unit: {{nodes: 8 x xe9680-h200, racks: {{nodes_per_rack: 2}}}}
pods: {{p1: {{su: 3, reserve: 6}}, p2: {{su: 2}}}}
fabrics:
  compute:
    protocol: roce
    tiers: {{leaf: {{switch: z9864f, per: [{leaf}]}}, spine: {{switch: z9864f, per: [{spine}]}}}}
  oob:
    protocol: ethernet
    attach: bmc
    also: switches
    tiers: {{leaf: {{switch: sn2201, per: [{oob}]}}}}
"""


DERIVED = (
    dimensions.list_dimension_names,
    dimensions.find_dimension,
    dimensions.list_scopes,
    dimensions.list_leg_dimensions,
)
"""What the table tells is computed once."""


@pytest.fixture(autouse=True)
def _three_more() -> Iterator[None]:
    site, pod, su, *rest = DIMENSIONS
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dimensions, "DIMENSIONS", (site, pod, STOREY, su, CAGE_ROW, *rest, NIC_HALF))
        for told in DERIVED:
            told.cache_clear()
        yield
    for told in DERIVED:
        told.cache_clear()


@pytest.fixture
def cluster_of(design_of: Callable[..., Design]) -> Callable[..., Cluster]:
    """Compile the blueprint with some `per` of its tiers."""

    def make(leaf: str, spine: str = "", oob: str = "su") -> Cluster:
        return build_cluster(design_of(BLUEPRINT.format(leaf=leaf, spine=spine, oob=oob)))

    return make


def rows_of(cluster: Cluster, part: str) -> list[dict[str, str]]:
    """The rows of a listing that are of `compute`."""
    rows = csv.DictReader(io.StringIO(built_files(cluster, part)[f"{part}.csv"].decode()))
    return [row for row in rows if row["fabric"] == "compute"]


def place_of(name: str, rail: str) -> dict[str, int]:
    """What a name says of where a device is, and what follows from that: `p1-su03-n005` is in storey 2, cage row 2."""
    found = {key: int(value) for key, value in re.findall(r"-?\b(p|st|su|cr|rk|r|h|n)(\d+)", name)}
    if "n" in found:
        found["rk"] = (found.pop("n") + 1) // 2
        found |= {"r": int(rail), "h": (int(rail) + 3) // 4}
    if "su" in found:
        found["st"] = (found["su"] + 1) // 2
    if "rk" in found:
        found["cr"] = (found["rk"] + 1) // 2
    return found


def agree(lower: dict[str, int], upper: dict[str, int]) -> bool:
    """Whether two places are the same in all that both know."""
    return all(lower[key] == upper[key] for key in lower.keys() & upper.keys())


@pytest.mark.tenth
@pytest.mark.parametrize(
    ("leaf", "spine", "oob"),
    [
        ("storey, rail", "", "su"),
        ("storey, rail", "pod", "storey"),
        ("storey", "storey", "pod"),
        ("su, rail", "storey", "rack"),
        ("rack", "storey", "cage-row"),
        ("cage-row", "storey", "storey"),
        ("cage-row, rail", "su", "cage-row"),
        ("rack", "cage-row", "su"),
        ("su, nic-half", "", "su"),
        ("cage-row, nic-half", "pod, nic-half", "rack"),
        ("nic-half", "nic-half", "storey"),
    ],
)
def test_whatever_is_grouped_by_it_is_wired_as_the_laws_say(
    cluster_of: Callable[..., Cluster], leaf: str, spine: str, oob: str
) -> None:
    cluster = cluster_of(leaf, spine, oob)
    for law in LAWS:
        if law.__name__ not in BY_NAME:
            law(Case(cluster))
    spines = {row["device"] for row in rows_of(cluster, "devices") if row["tier"] == "spine"}
    met: dict[str, set[str]] = {}
    for row in rows_of(cluster, "links"):
        assert agree(place_of(row["a_device"], row["rail"]), place_of(row["b_device"], row["rail"]))
        if row["b_device"] in spines:
            met.setdefault(row["a_device"], set()).add(row["b_device"])
    for name, above in met.items():
        assert above == {spine for spine in spines if agree(place_of(name, ""), place_of(spine, ""))}


@pytest.mark.parametrize(
    ("leaf", "names"),
    [
        ("storey", ["p1-st01", "p1-st02", "p2-st01"]),
        (
            "cage-row",
            [f"{unit}-cr0{n}" for unit in UNITS for n in (1, 2)],
        ),
        ("nic-half", ["h1", "h2"]),
    ],
)
def test_names_have_its_short_form_and_number(cluster_of: Callable[..., Cluster], leaf: str, names: list[str]) -> None:
    found = [row["device"] for row in rows_of(cluster_of(leaf), "devices") if row["tier"] == "leaf"]
    assert [name for name in found if name.endswith("-01")] == [f"compute-leaf-{name}-01" for name in names]


def test_it_is_a_field_of_templates_of_names(design_of: Callable[..., Design]) -> None:
    template = "names: {switches: {leaf: '{fabric}-{pod}-{storey}-{su}-{rail}-{n}'}}\n"
    text = BLUEPRINT.format(leaf="su, rail", spine="", oob="su, rail")
    assert "compute-p1-2-3-1-1" in build_cluster(design_of(text + template)).names


def test_messages_call_it_by_its_name_and_noun(design_of: Callable[..., Design]) -> None:
    with pytest.raises(InputError, match="spine is per storey, but its leaf switches serve a pod"):
        design_of(BLUEPRINT.format(leaf="pod", spine="storey", oob="su"))
    with pytest.raises(InputError, match="cannot group by 'story'") as refused:
        design_of(BLUEPRINT.format(leaf="story", spine="", oob="su"))
    assert "storey" in refused.value.diagnostics[0].hint
    design = design_of(BLUEPRINT.format(leaf="storey", spine="storey", oob="pod"))
    assert "nothing joins the 3 floors of compute" in str(list(FabricInIslands().check(design)))


def test_growth_inside_the_reserve_moves_no_link(design_of: Callable[..., Design]) -> None:
    text = BLUEPRINT.format(leaf="storey, rail", spine="", oob="pod").replace(
        "spine: {switch: z9864f, per: []}", "spine: {switch: z9864f, count: 8, size_for: reserve}"
    )
    ends = ("a_device", "a_port", "b_device", "b_port")
    before, after = (
        {tuple(row[end] for end in ends) for row in rows_of(build_cluster(design_of(text, sets)), "links")}
        for sets in ([], ["pods.p1.su=6"])
    )
    assert before < after


def test_every_entry_is_of_one_kind_and_has_a_name_of_its_own() -> None:
    names = dimensions.list_dimension_names()
    assert len(set(names)) == len(names)
    for one in dimensions.DIMENSIONS:
        assert sum(given is not None for given in (one.leg, one.units, one.racks)) == (not one.is_named)
