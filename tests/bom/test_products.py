"""Parts that can be ordered: which product serves two ends and a run, checked by hand against the vendors' pages."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fabricgen.blueprint.load import load_blueprint
from fabricgen.bom.cables import CableParts, describe_cable, describe_fibre
from fabricgen.bom.sets import format_set
from fabricgen.catalog.cable_models import Modules
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import CableProfile
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.build import build_design
from fabricgen.design.media.policy import CablePolicy
from fabricgen.kernel.diagnostics import InputError
from fabricgen.lint.rules.plan.ordering.fg629_part_not_listed import PartNotListed
from fabricgen.wiring.cabling.end_kinds import EndKind, explain_mismatch
from fabricgen.wiring.cabling.media import MediaFit
from fabricgen.wiring.cabling.plugs import number_cages
from fabricgen.wiring.cabling.shelf import CableOrder, Shelf
from fabricgen.wiring.tables import MediumOffer
from tests.conftest import BLUEPRINTS, EXAMPLES, example_cluster

CATALOG = Catalog()
MEDIA = {cable.id: cable for cable in CATALOG.cables}
LINKX = Shelf((CATALOG.products("nvidia-linkx"), CATALOG.products("generic")))
ARISTA = Shelf((CATALOG.products("arista"), CATALOG.products("nvidia-linkx")))


def make_end(form_factor: str, gbps: int, top: str = "", *, lane: float = 100, protocol: str = "ethernet") -> EndKind:
    return EndKind(form_factor, gbps, lane, False, top, protocol)


SWITCH, DGX, CARD = make_end("OSFP", 800, "finned"), make_end("OSFP", 800, "flat"), make_end("OSFP", 400, "flat")
DPU, DPU_200 = make_end("QSFP112", 400, "flat"), make_end("QSFP112", 200, "flat")
IB_SWITCH, IB_DGX = (make_end("OSFP", 800, top, protocol="infiniband") for top in ("finned", "flat"))
COPPER = make_end("RJ45", 1, lane=1)
LEAF_100G, SPINE_200G = make_end("QSFP28", 100, lane=25), make_end("QSFP-DD", 200, lane=25)
SPLIT_200G = "2x MFP7E20-N005"
HDR_CAGE = make_end("OSFP", 400, "finned", lane=50, protocol="infiniband")

CABLES = [
    # medium, common end, far end, far ends, lanes, run m -> part; each read off the pages that the list cites
    ("sr8-100g", SWITCH, DGX, 1, 4, 9.1, "MFP7E10-N010"),
    ("sr8-100g", SWITCH, CARD, 1, 4, 31, "MFP7E10-N050"),
    ("sr8-100g", SWITCH, SWITCH, 1, 8, 18, "2x MFP7E10-N020"),
    ("sr8-100g", SWITCH, DPU, 2, 8, 4.2, "2x MFP7E10-N005"),
    ("sr8-100g", SWITCH, DPU_200, 4, 8, 4.2, SPLIT_200G),
    ("sr8-100g", SWITCH, CARD, 1, 4, 51, None),
    ("dr8-100m", SWITCH, CARD, 1, 4, 60, "MFP7E30-N100"),
    ("dr8-500m", SWITCH, SWITCH, 1, 8, 120, "2x MFP7E30-N150"),
    ("dr8-500m", SWITCH, SWITCH, 1, 8, 151, None),
    ("dr8-100m", SWITCH, DPU_200, 4, 8, 12, "2x MFP7E40-N015"),
    ("dac-100g", SWITCH, SWITCH, 1, 8, 0.7, "MCP4Y10-N001"),
    ("dac-100g", SWITCH, SWITCH, 1, 8, 1.4, "MCP4Y10-N01A"),
    ("dac-100g", SWITCH, SWITCH, 1, 8, 2.5, None),
    ("dac-100g", make_end("OSFP", 800, "flat"), DGX, 1, 8, 0.4, "MCP4Y10-N00A-FLT"),
    ("dac-100g", SWITCH, CARD, 2, 8, 2.2, "MCP7Y00-N02A"),
    ("dac-100g", SWITCH, DPU, 2, 8, 3, "MCP7Y10-N003"),
    ("dac-100g", SWITCH, DPU_200, 4, 8, 1, "MCP7Y40-N001"),
    ("lacc-100g", IB_SWITCH, IB_SWITCH, 1, 8, 3.6, "MCA4J80-N004"),
    ("lacc-100g", IB_DGX, IB_SWITCH, 1, 8, 2.8, "MCA4J80-N003-FTF"),
    ("lacc-100g", IB_SWITCH, IB_DGX, 1, 8, 2.8, "MCA4J80-N003-FTF"),
    ("lacc-100g", SWITCH, SWITCH, 1, 8, 3.6, None),  # its straight cables speak InfiniBand only
    ("lacc-100g", SWITCH, DPU, 2, 8, 4.5, "MCA7J65-N005"),
    ("aoc-25g", make_end("QSFP28", 100, lane=25), LEAF_100G, 1, 4, 28, "MFA1A00-C030"),
    ("aoc-25g", make_end("QSFP-DD", 100, lane=25), LEAF_100G, 1, 4, 12, "MFA1A00-C015"),  # QSFP28 goes into QSFP-DD
    ("aoc-25g", make_end("QSFP28", 200, lane=25), LEAF_100G, 2, 8, 12, None),  # QSFP-DD does not go into QSFP28
    ("aoc-25g", SPINE_200G, LEAF_100G, 2, 8, 12, "aoc-25g-qsfp-dd-qsfp28-200g-1x2-15m"),
    (
        "aoc-50g",
        make_end("QSFP56", 200, lane=50),
        make_end("QSFP112", 200, lane=50),
        1,
        4,
        9,
        "MFS1S00-H010V",
    ),  # LinkX overview
    ("aoc-ndr-hdr", HDR_CAGE, make_end("QSFP56", 200, lane=50), 2, 8, 9, "MFA7U10-H010"),
    ("aoc-ndr-hdr", HDR_CAGE, make_end("QSFP56", 200, lane=50), 2, 8, 31, None),
    ("dac-50g", HDR_CAGE, make_end("QSFP56", 200, lane=50), 2, 8, 1.8, "MCP7Y60-H002"),
    ("cat6a", COPPER, COPPER, 1, 1, 6.2, "cat6a-7m"),
    ("aec-100g", SWITCH, SWITCH, 1, 8, 5, None),  # NVIDIA sells no retimed copper
    ("lr4", make_end("OSFP", 800, "finned"), SWITCH, 1, 8, 40, "2x fibre-smf-os2-lc-duplex-40m"),
]


@pytest.mark.parametrize(("medium", "hub", "far", "far_ends", "lanes", "run_m", "expected"), CABLES)
def test_the_cable_of_two_ends_and_a_run(
    medium: str, hub: EndKind, far: EndKind, far_ends: int, lanes: int, run_m: float, expected: str | None
) -> None:
    piece = LINKX.find_piece(CableOrder(MEDIA[medium], hub, far, far_ends, lanes, hub.lane_gbps), run_m)
    assert (format_set(piece[0].part_number(piece[1]), "", piece[2])[0] if piece else None) == expected


TRANSCEIVERS = [
    ("sr8-100g", SWITCH, "MMA4Z00-NS"),
    ("sr8-100g", DGX, "MMA4Z00-NS-FLT"),
    ("sr8-100g", CARD, "MMA4Z00-NS400"),
    ("sr8-100g", DPU, "MMA1Z00-NS400"),
    ("sr8-100g", DPU_200, "MMA1Z00-NS400"),  # two of its four channels, behind a splitter
    ("dr8-100m", SWITCH, "MMS4X00-NS"),
    ("dr8-500m", SWITCH, "MMS4X00-NM"),
    ("dr8-500m", DGX, "MMS4X00-NM-FLT"),
    ("dr8-100m", CARD, "MMS4X00-NS400"),
    ("dr8-100m", DPU, "MMS1X00-NS400"),
    ("2fr4", SWITCH, "MMS4X50-NM"),
    ("sr4-25g", LEAF_100G, "MMA1B00-C100D"),
    ("sr-25g", make_end("SFP28", 25, lane=25), "MMA2P00-AS"),
    ("dr8-200g", make_end("OSFP", 1600, "finned", lane=200), None),  # XDR's speaks InfiniBand only
    ("dr8-200g", make_end("OSFP", 1600, "finned", lane=200, protocol="infiniband"), "980-9IAH1-00XM00"),
    ("sr8-100g", make_end("CFP2", 400), None),
    ("sr8-50g", make_end("QSFP56", 200, lane=50), "MMA1T00-VS"),
    ("sr8-50g", make_end("QSFP112", 200, lane=50), "MMA1T00-VS"),
    ("sr8-50g", make_end("QSFP56", 200, lane=50, protocol="infiniband"), "MMA1T00-HS"),
    ("dr1-25g", LEAF_100G, "MMS1V70-CM"),
    ("dr4-50g", make_end("QSFP-DD", 400, lane=50), "MMS1V00-WM"),
]


@pytest.mark.parametrize(("medium", "plug", "expected"), TRANSCEIVERS)
def test_the_transceiver_of_a_cage(medium: str, plug: EndKind, expected: str | None) -> None:
    product = LINKX.find_transceiver(MEDIA[medium], plug)
    assert (product.part if product else None) == expected


@pytest.mark.parametrize(
    ("medium", "plug", "watts"),
    [
        ("sr8-100g", DPU, 9),
        ("sr8-100g", DPU_200, 5),
        ("dr8-100m", CARD, 9),
        ("dr8-100m", replace(CARD, gbps=200), 5),
        ("sr8-100g", replace(CARD, gbps=200), 6.5),
        ("sr8-100g", SWITCH, 17),
    ],
)
def test_half_of_the_channels_draw_less(medium: str, plug: EndKind, watts: float) -> None:
    """At 200G a module of four channels runs two: 5 W of 9 W (MMA1Z00-NS400-T and MMS4X00-NS400, Overview)."""
    assert replace(plug, shelf=LINKX).transceiver_w(MEDIA[medium]) == watts


def test_the_nearest_part_fits_the_cage_and_the_polish(tmp_path: Path) -> None:
    """MPO-12 of UPC: no fibre of APC is near it, nor a single-mode module to a multimode one."""
    file = tmp_path / "b.yaml"
    file.write_text(
        """
fabricgen: 1
name: near
scalable_unit: {nodes: 4 x dgx-a100, racks: {nodes_per_rack: 2}}
pods: {p1: {su: 1}}
cabling: {products: [nvidia-linkx]}
fabrics:
  compute: {protocol: roce, media: [SR], tiers: {leaf: {switch: sn4700, per: su}}}
"""
    )
    cluster = build_cluster(build_design(load_blueprint(str(file))))
    hints = {d.message: d.hint for d in PartNotListed().check(cluster)}
    assert [message.partition("no product list has ")[2] for message in hints] == [
        "1:2 fibre MMF-OM4, MPO-16/APC, for sr8-50g",
        "a transceiver sr8-50g for QSFP-DD of 400G",
    ]
    assert set(hints.values()) == {"add a list to `cabling.products`, or state other media"}


def test_the_first_list_that_has_a_part_is_taken() -> None:
    plugs = [(SWITCH, "OSFP-800G-2VSR4"), (DGX, "MMA4Z00-NS-FLT"), (IB_SWITCH, "MMA4Z00-NS")]
    for plug, expected in plugs:
        product = ARISTA.find_transceiver(MEDIA["sr8-100g"], plug)
        assert product is not None
        assert product.part == expected


BY_VENDOR = Shelf(
    (*ARISTA.lists, *LINKX.lists[1:]),
    {"arista": ARISTA.lists[:1], "nvidia": LINKX.lists[:1], "others": LINKX.lists},
)


def set_vendor(cage: EndKind, maker: str) -> EndKind:
    return replace(cage, vendor=BY_VENDOR.find_vendor_key(maker))


@pytest.mark.parametrize(
    ("cage", "maker", "expected"),
    [
        (SWITCH, "Arista", "OSFP-800G-2VSR4"),
        (SWITCH, "NVIDIA", "MMA4Z00-NS"),
        (SWITCH, "Micas", "MMA4Z00-NS"),
        (DGX, "Arista", None),  # its list has finned ones only, and no other list is asked
        (DGX, "NVIDIA", "MMA4Z00-NS-FLT"),
    ],
)
def test_cages_have_the_transceivers_of_their_vendors_lists(cage: EndKind, maker: str, expected: str | None) -> None:
    product = BY_VENDOR.find_transceiver(MEDIA["sr8-100g"], set_vendor(cage, maker))
    assert (product.part if product else None) == expected


@pytest.mark.parametrize(
    ("ends", "run_m", "expected"),
    [
        (("NVIDIA", "Arista"), 0.9, "C-O800-O800-1M"),  # the vendor that the map names first
        (("Arista", "NVIDIA"), 1.2, "C-O800-O800-2M"),
        (("NVIDIA", "NVIDIA"), 1.2, "MCP4Y10-N01A"),
        (("Micas", "Arista"), 0.9, "C-O800-O800-1M"),
        (("Arista", "Arista"), 2.5, None),
    ],
)
def test_copper_between_vendors_is_of_the_first_of_them(ends: tuple[str, str], run_m: float, expected: str) -> None:
    hub, far = (set_vendor(SWITCH, maker) for maker in ends)
    piece = BY_VENDOR.find_piece(CableOrder(MEDIA["dac-100g"], hub, far, 1, 8, 100), run_m)
    assert (piece[0].part_number(piece[1]) if piece else None) == expected


def test_a_map_of_lists_is_resolved_for_every_cage_of_a_cluster() -> None:
    """Of superpod-b300: 7060X6-64PE with Arista's optics, nodes and SN2201 with those of the other lists."""
    cluster = example_cluster(
        "superpod-b300", "pods.p1.su=1", "cabling.products={arista: arista, others: nvidia-linkx}"
    )
    parts, plan = CableParts(cluster), cluster.plan
    class_of_device = plan.devices.device_class
    optics_by_vendor: dict[str, set[str]] = {}
    for device, optics in zip((plan.links.a_device, plan.links.b_device), parts.list_transceivers(), strict=True):
        for row, link in enumerate(plan.cables.end_link.tolist()):
            profile = plan.devices.classes[class_of_device[device[link]]].profile
            optics_by_vendor.setdefault(profile.vendor, set()).add(optics[row])
    assert optics_by_vendor["Arista"] - {""} == {"OSFP-800G-2VSR4"}
    assert "MMA4Z00-NS-FLT" in optics_by_vendor["NVIDIA"]
    assert not optics_by_vendor["NVIDIA"] & {"OSFP-800G-2VSR4"}


def test_a_vendor_of_no_device_is_refused_where_it_is_named() -> None:
    with pytest.raises(InputError, match="did you mean 'arista'") as caught:
        example_cluster("superpod-b300", "cabling.products={arsita: arista}")
    assert caught.value.diagnostics[0].path == ("cabling", "products", "arsita")


@pytest.mark.parametrize(
    ("near", "far", "lane", "legal"),
    [
        ("dr8-200g", "dr4-200g", 200, True),
        ("dr8-500m", "dr8-100m", 100, True),
        ("sr8-100g", "dr8-100m", 100, False),
        ("2fr4", "dr8-500m", 100, False),
        ("2fr4", "lr4", 100, True),
        ("dr8-500m", "dr8-200g", 100, False),
        ("dac-100g", "sr8-100g", 100, False),
        ("sr8-50g", "sr8-100g", 50, False),
    ],
)
def test_which_light_meets_which(near: str, far: str, lane: float, legal: bool) -> None:
    plug = make_end("OSFP", 800, lane=lane)
    assert (explain_mismatch(plug, MEDIA[near], plug, MEDIA[far]) == "") is legal
    assert (explain_mismatch(plug, MEDIA[far], plug, MEDIA[near]) == "") is legal


def test_ends_that_a_medium_must_not_join_are_told_apart() -> None:
    dac, sr = MEDIA["dac-100g"], MEDIA["sr8-100g"]
    assert "takes fibres" in explain_mismatch(SWITCH, dac, EndKind("OSFP", 800, 100, takes_fibre=True))
    assert "does not go into CPO" in explain_mismatch(SWITCH, dac, make_end("CPO", 800))
    assert "lanes of 50G" in explain_mismatch(make_end("OSFP", 400, lane=50), sr, SWITCH)
    assert explain_mismatch(make_end("CPO", 800, lane=200), MEDIA["dr8-200g"], make_end("OSFP", 800, lane=200)) == ""


def test_nothing_is_ordered_for_cages_that_light_leaves(tmp_path: Path) -> None:
    """Co-packaged optics are in the switch, and an optical circuit switch passes light on."""
    (tmp_path / "photonics.yaml").write_text(CPO)
    photonics = build_cluster(build_design(load_blueprint(str(tmp_path / "photonics.yaml"))))
    optics = {pair for pair in zip(*CableParts(photonics).list_transceivers(), strict=True) if pair != ("", "")}
    assert optics == {("980-9IAT0-00XM00", "")}
    circuits = zip(*CableParts(example_cluster("tpu-torus")).list_transceivers(), strict=True)
    assert ("bidi-50g-osfp-400g", "") in set(circuits)


CPO = """
name: photonics
scalable_unit: {nodes: 8 x dgx-b300-xdr}
cabling: {products: [nvidia-linkx]}
fabrics: {compute: {protocol: infiniband, tiers: {leaf: {switch: q3450-ld}}}}
"""


def read_fibres(cable: CableProfile) -> tuple[int, str]:
    return cable.fibres, cable.polarity


def test_fibres_and_polarity_follow_from_the_connector() -> None:
    assert read_fibres(MEDIA["sr8-100g"]) == read_fibres(MEDIA["dr8-500m"]) == (8, "type B")
    assert read_fibres(MEDIA["sr8-50g"]) == (16, "type B")
    assert read_fibres(MEDIA["2fr4"]) == (2, "A-B")
    assert read_fibres(MEDIA["dac-100g"]) == (0, "")


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_cable_of_an_example_has_legal_ends_and_a_part(name: str) -> None:
    cluster = example_cluster(name)
    parts, table = CableParts(cluster), cluster.plan.cables
    names, descriptions = parts.parts
    assert len(names) == len(table)
    assert all(names)
    assert all(descriptions)
    kinds, a, b = parts.kinds
    medium = table.medium[table.end_cable]
    for low, high, chosen in set(zip(a.tolist(), b.tolist(), medium.tolist(), strict=True)):
        profile = table.media[chosen]
        assert explain_mismatch(kinds[low], profile, kinds[high]) == ""
        for kind in (kinds[low], kinds[high]):
            assert bool(kind.find_transceiver_part(profile)) is not (profile.attached or kind.takes_fibre)


def test_a_superpod_orders_what_its_reference_architecture_lists() -> None:
    """Of 127 systems: 2,040 NDR cables, 1,536 switch and 508 system transceivers, and 4 at the UFM systems.

    DGX SuperPOD H100 reference architecture, bill of cables, compute InfiniBand: 980-9I570, 980-9I510-00NS00,
    980-9I51A-00NS00 and 980-9I51S-00NS00. UFM's four cables are listed apart.
    """
    cluster = example_cluster("superpod-b200")
    parts, plan = CableParts(cluster), cluster.plan
    compute = {i for i, segment in enumerate(plan.links.segments) if segment.fabric == "compute"}
    rows = [i for i, link in enumerate(plan.cables.end_link.tolist()) if plan.links.segment[link] in compute]
    names = [parts.parts[0][plan.cables.end_cable[row]] for row in rows]
    assert (len(names), {name.rpartition("-")[0] for name in names}) == (2040 + 4, {"MFP7E10"})
    plugged = {
        (device[link], cages[link], optics[row])
        for device, cages, optics in (
            (plan.links.a_device, cluster.cages[0], parts.list_transceivers()[0]),
            (plan.links.b_device, cluster.cages[1], parts.list_transceivers()[1]),
        )
        for row, link in ((row, plan.cables.end_link[row]) for row in rows)
    }
    counts = Counter(part for _, _, part in plugged)
    assert counts == {"MMA4Z00-NS": 1536, "MMA4Z00-NS-FLT": 508, "MMA4Z00-NS400": 4}


@pytest.mark.parametrize("name", ["superpod-b200", "superpod-b300", "nvl72-gb200"])
def test_lengths_that_are_planned_are_those_that_are_sold(name: str) -> None:
    cluster = example_cluster(name)
    distinct, code = CableParts(cluster).made
    assert all(cable.listed for cable in distinct)
    table = cluster.plan.cables
    assert [distinct[c].length_m for c in code.tolist()] == table.length_m.tolist()
    assert (table.length_m >= table.run_m - 1e-9).all()


def test_without_lists_parts_are_named_by_what_they_are() -> None:
    cluster = build_cluster(
        build_design(load_blueprint(str(BLUEPRINTS / "superpod-b300.yaml"), ("cabling.products=[]", "pods.p1.su=1")))
    )
    parts = CableParts(cluster)
    stems = {name.rsplit("-", 1)[0] for name in parts.parts[0]}
    assert "2x fibre-mmf-om4-mpo-12-apc" in stems
    assert ("sr8-100g-osfp-800g", "sr8-100g-osfp-800g") in set(zip(*parts.list_transceivers(), strict=True))


def test_generic_fibres_of_two_connectors_are_two_articles() -> None:
    """As the lists have them: straight ones, or splitters; what no whole number of either makes is one assembly."""
    two, four, three = (describe_fibre(MEDIA["sr8-100g"], far_ends, 8, 10) for far_ends in (2, 4, 3))
    assert two == (
        "2x fibre-mmf-om4-mpo-12-apc-10m",
        "2 pieces, each: Fibre MMF-OM4, MPO-12/APC to MPO-12/APC, type B, 10 m",
    )
    assert four[0] == "2x fibre-mmf-om4-mpo-12-apc-1x2-10m"
    assert four[1].endswith("MPO-12/APC to 2x MPO-12/APC, type B, 10 m")
    assert three[0] == "fibre-mmf-om4-2x-mpo-12-apc-1x3-10m"
    texts = [
        describe_fibre(MEDIA["sr8-50g"], far_ends, lanes, 10) for far_ends, lanes in ((1, 8), (4, 8), (8, 8), (1, 4))
    ]
    assert [(part, text.split(", ", 1)[1]) for part, text in texts] == [
        ("fibre-mmf-om4-mpo-16-apc-10m", "MPO-16/APC to MPO-16/APC, type B, 10 m"),
        ("fibre-mmf-om4-mpo-16-apc-1x4-10m", "MPO-16/APC to 4x MPO-12, type B, 10 m"),
        ("fibre-mmf-om4-mpo-16-apc-1x8-10m", "MPO-16/APC to 8x LC duplex, type B, 10 m"),
        ("fibre-mmf-om4-mpo-12-10m", "MPO-12 to MPO-12, type B, 10 m"),
    ]


def test_generic_names_tell_breakouts_from_straight_cables() -> None:
    straight = describe_cable(MEDIA["dac-100g"], SWITCH, SWITCH, 1, 8, 1.5)
    split = describe_cable(MEDIA["dac-100g"], DPU, SWITCH, 2, 8, 3)
    assert straight[0] == "dac-100g-osfp-800g-1.5m"
    assert split == (
        "dac-100g-osfp-qsfp112-800g-1x2-3m",
        "Passive copper, 100G lanes, 800G OSFP to QSFP112, breakout to 2, 3 m",
    )


OWN = """
kind: products
id: ours
name: our frame contract
vendor: ACME
source: frame contract of 2026
tag: V
products:
  - {{part: "ACME-SR-{{m}}", kind: fibre, name: OM4 trunk cord, media: [{medium}], lengths_m: [{lengths}],
     source: frame contract of 2026}}
"""


def build_with_own_list(folder: Path, medium: str, lengths: str) -> Cluster:
    """A small cluster that orders from a list beside its blueprint."""
    (folder / "catalog" / "products").mkdir(parents=True)
    (folder / "catalog" / "products" / "ours.yaml").write_text(OWN.format(medium=medium, lengths=lengths))
    blueprint = folder / "small.yaml"
    blueprint.write_text(
        "name: small\nscalable_unit: {nodes: 16 x dgx-b200}\ncabling: {products: [ours, nvidia-linkx]}\n"
        "fabrics: {compute: {protocol: infiniband, tiers: {leaf: {switch: qm9700, per: [su, rail]}}}}\n"
    )
    return build_cluster(build_design(load_blueprint(str(blueprint))))


def test_a_list_beside_the_blueprint_comes_first(tmp_path: Path) -> None:
    cluster = build_with_own_list(tmp_path, "sr8-100g", "4, 12, 33")
    names = set(CableParts(cluster).parts[0])
    assert names <= {"ACME-SR-4", "ACME-SR-12", "ACME-SR-33"}
    assert set(cluster.plan.cables.length_m.tolist()) <= {4, 12, 33}


def test_what_the_first_list_has_not_long_enough_comes_from_the_next(tmp_path: Path) -> None:
    names = set(CableParts(build_with_own_list(tmp_path, "sr8-100g", "0.5, 7")).parts[0])
    assert names > {"ACME-SR-7"}
    assert all(name.startswith("MFP7E10-N") for name in names - {"ACME-SR-7", "ACME-SR-0.5"})


OPTICS_OF_TWO_KINDS = """
kind: products
id: ours
name: our frame contract
vendor: ACME
source: frame contract of 2026
tag: V
products:
  - {part: EITHER, kind: transceiver, name: for nodes and switches, media: [sr8-100g, dr8-100m], form_factor: OSFP,
     gbps: [800], protocols: [infiniband], source: frame contract of 2026}
  - {part: SINGLE, kind: transceiver, name: for the appliance, media: [dr8-100m], form_factor: OSFP,
     gbps: [400], protocols: [infiniband], source: frame contract of 2026}
"""


def test_a_cage_that_serves_two_kinds_of_device_has_one_transceiver(tmp_path: Path) -> None:
    """The third node of a leaf shares a twin-port cage with the appliance, for which SR is not sold."""
    (tmp_path / "catalog" / "products").mkdir(parents=True)
    (tmp_path / "catalog" / "products" / "ours.yaml").write_text(OPTICS_OF_TWO_KINDS)
    blueprint = tmp_path / "small.yaml"
    blueprint.write_text(
        "name: small\nscalable_unit: {nodes: 3 x dgx-b200}\ncabling: {products: [ours]}\n"
        "fabrics: {compute: {protocol: infiniband, tiers: {leaf: {switch: qm9700, per: [su, rail]},"
        " spine: {switch: qm9700}}, extra: {ufm: {device: ufm, ports: 1, to: leaf}}}}\n"
    )
    plan = build_cluster(build_design(load_blueprint(str(blueprint)))).plan
    cages, media = number_cages(plan).b.tolist(), plan.cables.medium[plan.cables.end_cable].tolist()
    of_appliance = [segment.path[-1] == "ufm" for segment in plan.links.segments]
    (shared,) = (cages[row] for row, link in enumerate(plan.cables.end_link) if of_appliance[plan.links.segment[link]])
    in_cage = [plan.cables.media[medium].id for cage, medium in zip(cages, media, strict=True) if cage == shared]
    assert in_cage == ["dr8-100m", "dr8-100m"]


def test_what_is_sold_comes_before_what_is_preferred() -> None:
    media = (MEDIA["sr8-100g"], MEDIA["dr8-100m"])
    segment = example_cluster("superpod-b200").plan.links.segments[0]
    preferring = segment._replace(policy=CablePolicy(prefer=("DR", "FR", "LR", "ZR", "AOC")))
    listed = preferring._replace(offered=(MediumOffer("sr8-100g", 50),))
    ranks = MediaFit.evaluate_media((preferring, listed), media).rank
    assert np.argmin(ranks, axis=1).tolist() == [1, 0]


def test_a_module_with_a_gearbox_that_nobody_sells_is_unsold() -> None:
    sold, light = MEDIA["dr4-50g"], MEDIA["dr8-100m"]
    unsold = sold.model_copy(update={"modules": (Modules(cage="QSFP-DD", unsold=(400,)),)})
    for module in (sold, unsold):
        end = EndKind("QSFP-DD", 400, 50, light_gbps=100, speed_gbps=400, geared=(module,))
        assert end.find_transceiver_part(light) == "dr4-50g-qsfp-dd-400g"
        assert end.is_unsold(light) is (module is unsold)


def test_a_list_of_an_unknown_medium_is_refused_where_it_names_it(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        build_with_own_list(tmp_path, "sr8-100", "4")
    fault = caught.value.diagnostics[0]
    assert fault.code == "FG072"
    assert fault.span is not None
    assert (fault.span.line, "sr8-100g" in fault.hint) == (9, True)


@pytest.mark.parametrize("lengths", ["12, 4", "4, 4", "-1", "0", "100001", "4, nine"])
def test_lengths_that_cannot_be_are_refused(tmp_path: Path, lengths: str) -> None:
    with pytest.raises(InputError) as caught:
        build_with_own_list(tmp_path, "sr8-100g", lengths)
    assert caught.value.diagnostics[0].code == "FG010"


def test_a_list_that_is_not_there_is_refused() -> None:
    with pytest.raises(InputError, match="did you mean 'nvidia-linkx'"):
        example_cluster("superpod-b200", "cabling.products=nvidia-linx")
