"""Bills of materials: every line is a sum over what needs it, however it is split, and says what that is."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from fabricgen.blueprint.load import load_blueprint
from fabricgen.blueprint.sections.spares import Spare, Spares
from fabricgen.bom import need as needs_module
from fabricgen.bom.bill import Bill, BillLine, find_policy, make_bill, split_sets
from fabricgen.bom.need import OrderedPart
from fabricgen.bom.ordered import list_order_lines
from fabricgen.bom.owners import GROUPINGS, NONE
from fabricgen.bom.sets import JOINT
from fabricgen.bom.totals import SPARES, sum_all, sum_totals
from fabricgen.bom.trace import trace_all_parts, trace_part
from fabricgen.cluster import build_cluster
from fabricgen.design.build import build_design
from fabricgen.export.drawings.rack_contents import FilledRacks
from fabricgen.export.files import bom as bom_part
from fabricgen.export.files import cables as cables_part
from fabricgen.export.files import devices as devices_part
from fabricgen.export.table import ExportContext
from tests.conftest import EXAMPLES, example_cluster

_KINDS = ("node", "switch", "transceiver", "cable")


@cache
def make_example_bill(name: str, *sets: str) -> Bill:
    return make_bill(example_cluster(name, *sets))


@pytest.mark.tenth
@pytest.mark.parametrize("name", EXAMPLES)
def test_sums_over_the_wiring_list_are_the_bill(name: str) -> None:
    """Every piece of every cable, distinct (device, cage) with a transceiver, and devices: as the lists have them."""
    columns = cables_part.make_table(example_cluster(name)).columns
    cables = set(zip(columns["cable"], columns["part"], strict=True))
    pieces = Counter(part for _, parts in cables for part in str(parts).split(JOINT))
    plugged = {
        row
        for end in "ab"
        for row in zip(*(columns[f"{end}_{column}"] for column in ("device", "cage", "transceiver")), strict=True)
        if row[2]
    }
    assert len({row[:2] for row in plugged}) == len(plugged)
    listed = {
        kind: {line.part: line.quantity for line in make_example_bill(name).lines if line.kind == kind}
        for kind in _KINDS
    }
    assert len({cable for cable, _ in cables}) == len(cables)
    assert listed["cable"] == pieces
    assert not [part for part in pieces if re.search(r"-[2-9]x-", part)], "two connectors of a cage are no one cord"
    assert listed["transceiver"] == Counter(part for _, _, part in plugged)
    models = Counter(devices_part.make_table(example_cluster(name)).columns["model"])
    profiles = [c.profile for c in example_cluster(name).plan.devices.classes]
    external = {profile.id for profile in profiles if getattr(profile, "external", False)}
    assert listed["node"] | listed["switch"] == {m: n for m, n in models.items() if m not in external}


@pytest.mark.parametrize("name", ["superpod-b200", "two-site", "full-cluster", "ualink-pod"])
def test_every_split_adds_up_to_the_whole(name: str) -> None:
    parts_bill = make_example_bill(name)
    prices = {line.part: i + 0.0101 for i, line in enumerate(parts_bill.lines)}
    total = sum_all(sum_totals(parts_bill, ["kind"], prices))
    assert total.quantity == sum(line.quantity for line in parts_bill.lines)
    assert total.price == sum((10_000 * i + 101) * line.quantity for i, line in enumerate(parts_bill.lines))
    for by in (*([key] for key in GROUPINGS), ["fabric", "tier"], ["su", "fabric", "kind"]):
        assert sum_all(sum_totals(parts_bill, by, prices)) == total, by


def test_totals_by_fabric_count_optics_where_their_cables_are() -> None:
    """By hand, for 127 nodes of 8 rails, 32 leaves of 32 uplinks, and 2 UFM appliances of 2 ports."""
    totals_by_key = {
        total.key: total for total in sum_totals(make_example_bill("superpod-b200"), ["fabric", "kind"], {})
    }
    summary = Counter(example_cluster("superpod-b200").plan.links.segment.tolist())
    segments = example_cluster("superpod-b200").plan.links.segments
    links = sum(n for i, n in summary.items() if segments[i].fabric == "compute")
    assert totals_by_key["compute", "cable"].quantity == links == 127 * 8 + 2 * 2 + 32 * 32
    assert totals_by_key["compute", "transceiver"].quantity == 127 * 4 + 2 * 2 + 32 * 32 + 16 * 32
    assert totals_by_key[NONE, "node"].quantity == 137


def test_spares_of_a_site_are_counted_there_and_others_apart() -> None:
    sets = ("spares.transceivers={percent: 1%, minimum: 3, per: site}", "spares.switches=50%")
    site_bill = make_example_bill("two-site", *sets)
    optics = [part for part in site_bill.needs.parts if part.kind == "transceiver"]
    totals_by_site = {total.key[0]: total for total in sum_totals(site_bill, ["site"], {})}
    rows = trace_all_parts(site_bill)
    at = Counter(zip(rows["part"], rows["site"], strict=True))
    expected = {
        site: sum(max(3, -(-n // 100)) for (p, s), n in at.items() if s == site and p in {o.part for o in optics})
        for site in ("east", "west")
    }
    assert {site: totals_by_site[site].spares for site in expected} == expected
    switches = sum(-(-line.quantity // 2) for line in site_bill.lines if line.kind == "switch")
    assert totals_by_site[SPARES].spares == switches
    assert sum(line.spares for line in site_bill.lines) == sum(total.spares for total in totals_by_site.values())


def test_one_line_asks_for_usual_spares_and_quantities_stay() -> None:
    """2 % of cables and transceivers, 1 % of switches, one of each part at least; no node, rack or accessory."""
    plain, usual = make_example_bill("leaf-spine"), make_example_bill("leaf-spine", "spares=usual")
    assert [(line.part, line.quantity) for line in usual.lines] == [(line.part, line.quantity) for line in plain.lines]
    shares = {"cable": 50, "transceiver": 50, "switch": 100, "power-cord": 50}
    for line in usual.lines:
        share = shares.get(line.kind)
        assert line.spares == (-(-line.quantity // share) if share else 0), line.part
    assert not any(line.spares for line in plain.lines)


def test_the_longest_pattern_that_fits_a_part_says_its_spares() -> None:
    sets = ('spares.parts={"sn*": 100%, "rack-??u": {minimum: 7}, "*": 0%}', "spares.nodes=50%")
    spares = {line.part: (line.quantity, line.spares) for line in make_example_bill("leaf-spine", *sets).lines}
    assert spares["sn4700"] == (8, 8)
    assert spares["rack-48u"][1] == 7
    assert spares["generic-server"][1] == 0


def test_a_trace_names_what_needs_a_part_and_adds_up_to_its_line() -> None:
    parts_bill = make_example_bill("superpod-b200")
    rows = trace_all_parts(parts_bill)
    summed = Counter[str]()
    for part, quantity in zip(rows["part"], rows["quantity"], strict=True):
        summed[part] += quantity
    assert summed == {line.part: line.quantity for line in parts_bill.lines}
    cords = trace_part(parts_bill, "cord-c13-c14")
    assert set(cords["quantity"]) == {2}
    assert set(cords["cable"]) == {""}


def test_a_transceiver_is_traced_to_its_cage_and_to_every_cable_in_it() -> None:
    parts_bill = make_example_bill("superpod-b200")
    optic = "MMA4Z00-NS"
    rows = trace_part(parts_bill, optic)
    found_at = zip(rows["device"], rows["cage"], rows["cable"], strict=True)
    of_cage = {(device, cage): set(ids.split(JOINT)) for device, cage, ids in found_at}
    columns = cables_part.make_table(example_cluster("superpod-b200")).columns
    wired: dict[tuple[str, str], set[str]] = {}
    for end in "ab":
        for device, cage, name, cable in zip(
            *(columns[name] for name in (f"{end}_device", f"{end}_cage", f"{end}_transceiver", "cable")), strict=True
        ):
            if name == optic:
                wired.setdefault((str(device), str(cage)), set()).add(str(cable))
    assert of_cage == wired


def test_cords_are_ordered_for_known_supplies_only(tmp_path: Path) -> None:
    """Switches of two C14 inlets; a server of two C20 inlets; DGX systems bring theirs, a busbar needs none."""
    (tmp_path / "catalog/nodes").mkdir(parents=True)
    data = Path(needs_module.__file__).parents[1] / "catalog/data"
    server = (data / "nodes/generic-server.yaml").read_text().replace("id: generic-server", "id: fed-server")
    (tmp_path / "catalog/nodes/fed-server.yaml").write_text(f"{server}\npsu: {{count: 2, inlet: C20}}\n")
    blueprint = (
        "fabricgen: 1\nname: fed\nscalable_unit: {nodes: {fed: 3 x fed-server, dgx: 1 x dgx-b200}}\n"
        "fabrics: {oob: {protocol: ethernet, attach: bmc, tiers: {leaf: {switch: sn2201}}}}\n"
    )
    (tmp_path / "fed.yaml").write_text(blueprint)
    cluster = build_cluster(build_design(load_blueprint(str(tmp_path / "fed.yaml"))))
    cords = {line.part: line.quantity for line in make_bill(cluster).lines if line.kind == "power-cord"}
    assert cords == {"cord-c13-c14": 2, "cord-c19-c20": 6}
    assert "cord-c13-c14" not in {line.part for line in _list_lines_in_busbar_racks(tmp_path)}


def test_cords_are_counted_where_only_the_inlet_is_unknown() -> None:
    """Two supplies a SN5600 and a UFM appliance: their cords by the device's name, those of known inlets by theirs."""
    parts_bill = make_example_bill("superpod-b200")
    installed = {line.part: line.quantity for line in parts_bill.lines}
    cords = {line.part: line for line in parts_bill.lines if line.kind == "power-cord"}
    assert cords["cord-sn5600"].quantity == 2 * installed["sn5600"]
    assert cords["cord-sn5600"].description.endswith("NVIDIA SN5600, inlet not published, length open")
    assert cords["cord-ufm"].quantity == 2 * installed["ufm"]
    assert cords["cord-c13-c14"].quantity == 2 * sum(installed[model] for model in ("qm9700", "sn2201", "sn4600c"))


def _list_lines_in_busbar_racks(folder: Path) -> tuple[BillLine, ...]:
    sets = ["scalable_unit={nodes: 18 x gb200-tray, racks: {nodes_per_rack: 18, type: nvl72-gb200}}"]
    sets += ["fabrics.oob.tiers.leaf.per=rack"]
    return make_bill(build_cluster(build_design(load_blueprint(str(folder / "fed.yaml"), sets)))).lines


def test_pairs_of_fibres_are_lines_of_their_own_and_single_pieces_in_an_order() -> None:
    """superpod-b300: two fibres a cable between twin-port transceivers; priced by the fibre, ordered by the fibre."""
    parts_bill = make_example_bill("superpod-b300")
    pair = next(line for line in parts_bill.lines if line.part == "2x MFP7E10-N015")
    assert pair.description.startswith("2 pieces, each: Multimode fibre, OM3 to 30 m")
    ordered = {line.part: line for line in split_sets(parts_bill.lines)}
    assert ordered["MFP7E10-N015"].quantity == 2 * pair.quantity
    assert not ordered["MFP7E10-N015"].description.startswith("2 pieces")
    prices = ExportContext(prices={"MFP7E10-N015": 31.5})
    rows = bom_part.make_table(example_cluster("superpod-b300"), prices).columns
    row = rows["part"].index("2x MFP7E10-N015")
    assert (rows["unit_price"][row], rows["total_price"][row]) == (63, 63 * pair.quantity)
    assert find_spare_policy(Spares(parts={"MFP7E10-*": Spare(minimum=4)}), pair.part).minimum == 4


@pytest.mark.parametrize("name", ["gaudi3", "superpod-b300"])
def test_the_number_on_the_order_sheet_finds_its_cables(name: str) -> None:
    """Generic pairs and those of a list, counted in single fibres, and each cable once."""
    parts_bill = make_example_bill(name)
    pairs = [line for line in parts_bill.lines if line.part.startswith("2x ")]
    assert pairs
    ordered = {line.part: line.quantity for line in split_sets(parts_bill.lines)}
    for piece in {pair.part.removeprefix("2x ") for pair in pairs}:
        rows = trace_part(parts_bill, piece)
        assert sum(rows["quantity"]) == ordered[piece]
        assert set(rows["part"]) == {piece}
        assert len(set(rows["cable"])) == len(rows["cable"]) > 0


def test_switches_are_ordered_by_the_numbers_of_their_variants() -> None:
    """Managed, ports to the hot aisle, unless a tier says otherwise; nothing is numbered that is not published."""
    leaf = "fabrics.compute.tiers.leaf"
    sets = (f"{leaf}.airflow=intake", f"{leaf}.managed=false", "spares.switches={minimum: 2}")
    parts_bill = make_example_bill("superpod-b200", *sets)
    (line,) = (line for line in parts_bill.lines if line.part == "qm9700")
    assert (line.quantity, "32 unmanaged, port side intake: MQM9790-NS2R" in line.description) == (48, True)
    ordered = {
        ordered_line.part: (ordered_line.quantity, ordered_line.spares)
        for ordered_line in list_order_lines(parts_bill)
        if ordered_line.kind == "switch"
    }
    assert ordered == {
        "MQM9700-NS2F": (16, 0),
        "MQM9790-NS2R": (32, 2),
        "920-9N42F-00RI-5N0": (20, 2),  # ONIE, for SONiC
        "sn2201": (8, 2),  # only numbers with Cumulus Linux are known
        "sn4600c": (2, 2),
    }
    rows = trace_part(parts_bill, "MQM9790-NS2R")
    assert (len(rows["device"]), rows["device"][0]) == (32, "compute-leaf-p1-su01-r1-01")


def test_an_elevation_shows_ports_on_the_side_that_the_variant_has() -> None:
    """SN5600 take air in at their ports, which face the cold aisle; SN2201 blow it out there."""
    cluster = example_cluster("rail-only")
    items = [item for row in range(len(cluster.plan.racks)) for item in FilledRacks(cluster).make_rack(row).items]
    texts = {item.model: (item.describe_model("front"), item.describe_model("rear")) for item in items}
    assert texts["sn5600"] == ("sn5600", "sn5600, ports at the front")
    assert texts["sn2201"] == ("sn2201, ports at the rear", "sn2201")
    assert texts["dgx-b200"] == ("dgx-b200, ports at the rear", "dgx-b200")


def test_a_span_is_a_leased_pair_and_two_jumpers_to_the_frames() -> None:
    """64 links of 40 km: no cord of 40,000 m, and no spare pair on a shelf."""
    parts_bill = make_example_bill("two-site", "spares.cables=10%")
    lines = {line.part: (line.quantity, line.spares) for line in parts_bill.lines}
    assert lines["leased-pair-haul-40km"] == (64, 0)
    assert lines["fibre-smf-os2-lc-duplex-20m"] == (128, 13)
    assert not [part for part in lines if part.endswith("0000m")]
    assert set(trace_part(parts_bill, "leased-pair-haul-40km")["fabric"]) == {"across"}


def find_spare_policy(spares: Spares, part: str) -> Spare:
    policy = find_policy(spares, OrderedPart(part, "", "cable", 0.0))
    assert policy is not None
    return policy
