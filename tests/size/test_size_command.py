"""The command `size`: wishes, formats, files, and what it says where nothing fits."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

WISHES = ("--gpus", "256", "--node", "dgx-b200", "--switch", "qm9700,sn5600", "--tiers", "2", "--attach", "rail")
KEYS = {"name", "tiers", "planes", "switches", "links", "cables", "optics", "power_w", "price", "hops", "bisection"}


APART = ((), ("--rails", "meet"))


def test_json_has_every_figure_and_a_blueprint(fabricgen) -> None:
    ran = fabricgen("size", *WISHES, "--format", "json", "--all")
    document = json.loads(ran.out)
    assert ran.code == 0
    assert document["gpus"] == 256
    assert all(KEYS | {"pareto", "blueprint"} <= one.keys() for one in document["candidates"])
    beaten = [one for one in document["candidates"] if not one["pareto"]]
    assert len(beaten) == document["beaten"] > 0
    assert all(re.search(r"is no worse on any axis, and better: \S+ \S+ against", one["why"]) for one in beaten)
    for one in document["candidates"]:
        assert one["optics"] == sum(one["optics_by_kind"].values())
        assert one["cables"] == sum(one["cables_by_kind"].values())
        assert set(one["lost"]) == set(one["switches"])


def test_a_file_of_wishes_and_options_are_the_same(fabricgen, tmp_path: Path) -> None:
    file = tmp_path / "wishes.yaml"
    file.write_text("gpus: 128\nnode: dgx-b200\nswitch: [qm9700, sn5600]\ntiers: 2\nattach: rail\n", encoding="utf-8")
    by_file = fabricgen("size", "--wishes", str(file), "--gpus", "256")
    assert by_file.out == fabricgen("size", *WISHES).out
    assert by_file.out.startswith("256 GPUs in 32 x dgx-b200\n")
    reckoned = by_file.out[by_file.out.index("\n  formula:") :]
    assert re.match(
        r"\n  formula:   kW = .*\n +ns = .*\n +bisection = .*\n  constants: qm9700 150 ns, 1,720 W", reckoned
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


def test_where_nothing_fits_it_says_why_and_what_would(fabricgen) -> None:
    narrow = ("--gpus", "4096", "--node", "dgx-b200", "--switch", "qm9700", "--rails", "meet", "--tiers", "2")
    ran = fabricgen("size", *narrow)
    assert (ran.code, ran.out) == (2, "")
    assert (
        "no design carries 4,096 GPUs of dgx-b200 as wished: 2 tiers of qm9700 in 1 plane: 2,048 GPUs at most"
        in ran.err
    )
    assert re.search(r"hint: 2,048 GPUs fit as 2t-\S+; without `rails`: 2t-\S+-apart; .*without `tiers`: 3t-", ran.err)
    ran = fabricgen("size", *WISHES, "--max-power", "400kW")
    assert ran.code == 2
    assert re.search(r"nodes, switches and optics draw 4\d\d kW; 400 kW are allowed", ran.err)


def test_prices_add_an_axis(fabricgen, tmp_path: Path) -> None:
    prices = tmp_path / "prices.csv"
    prices.write_text(
        "part,unit_price\nqm9700,30000\nsr8-100g-osfp-800g,1000\nsr8-100g-osfp-800g-flat,1000\n", encoding="utf-8"
    )
    ran = fabricgen("size", *WISHES, "--gpus", "512", "--prices", str(prices), "--format", "json", "--all")
    found = {one["name"]: one for one in json.loads(ran.out)["candidates"]}
    assert json.loads(ran.out)["axes"][-1] == "price"
    priced = found["2t-qm9700-p1-su32-1to1"]
    assert priced["price"] == 30000 * sum(priced["switches"].values()) + 1000 * priced["optics"]
    assert priced["unpriced"] > 0
    assert {one["price"] for name, one in found.items() if "sn5600" in name} == {None}


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
    assert blueprints == sorted(one["name"] for one in json.loads((out / "size.json").read_bytes())["candidates"])
    judged = fabricgen("lint", str(out))
    assert (judged.code, "0 errors, 0 warnings" in judged.out) == (0, True), judged.out
    again = fabricgen("size", *WISHES, "-o", str(out))
    assert "0 files written" in again.err
    assert again.out == first.out


def test_own_profiles_go_with_the_blueprints(fabricgen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built_in = Path(__file__).parents[2] / "fabricgen/catalog/data/switches/qm9700.yaml"
    own = tmp_path / "catalog/switches/my-switch.yaml"
    own.parent.mkdir(parents=True)
    own.write_text(built_in.read_text(encoding="utf-8").replace("id: qm9700", "id: my-switch"), encoding="utf-8")
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
    names = {one["name"] for one in json.loads(ran.out)["candidates"]}
    assert "2t-qm9700-p1-su32-1to1" in names
    assert not any("su32" in name and "apart" in name for name in names)


def test_the_page_has_a_plot_for_each_axis_and_nothing_from_elsewhere(fabricgen) -> None:
    page = fabricgen("size", *WISHES, "--format", "html").out
    assert page.count("<svg") == 3
    assert "<circle" in page
    assert not re.search(r"<script|https?://|src=", page)


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
        "--attach",
        "rail",
        "--format",
        "json",
    )
    assert ran.code == 0, ran.err
    for one in json.loads(ran.out)["candidates"]:
        assert one["links"] >= 8 * nodes


def test_what_draws_too_much_is_told_with_the_least_that_is_drawn(fabricgen) -> None:
    """256 DGX B200 alone draw some 3.7 MW: no other switch helps."""
    ran = fabricgen("size", "--gpus", "2048", "--node", "dgx-b200", "--max-power", "1kW", "--switch", "qm9700")
    assert ran.code == 2
    assert re.search(r"nodes, switches and optics draw 3,[0-9]{3} kW; 1 kW are allowed", ran.err)
    assert ran.err.count("are allowed") == 1
    assert "hint: allow more in `max_power`, or fewer GPUs" in ran.err


def test_rails_that_never_meet_are_named(fabricgen) -> None:
    told = [
        fabricgen("size", "--gpus", "1016", "--node", "dgx-b200", "--switch", "sn5600", *more).out for more in APART
    ]
    assert ["rails never meet" in out for out in told] == [True, False]
