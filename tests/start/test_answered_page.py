"""`fabricgen init --ask`: a page of what was answered, which lints clean."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from fabricgen.catalog.loader import Catalog
from fabricgen.cli.commands.init import command
from fabricgen.kernel.diagnostics import InputError
from fabricgen.start.answers import Answers
from fabricgen.start.page import Page
from tests.conftest import Ran

Command = Callable[..., Ran]

MOST_LINES = 60


def judge_page(fabricgen: Command, folder: Path, answers: str) -> list[str]:
    """The lines of the page of an answers file, which `lint` finds nothing against but infos."""
    (folder / "answers.yaml").write_text(answers, encoding="utf-8")
    page = folder / "cluster.yaml"
    made = fabricgen("init", page, "--answers", folder / "answers.yaml")
    assert made.code == 0, made.err
    linted = fabricgen("lint", page, "--fail-on", "warning")
    assert linted.code == 0, linted.out
    lines = page.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= MOST_LINES
    return lines


@pytest.mark.slow
def test_one_line_of_answers_makes_a_cluster(tmp_path: Path, fabricgen: Command) -> None:
    """All networks for which the nodes have ports, of switches of the nodes' maker."""
    lines = judge_page(fabricgen, tmp_path, "nodes: 128 x dgx-b300")
    assert "scalable_unit: {nodes: 32 x dgx-b300, racks: {nodes_per_rack: 4}}" in lines
    assert [line.strip() for line in lines if line.startswith("  ") and line.endswith(":")][:3] == [
        "compute:", "tiers:", "storage:"
    ]  # fmt: skip
    assert sum(line.startswith(("  compute:", "  storage:", "  inband:", "  oob:")) for line in lines) == 4


@pytest.mark.slow
def test_kinds_tenants_and_providers_are_written_as_answered(tmp_path: Path, fabricgen: Command) -> None:
    lines = judge_page(
        fabricgen,
        tmp_path,
        """
        name: pod
        nodes: [64 x dgx-b200, 32 x dgx-h100]
        providers: [isp-1 64500, isp-2 64501]
        tenants: [blue, green]
        grow_to: 2
        node_names: "gpu{index:04}"
        """,
    )
    page = "\n".join(lines)
    assert "reserve: 2" in page
    assert "  blue: {nodes: [p1], fabrics: [compute, storage]}" in lines
    assert "      internet: {to: wan, asn: 64500, devices: {isp-2: {asn: 64501}}, accept" in page
    assert 'names: {nodes: "gpu{index:04}"}' in lines


@pytest.mark.slow
def test_servers_with_frontend_ports_meet_the_in_band_network(tmp_path: Path, fabricgen: Command) -> None:
    """Beside a DGX on the same switches; alone, on a pair that leads out itself. What draws what is not known."""
    answers = "{nodes: [24 x dgx-b200, 16 x hgx-h200], rack_kw: 60, providers: [isp-1 64500], tenants: [blue, green]}"
    page = "\n".join(judge_page(fabricgen, tmp_path, answers))
    assert "pods: {p1: {unit: u1, su: 1}, p2: {unit: u2, su: 1}}" in page
    assert "  frontend: {protocol: ethernet, carried_by: inband, vrf: default}" in page
    assert "{rule: FG640, why: " in page
    (tmp_path / "cluster.yaml").unlink()
    alone = judge_page(fabricgen, tmp_path, "{nodes: 8 x hgx-h200, providers: [isp-1 64500, isp-2 64501]}")
    assert "    attach: frontend" in alone
    assert not any(line.startswith("      border:") for line in alone)


@pytest.mark.slow
def test_ports_are_bonded_over_a_pair_of_switches(tmp_path: Path, fabricgen: Command) -> None:
    """Eight nodes on one pair; the NOS is one that has MLAG in all images, and the page of a build has the bonds."""
    page = judge_page(fabricgen, tmp_path, "{nodes: 8 x dgx-h200, inband: storage, bonds: mlag, hall: 1 x 6}")
    assert "      leaf: {switch: sn5600, count: 2, spread: stripe, peer: 2 x 800G}" in page
    assert sum(line.startswith("    bond: node") for line in page) == 2
    assert "nos: cumulus" in page
    assert "floor: {halls: {h1: {rows: 1, racks_per_row: 6}}, slack: 10%}" in "\n".join(page)
    assert "      leaf: {switch: sn2201, count: 1}    # to be linked to where you manage from" in page
    built = fabricgen("build", tmp_path / "cluster.yaml", "-o", tmp_path / "out", "--only", "addresses")
    assert built.code == 0, built.err
    addresses = (tmp_path / "out" / "addresses.csv").read_text(encoding="utf-8")
    assert addresses.count(",bond-storage") == addresses.count(",bond-inband") == 8


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answers", "shown"),
    [
        ("{nodes: 64 x dgx-b200, bonds: esi}", "per: su, count: 2, spread: stripe, pair: evpn}"),
        ("{nodes: 64 x dgx-b200, bonds: mlag, nos: sonic}", "peer: 2 x 800G, pair: mclag}"),
        ("{nodes: 8 x mi300x-8, bonds: mlag}", "    nos: cumulus"),  # the GPUs' switches run another
        ("{nodes: 8 x mi300x-8, nos: eos}", "switch: 7060dx5-32,"),  # of those that run it the first with ports of 25G
    ],
)
def test_bonds_are_of_switches_that_carry_them(tmp_path: Path, fabricgen: Command, answers: str, shown: str) -> None:
    assert shown in "\n".join(judge_page(fabricgen, tmp_path, answers))


@pytest.mark.parametrize(
    ("answers", "shown"),
    [
        ("nodes: 144 x gb200-tray-nvl36", "racks: {nodes_per_rack: 9}}"),  # no rack type, but a domain of nine
        ("nodes: 72 x helios-tray", "floor: {racks_per_row: 16, rack_pitch_m: 1.2,"),
        ("{nodes: 72 x helios-tray, hall: 4 x 20}", "{h1: {rows: 4, racks_per_row: 20}}, rack_pitch_m: 1.2,"),
    ],
)
def test_racks_hold_whole_domains_and_stand_as_wide_as_they_are(
    tmp_path: Path, fabricgen: Command, answers: str, shown: str
) -> None:
    page = "\n".join(judge_page(fabricgen, tmp_path, answers))
    assert shown in page
    assert "per: rack}" in page


@pytest.mark.slow
def test_a_tenant_leaves_by_providers_of_its_own(tmp_path: Path, fabricgen: Command) -> None:
    """Two of one tenant, one for all others; and a firewall with a port for each of two tenants."""
    nodes = "nodes: 16 x dgx-b200"
    providers = "[isp-1 64500, isp-2 64501, isp-3 64502]"
    page = "\n".join(
        judge_page(fabricgen, tmp_path, f"{{{nodes}, providers: {providers}, tenants: [blue isp-2 isp-3, green]}}")
    )
    assert "blue-wan: {device: external-router, names: [isp-2, isp-3], ports: 1, to: leaf" in page
    assert "blue-out: {to: blue-wan, asn: 64501, devices: {isp-3: {asn: 64502}}, announce" in page
    assert "wan: {device: external-router, names: [isp-1], ports: 2, to: leaf" in page
    assert "], extra: [blue-wan]}" in page
    assert "], fabrics: [compute, storage]}" in page  # green leaves with all others
    (tmp_path / "cluster.yaml").unlink()
    answers = f"{{{nodes}, providers: fw-1 65100, tenants: [blue fw-1, green fw-1]}}"
    page = "\n".join(judge_page(fabricgen, tmp_path, answers))
    assert page.count("names: [fw-1], ports: 1, to: leaf") == 2
    assert "internet" not in page


@pytest.mark.slow
def test_one_pair_has_in_band_storage_and_the_way_out(tmp_path: Path, fabricgen: Command) -> None:
    lines = judge_page(
        fabricgen, tmp_path, "{nodes: 8 x dgx-h200, inband: storage, providers: [isp-1 64500, isp-2 64501]}"
    )
    storage = lines.index("  storage:")
    assert lines[storage + 2] == "    carried_by: inband"
    assert sum("switch: sn5600, count: 2" in line for line in lines) == 2  # compute, and all else


@pytest.mark.slow
def test_a_usual_network_without_ports_is_told_on_the_page(tmp_path: Path, fabricgen: Command) -> None:
    """Nobody asked for storage; the page says why there is none."""
    lines = judge_page(fabricgen, tmp_path, "nodes: 8 x mi300x-8")
    why = "  # no storage: these nodes have no ports for it; files may share those of in-band: docs/shared-ports.md"
    assert why in lines


@pytest.mark.slow
def test_a_large_cluster_has_pods_and_cores_in_all_networks(tmp_path: Path, fabricgen: Command) -> None:
    """24,000 GPUs: more leaves than a spine has ports, out-of-band too; growth is by pods, and said so."""
    lines = judge_page(fabricgen, tmp_path, "{nodes: 3000 x dgx-b200, grow_to: 2}")
    assert "pods: {p1: {su: 8, count: 5}, p6: {su: 7, nodes: 440}}   # it grows by further pods" in "\n".join(lines)
    assert sum(line.startswith("      core: ") for line in lines) == 4


@pytest.mark.slow
def test_power_of_racks_says_how_many_nodes_stand_in_one(tmp_path: Path, fabricgen: Command) -> None:
    """14.3 kW a DGX B200: two in 40 kW."""
    lines = judge_page(fabricgen, tmp_path, "{nodes: 16 x dgx-b200, rack_kw: 40, storage: none}")
    assert "racks: {nodes_per_rack: 2, power_kw: 40}" in "\n".join(lines)
    assert not any("storage" in line for line in lines[8:])


@pytest.mark.tenth
@pytest.mark.parametrize(
    ("answers", "told"),
    [
        ("{nodes: 8 x dgx-b200, nodez: 3}", "answers.yaml:1:23: error[FG010]"),
        ("{nodes: 8 x dgx-b2000}", "did you mean 'dgx-b200'?"),
        (
            "{nodes: 8 x dgx-b200, switch: sn2201}",
            "answers.yaml:1:31: error[FG150]: sn2201 in 1 plane: NICs run at 100G",
        ),
        ("{nodes: 8 x mi300x-8, storage: own}", "answers.yaml:1:32: error[FG150]: mi300x-8 has no ports for storage"),
        ("{nodes: 8 x dgx-b200, inband: none, providers: [isp-1 1]}", "answers.yaml:1:48: error[FG010]: providers"),
        (
            "{nodes: 8 x dgx-h100, protocol: infiniband, storage: none, inband: none, oob: none, nos: eos}",
            "answers.yaml:1:90: error[FG150]: no switch here is of Ethernet",
        ),
        (
            "{nodes: 8 x dgx-b200, rack_kw: 10}",
            "answers.yaml:1:32: error[FG150]: a dgx-b200 draws 14.3 kW, a rack may draw 10 kW",
        ),
        ("{nodes: 8 x dgx-b300, protocol: infiniband}", "no infiniband switch of the catalogue takes the NICs"),
        (
            "{nodes: 64 x dgx-b200, hall: 2 x 6}",
            "answers.yaml:1:30: error[FG150]: no usual form of the network compute",
        ),
        ("{nodes: 8 x dgx-b200, hall: 12}", "'12' is no hall: write its rows and the racks of a row, such as 4 x 12"),
        ("{nodes: 8 x dgx-b200, tenants: blue isp-1}", "tenants: blue names isp-1, which is none of `providers`"),
        (
            "{nodes: 8 x mi300x-8, bonds: mlag, inband: none}",
            "answers.yaml:1:30: error[FG150]: there is no network of storage or in-band whose ports could be bonded",
        ),
        ("{nodes: 8 x dgx-b200, providers: isp-1}", "write its name and AS number, such as isp-1 64500"),
    ],
)
def test_answers_that_do_not_go_are_refused(tmp_path: Path, fabricgen: Command, answers: str, told: str) -> None:
    (tmp_path / "answers.yaml").write_text(answers, encoding="utf-8")
    ran = fabricgen("init", tmp_path / "c.yaml", "--answers", tmp_path / "answers.yaml")
    assert ran.code == 2
    assert told in ran.err
    assert not (tmp_path / "c.yaml").exists()


@pytest.mark.slow
def test_questions_are_asked_again_until_they_are_answered(tmp_path: Path) -> None:
    """An answer of its own for each question, in order; a profile that is not there is asked for again."""
    given = ["pod", "64 x dgx-b2000", "64 x dgx-b200", *[""] * 4, "40", *[""] * 6, "isp-1 64500", "blue, green", ""]
    ran = CliRunner().invoke(command, [str(tmp_path / "c.yaml"), "--ask"], input="\n".join([*given, ""]))
    assert ran.exit_code == 0, ran.output
    assert "did you mean 'dgx-b200'?" in ran.output
    page = (tmp_path / "c.yaml").read_text(encoding="utf-8")
    assert "name: pod\n" in page
    assert "  green: {nodes: [" in page
    assert 'why: "one provider leads out so far"' in page


@pytest.mark.parametrize("line", ["", "8 x nothing"])
def test_a_question_without_an_answer_ends_at_last(tmp_path: Path, line: str) -> None:
    """As `yes '' | fabricgen init --ask` has it: nodes have no usual answer."""
    ran = CliRunner().invoke(command, [str(tmp_path / "c.yaml"), "--ask"], input="pod\n" + f"{line}\n" * 100)
    assert ran.exit_code == 2, ran.output
    assert "no answer to 'Nodes, such as 128 x dgx-b300; several kinds with commas' that can be used" in ran.output
    assert ran.output.count("error" if not line else "no node profile") == 10
    assert not (tmp_path / "c.yaml").exists()


def test_answers_are_shown_where_no_page_comes_of_them(tmp_path: Path, fabricgen: Command) -> None:
    """They are what `--answers` takes: one mistake does not cost all of them."""
    given = ["pod", "8 x dgx-b200", *[""] * 4, "10", *[""] * 10]
    ran = CliRunner().invoke(command, [str(tmp_path / "c.yaml"), "--ask"], input="\n".join(given))
    assert isinstance(ran.exception, InputError)
    shown = [line.removeprefix("  ") for line in ran.output.splitlines() if line.startswith("  ")]
    assert shown == ['nodes: "8 x dgx-b200"', 'name: "pod"', "rack_kw: 10"]
    (tmp_path / "answers.yaml").write_text("\n".join(shown), encoding="utf-8")
    again = fabricgen("init", tmp_path / "c.yaml", "--answers", tmp_path / "answers.yaml")
    assert "answers.yaml:3:10: error[FG150]: a dgx-b200 draws 14.3 kW, a rack may draw 10 kW" in again.err


@pytest.mark.slow
def test_switches_run_the_nos_that_was_answered(tmp_path: Path, fabricgen: Command) -> None:
    """The usual ones run SONiC and Cumulus Linux."""
    page = judge_page(fabricgen, tmp_path, "{nodes: 8 x dgx-b200, nos: eos, inband: storage}")
    catalog = Catalog()
    named = {line.split("switch: ")[1].split(",")[0] for line in page if "leaf: {switch: " in line}
    assert all("eos" in catalog.list_usable_nos(catalog.switch(switch)) for switch in named - {"sn2201"})
    assert len(named) == 2


@pytest.mark.slow
@pytest.mark.parametrize("nodes", ["128 x dgx-b300", "64 x dgx-b200"])
def test_no_switch_of_a_scheduled_fabric_is_taken_unasked(nodes: str) -> None:
    """Leaves and spines of Distributed Etherlink link to each other alone; that their power is known is no reason."""
    catalog = Catalog()
    for switch in ("", "7700r4c-38pe"):
        page = Page(Answers.model_validate({"nodes": nodes, "nos": "eos", "switch": switch}), catalog)
        assert catalog.switch(page.switch).scheduled == bool(switch)


@pytest.mark.slow
def test_in_band_without_storage_to_share_has_switches_of_its_own(tmp_path: Path, fabricgen: Command) -> None:
    """Neither server has ports for storage: providers are met all the same. A limit that nothing is held to is told."""
    nodes = "nodes: [64 x hgx-h200, 32 x mi300x-8], rack_kw: 12"
    page = judge_page(fabricgen, tmp_path, f"{{{nodes}, inband: storage, providers: [fw-1 65100, fw-2 65100]}}")
    assert "  inband:" in page
    assert "      internet: {to: wan, asn: 65100, devices: {fw-2: {asn: 65100}}, accept" in "\n".join(page)
    assert sum(line.endswith("what they draw is not published") for line in page) == 2
    assert any(line.endswith("files may share those of in-band: docs/shared-ports.md") for line in page)


def test_a_page_that_is_there_is_told_before_anything_is_asked(tmp_path: Path, fabricgen: Command) -> None:
    (tmp_path / "c.yaml").write_text("mine", encoding="utf-8")
    ran = fabricgen("init", tmp_path / "c.yaml", "--ask")
    assert (ran.code, ran.out) == (2, "")
    assert "it is left as it is" in ran.err


@pytest.mark.slow
def test_drawn_answers_make_pages_that_lint_clean() -> None:
    """Every draw is compiled, wired and linted while its page is found; what no usual form carries is said."""
    catalog, draw = Catalog(), random.Random(20261129)
    pages, refusals = 0, []
    for _ in range(40):
        first = draw.choice(("dgx-h100", "dgx-h200", "dgx-b200", "dgx-b300", "gb200-tray", "mi300x-8"))
        count = draw.choice((4, 8, 12, 32, 100, 144, 288, 512))
        answers = Answers.model_validate(
            {
                "nodes": f"{count - count % 18 or 18 if first == 'gb200-tray' else count} x {first}",
                "protocol": "roce" if first in ("dgx-b300", "mi300x-8") else draw.choice(("roce", "infiniband")),
                "grow_to": draw.choice((1, 1, 2, 4)),
                "inband": draw.choice(("own", "storage", "none")),
                "oob": draw.choice(("own", "own", "none")),
                "tenants": draw.choice(("", "", "blue, green")),
                "bonds": draw.choice(("none", "none", "mlag", "esi")),
            }
        )
        try:
            text = Page(answers, catalog).find_page()
        except InputError as error:
            (diagnostic,) = error.diagnostics
            assert diagnostic.code == "FG150", diagnostic
            refusals.append((answers, diagnostic.message))
        else:
            pages += 1
            assert len(text.splitlines()) <= MOST_LINES
    assert pages >= 36, "\n".join(
        f"{a.nodes} {a.protocol} {a.grow_to} {a.storage} {a.inband} {a.tenants}: {m}" for a, m in refusals
    )
