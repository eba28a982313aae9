"""The command `size`: wishes, formats, files, and what it says where nothing fits."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import pytest

WISHES = ("--gpus", "256", "--node", "dgx-b200", "--switch", "qm9700,sn5600", "--tiers", "2", "--attach", "rail")
KEYS = {"name", "tiers", "planes", "switches", "links", "cables", "optics", "power_w", "price", "hops", "bisection"}


APART = (("--rails", "meet,apart"), ())


def test_json_has_every_figure_and_a_blueprint(fabricgen) -> None:
    ran = fabricgen("size", *WISHES, "--axes", "switches,optics,power,hops", "--format", "json", "--all")
    document = json.loads(ran.out)
    assert ran.code == 0
    assert document["gpus"] == 256
    assert all(KEYS | {"pareto", "blueprint"} <= candidate.keys() for candidate in document["candidates"])
    beaten = [candidate for candidate in document["candidates"] if not candidate["pareto"]]
    assert len(beaten) == document["beaten"] > 0
    assert all(
        re.search(r"is no worse on any axis, and better: \S+ \S+ against", candidate["why"]) for candidate in beaten
    )
    for candidate in document["candidates"]:
        assert candidate["optics"] == sum(candidate["optics_by_kind"].values())
        assert candidate["cables"] == sum(candidate["cables_by_kind"].values())
        assert set(candidate["lost"]) == set(candidate["switches"])


def test_a_file_of_wishes_and_options_are_the_same(fabricgen, tmp_path: Path) -> None:
    file = tmp_path / "wishes.yaml"
    file.write_text("gpus: 128\nnode: dgx-b200\nswitch: [qm9700, sn5600]\ntiers: 2\nattach: rail\n", encoding="utf-8")
    by_file = fabricgen("size", "--wishes", str(file), "--gpus", "256", "--all")
    assert by_file.out == fabricgen("size", *WISHES, "--all").out
    assert by_file.out.startswith("256 GPUs in 32 x dgx-b200\n")
    reckoned = by_file.out[by_file.out.index("\n  formula:") :]
    assert re.match(
        r"\n  formula:   kW = .*\n +ns = .*\n +bisection = .*\n +left = .*\n  constants: qm9700 150 ns, 1,720 W",
        reckoned,
    )
    assert "\n  source:    ns of qm9700: its profile\n" in reckoned


def test_what_is_wrong_with_wishes_is_told_at_its_place(fabricgen, tmp_path: Path) -> None:
    file = tmp_path / "wishes.yaml"
    file.write_text("gpus: 128\nnode: dgx-b20\naxes: [switches, colour]\nmax_power: 3 hp\n", encoding="utf-8")
    ran = fabricgen("size", "--wishes", str(file))
    assert ran.code == 2
    assert f"{file}:3:7: error[FG010]: axes: there is no axis 'colour'" in ran.err
    assert f"{file}:4:12: error[FG010]: max_power: '3 hp' is not a power; write it like 800kW" in ran.err
    assert "--node:1:1: error[FG011]" in fabricgen("size", "--gpus", "8", "--node", "dgx-b20").err
    assert "--node:1:1: error[FG150]: ufm has no accelerators" in fabricgen("size", "--gpus", "8", "--node", "ufm").err


WRONG = {
    "axes: [switches, price]": "axes: no prices are given: name a file of them (--prices FILE), or leave out price",
    "axes: [switches, growth]": "axes: nothing grows: say to how many GPUs (--growth-to N), or leave out growth",
    "growth_to: 127": "growth_to: 127 accelerators are fewer than the 128 that there are to be at first",
}


@pytest.mark.parametrize("line", WRONG)
def test_wishes_that_do_not_go_together_are_refused(fabricgen, tmp_path: Path, line: str) -> None:
    file = tmp_path / "wishes.yaml"
    file.write_text(f"gpus: 128\nnode: dgx-b200\n{line}\n", encoding="utf-8")
    ran = fabricgen("size", "--wishes", str(file))
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == f"{file}:3:{len(line.split(maxsplit=1)[0]) + 2}: error[FG010]: {WRONG[line]}\n"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("node: dgx-b200\n", "1:1: error[FG010]: the top level needs 'gpus'"),
        ("- gpus: 8\n", "1:1: error[FG010]: expected a mapping of wishes, found a list"),
        ("gpus: 8\nnode: dgx-b200\nprices: none.csv\n", "3:9: error[FG001]: cannot read "),
    ],
)
def test_a_file_of_wishes_is_named_with_line_and_column(fabricgen, tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "wishes.yaml"
    file.write_text(text, encoding="utf-8")
    ran = fabricgen("size", "--wishes", str(file))
    assert ran.code == 2
    assert ran.err.startswith(f"{file}:{told}")
    assert "size:1:1" not in ran.err


def test_without_a_file_what_is_not_said_is_told_under_its_option(fabricgen) -> None:
    ran = fabricgen("size", "--gpus", "8")
    assert (ran.code, ran.err.splitlines()[0]) == (2, "--node:1:1: error[FG010]: --node is not said")


def test_trays_of_a_rack_come_as_many_as_it_holds(fabricgen) -> None:
    ran = fabricgen("size", "--gpus", "72", "--node", "gb200-tray", "--nodes-per-rack", "9")
    assert ran.code == 2
    assert ran.err.startswith("--nodes-per-rack:1:1: error[FG150]: gb200-tray comes in racks of 18 (nvl72-gb200), not ")


FEW = ("--gpus", "64", "--node", "dgx-b200", "--switch", "qm9700")


@pytest.mark.tenth
@pytest.mark.parametrize(
    ("wishes", "told"),
    [
        (
            ("--node", "dgx-rubin-nvl8", "--switch", "", "--planes", "2"),
            "no switch of the catalogue takes its NICs in 2 ",
        ),
        (("--attach", "tor", "--tiers", "1"), "leaves of racks (`tor`) would be joined by nothing"),
        (("--attach", "tor", "--rails", "apart"), "all rails of a rack meet in its leaf (`tor`)"),
        (("--attach", "tor", "--unit-size", "7"), "a unit of whole racks (`tor`) has a multiple of 4 nodes"),
        (("--attach", "rail", "--tiers", "2", "--spare-ports", "64"), "no leaf has ports for a node beside the 64"),
        (("--attach", "rail", "--tiers", "1", "--rails", "meet"), "rails meet only where one leaf takes all of them"),
        (
            ("--gpus", "8", "--rails", "apart", "--tiers", "2"),
            "1 node is too few: upper tiers would join a single leaf",
        ),
    ],
)
def test_wishes_that_leave_no_shape_say_why(fabricgen, wishes: tuple[str, ...], told: str) -> None:
    ran = fabricgen("size", *FEW, *wishes)
    assert ran.code == 2
    assert told in ran.err
    assert "hint: without `" in ran.err


def test_what_would_fit_is_not_what_was_tried(fabricgen) -> None:
    """Leaves of 1000:1 depend on one spine, whatever they take."""
    ran = fabricgen(
        "size", *FEW, "--attach", "rail", "--tiers", "2", "--unit-size", "8", "--oversubscription", "1000:1"
    )
    assert "FG304: 8 compute leaf switches depend on a single spine" in ran.err
    assert "without `oversubscription`: 2t-qm9700-p1-su8-1to1;" in ran.err
    assert "2t-qm9700-p1-su8-1000to1;" not in ran.err


def test_nodes_that_are_not_full_are_told_in_every_format(fabricgen) -> None:
    """4 GPUs are a node of 8."""
    wishes = ("--gpus", "4", "--node", "dgx-b200", "--switch", "sn5600", "--attach", "group", "--tiers", "1")
    heading = "4 GPUs in 1 x dgx-b200: 1 node of 8 = 8 GPUs for 4 asked"
    text, page, document = (fabricgen("size", *wishes, "--format", form).out for form in ("text", "html", "json"))
    assert text.splitlines()[0] == heading
    assert f"<h1>{heading}</h1>" in page
    assert [json.loads(document)[key] for key in ("gpus", "nodes", "gpus_of_nodes")] == [4, 1, 8]


@pytest.mark.slow
def test_where_nothing_fits_it_says_why_and_what_would(fabricgen) -> None:
    narrow = ("--gpus", "4096", "--node", "dgx-b200", "--switch", "qm9700", "--rails", "meet", "--tiers", "2")
    ran = fabricgen("size", *narrow)
    assert (ran.code, ran.out) == (2, "")
    assert (
        "no design carries 4,096 GPUs of dgx-b200 as wished: 2 tiers of qm9700 in 1 plane: 2,048 GPUs at most"
        in ran.err
    )
    assert re.search(
        r"hint: 2,048 GPUs fit as 2t-\S+; with `--rails apart`: 2t-\S+-apart; .*without `tiers`: 3t-", ran.err
    )
    ran = fabricgen("size", *WISHES, "--max-power", "460kW")  # of which the nodes draw 458
    assert ran.code == 2
    least = re.search(r"optics draw ([\d.]+) kW in (\S+), which draws least; 460.0 kW are allowed", ran.err)
    enough = re.search(r"hint: `max_power: (\d+)kW` is enough for it; or take fewer GPUs\n", ran.err)
    assert least
    assert enough
    assert float(enough[1]) - 1 < float(least[1]) <= float(enough[1])
    fits = json.loads(fabricgen("size", *WISHES, "--max-power", f"{enough[1]}kW", "--format", "json").out)
    draws = {candidate["name"]: candidate["power_w"] + candidate["nodes_power_w"] for candidate in fits["candidates"]}
    assert round(draws[least[2]] / 1000, 1) == float(least[1])


def test_reasons_say_which_shapes_are_too_small(fabricgen) -> None:
    """Two tiers carry 4,096 GPUs where rails are apart: reasons are of those that meet, and of small units."""
    wishes = ("--gpus", "4096", "--node", "dgx-b200", "--switch", "qm9700", "--attach", "rail", "--unit-size", "2,32")
    wishes = (*wishes, "--rails", "meet,apart")
    document = json.loads(fabricgen("size", *wishes, "--tiers", "2", "--format", "json").out)
    assert [record["name"] for record in document["candidates"] if record["pareto"]] == ["2t-qm9700-p1-su32-1to1-apart"]
    assert {record["why"]: record["shapes"] for record in document["excluded"]} == {
        "2 tiers of qm9700 in 1 plane, rails meeting in spines: 2,048 GPUs at most": 2,
        "2 tiers of qm9700 in 1 plane, rails apart, such as 2t-qm9700-p1-su2-1to1-apart: 1,024 GPUs at most": 1,
    }


def test_a_typical_draw_is_marked(fabricgen) -> None:
    """SN5600 has no published maximum, QM9700 has."""
    ran = fabricgen("size", *WISHES, "--gpus", "512", "--axes", "switches,latency")
    rows = [line for line in ran.out.splitlines() if line.startswith("2t-") and " = " in line]
    assert {("sn5600" in line, "~" in line) for line in rows} == {(True, True), (False, False)}
    note = (
        "~ typical draw of sn5600, of which no maximum is published: more can be drawn; other switches count at their "
    )
    assert note in ran.out


def test_prices_add_an_axis(fabricgen, tmp_path: Path) -> None:
    prices = tmp_path / "prices.csv"
    prices.write_text(
        "part,unit_price\nqm9700,30000\nsr8-100g-osfp-800g,1000\nsr8-100g-osfp-800g-flat,1000\n", encoding="utf-8"
    )
    ran = fabricgen("size", *WISHES, "--gpus", "512", "--prices", str(prices), "--format", "json", "--all")
    candidates = {candidate["name"]: candidate for candidate in json.loads(ran.out)["candidates"]}
    assert json.loads(ran.out)["axes"][-1] == "price"
    priced = candidates["2t-qm9700-p1-su32-1to1"]
    assert priced["price"] == 30000 * sum(priced["switches"].values()) + 1000 * priced["optics"]
    assert priced["unpriced"] > 0
    assert {candidate["price"] for name, candidate in candidates.items() if "sn5600" in name} == {None}
    assert {tuple(candidate["without_price"]) for name, candidate in candidates.items() if "sn5600" in name} == {
        ("sn5600",)
    }
    assert priced["without_price"] == []


@pytest.mark.slow
def test_what_is_nearly_alike_in_other_planes_stands_beside_the_front(fabricgen, tmp_path: Path) -> None:
    """128 nodes in one plane or two take as many switches and optics; fibres of two planes are longer."""
    wishes = ("--gpus", "1024", "--node", "dgx-b300", "--switch", "sn5600", "--attach", "rail", "--tiers", "2")
    wishes = (*wishes, "--unit-size", "32,64", "--rails", "meet")
    ran = fabricgen("size", *wishes, "--axes", "switches,power,latency", "-o", str(tmp_path / "out"))
    candidates = json.loads((tmp_path / "out/size.json").read_bytes())["candidates"]
    (candidate,) = [one for one in candidates if one["pareto"]]
    assert (candidate["planes"], candidate["nics_cut_off"]) == (1, {"link": 1, "switch": 32})
    (near,) = candidate["near"]
    assert (near["name"], near["planes"], set(near["off"])) == ("2t-sn5600-p2-su64-1to1", 2, {"latency"})
    assert 0 < near["off"]["latency"] <= 0.05
    words = f"nearly alike in 2 planes: {near['name']} (ns +{near['off']['latency']:.1%})"
    page = unescape((tmp_path / "out/size.html").read_text(encoding="utf-8"))
    assert words in page
    assert "one lost leaf: 32 NICs cut off, 93.8% left" in ran.out
    assert all(
        words in page for words in ("formula: kW = what switches", "constants: sn5600 700 ns", "source: ns of sn5600")
    )
    fronts = [
        {
            candidate["planes"]
            for candidate in json.loads(fabricgen("size", *wishes, "--format", "json", *axes).out)["candidates"]
            if candidate["pareto"]
        }
        for axes in (("--axes", "switches"), ("--axes", "switches,loss"))
    ]
    assert fronts == [{1, 2}, {2}]


def test_an_axis_that_is_known_of_no_design_is_told(fabricgen, tmp_path: Path) -> None:
    prices = tmp_path / "prices.csv"
    prices.write_text("part,unit_price\nqm9700,30000\n", encoding="utf-8")
    ran = fabricgen(
        *(
            "size",
            *FEW,
            "--attach",
            "rail",
            "--prices",
            str(prices),
            "--growth-to",
            "10000000",
            "--rails",
            "apart",
            "--all",
        )
    )
    assert "price compares nothing: every design has switches or transceivers without a price" in ran.out
    assert "re-plugged compares nothing: no design of these grows to 10,000,000 GPUs" in ran.out
    assert "no price, since none is given of sr8-100g-osfp-800g, sr8-100g-osfp-800g-flat" in ran.out


@pytest.mark.slow
def test_files_land_whole_and_in_folders_of_ours(fabricgen, tmp_path: Path) -> None:
    out, foreign = tmp_path / "out", tmp_path / "foreign"
    foreign.mkdir()
    (foreign / "mine.txt").write_text("mine", encoding="utf-8")
    refused = fabricgen("size", *WISHES, "-o", str(foreign))
    assert refused.code == 2
    assert "error[FG020]" in refused.err
    assert [file.name for file in foreign.iterdir()] == ["mine.txt"]
    first = fabricgen("size", *WISHES, "-o", str(out))
    blueprints = sorted(file.stem for file in out.glob("*.yaml"))
    assert blueprints == sorted(
        candidate["name"] for candidate in json.loads((out / "size.json").read_bytes())["candidates"]
    )
    judged = fabricgen("lint", str(out))
    assert (judged.code, "0 errors, 0 warnings" in judged.out) == (0, True), judged.out
    again = fabricgen("size", *WISHES, "-o", str(out))
    assert "0 files written" in again.err
    assert again.out == first.out
    page, drawing = ((out / name).read_text(encoding="utf-8") for name in ("size.html", "front.svg"))
    titles = re.findall(r'<text x="[0-9.]+" y="5.41"[^>]*>([^<]+)<', drawing)
    assert titles == re.findall(r'<text x="[0-9.]+" y="5.41"[^>]*>([^<]+)<', page)
    assert len(titles) == 5
    assert drawing.count("<circle") == page.count("<circle")


@pytest.mark.slow
def test_own_profiles_go_with_the_blueprints(fabricgen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built_in = Path(__file__).parents[2] / "fabricgen/catalog/data/switches/qm9700.yaml"
    profile = tmp_path / "catalog/switches/my-switch.yaml"
    profile.parent.mkdir(parents=True)
    profile.write_text(built_in.read_text(encoding="utf-8").replace("id: qm9700", "id: my-switch"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    wishes = ("--gpus", "256", "--node", "dgx-b200", "--switch", "my-switch", "--tiers", "2", "--attach", "rail")
    assert fabricgen("size", *wishes, "-o", "out").code == 0
    assert fabricgen("show", "out/2t-my-switch-p1-su32-1to1.yaml").code == 0


def test_eight_planes_lint_clean_with_a_waiver_for_their_shuffles(fabricgen) -> None:
    ran = fabricgen(
        *("size", "--gpus", "512", "--node", "dgx-b300-8p", "--switch", "sn5640", "--planes", "8", "--tiers", "2"),
        *("--attach", "group", "--format", "json"),
    )
    (first, *_) = json.loads(ran.out)["candidates"]
    assert first["planes"] == 8
    assert "{rule: FG603, at: fabrics/compute, why: fibre shuffles" in first["blueprint"]


def test_ports_are_kept_free(fabricgen) -> None:
    """A unit of 32 nodes fills a leaf of 32 + 32 ports; with two kept free it takes a second one."""
    leaves = []
    for spare in ("0", "2"):
        ran = fabricgen(
            "size", *WISHES, "--switch", "qm9700", "--unit-size", "32", "--spare-ports", spare, "--format=json"
        )
        leaves.append(json.loads(ran.out)["candidates"][0]["switches"]["leaf"])
    assert leaves == [8, 16]


def test_no_spine_serves_a_single_leaf(fabricgen) -> None:
    """Of one unit with rails apart, each rail has one leaf, which a spine would join to nothing."""
    ran = fabricgen("size", *WISHES, "--unit-size", "32", "--format", "json", "--all")
    names = {candidate["name"] for candidate in json.loads(ran.out)["candidates"]}
    assert "2t-qm9700-p1-su32-1to1" in names
    assert not any("su32" in name and "apart" in name for name in names)


def test_the_page_has_a_plot_for_each_axis_and_nothing_from_elsewhere(fabricgen) -> None:
    page = fabricgen("size", *WISHES, "--format", "html").out
    assert page.count("<svg") == 5  # of six axes, each over the first
    assert "<circle" in page
    assert not re.search(r"<script|https?://|src=", page)


@pytest.mark.slow
@pytest.mark.parametrize("nodes", [1, 7, 31])
def test_small_and_prime_numbers_of_nodes(fabricgen, nodes: int) -> None:
    ran = fabricgen(
        "size",
        "--gpus",
        str(8 * nodes),
        "--node",
        "dgx-b200",
        "--switch",
        "sn5600",
        "--rails",
        "meet,apart",
        "--format",
        "json",
    )
    assert ran.code == 0, ran.err
    for candidate in json.loads(ran.out)["candidates"]:
        assert candidate["links"] >= 8 * nodes


def test_nodes_that_draw_too_much_are_told_before_anything_is_tried(fabricgen) -> None:
    """256 DGX B200 alone draw 256 x 14.3 kW: no switch helps, and of all of the catalogue none is looked at."""
    ran = fabricgen("size", "--gpus", "2048", "--node", "dgx-b200", "--max-power", "1MW")
    assert ran.code == 2
    message = "256 x dgx-b200 draw 3,661 kW without any switch; 1,000 kW are allowed"
    assert ran.err.startswith(f"--max-power:1:1: error[FG150]: {message}\n")
    assert "the nodes of 552 draw as much" in ran.err  # 69 x 14.3 kW


@pytest.mark.slow
def test_rails_that_never_meet_are_named(fabricgen) -> None:
    outputs = [
        fabricgen("size", "--gpus", "1016", "--node", "dgx-b200", "--switch", "sn5600", *more).out for more in APART
    ]
    assert ["rails never meet" in out for out in outputs] == [True, False]


@pytest.mark.slow
def test_wishes_that_came_to_nothing_are_told(fabricgen, tmp_path: Path) -> None:
    (tmp_path / "prices.csv").write_text("part,unit_price\nsn5600,9\nsn560O,9\n", encoding="utf-8")
    wishes = tmp_path / "wishes.yaml"
    one_tier = "gpus: 128\nnode: dgx-b300\ntiers: 1\nswitch: sn5600\nunit_size: [7, 16]\noversubscription: '2:1'\n"
    wishes.write_text(f"{one_tier}prices: prices.csv\n", encoding="utf-8")
    ran = fabricgen("size", "--wishes", wishes, "--jobs", "1")
    assert ran.code == 0
    warnings = [line.partition(": ")[2] for line in ran.err.splitlines() if "warning" in line]
    assert warnings == [
        "warning[FG150]: nothing was tried with oversubscription 2: the other wishes leave no such design",
        "warning[FG150]: nothing was tried with unit size 7: the other wishes leave no such design",
        "warning[FG031]: prices of prices.csv are not used: no design, and no catalogue, has what is on line 3",
    ]
    ran = fabricgen("size", "--wishes", wishes, "--jobs", "1", "--prices", tmp_path / "prices.csv")
    assert "the price of 'sn560O' is not used" in ran.err
    assert "did you mean 'sn5600'?" in ran.err
