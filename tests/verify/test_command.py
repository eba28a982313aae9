"""`fabricgen verify`, from files to an exit code."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fabricgen.reports.formats import list_formats
from fabricgen.verify.reading import list_titles
from fabricgen.verify.report import REPORTS
from tests.conftest import BLUEPRINTS, Ran
from tests.verify.cabled import CabledHall

Command = Callable[..., Ran]

BLUEPRINT = BLUEPRINTS / "leaf-spine.yaml"
LEAF = "compute-leaf-p1-su01-r1-01"


def hall() -> CabledHall:
    return CabledHall("leaf-spine")


def faulty() -> CabledHall:
    return hall().swap(LEAF, "Ethernet224", "Ethernet232").cut(LEAF, "Ethernet240")


def found(ran: Ran) -> dict[str, Any]:
    assert not ran.err
    parsed: dict[str, Any] = json.loads(ran.out)
    return parsed


def test_a_hall_as_planned_is_green(tmp_path: Path, fabricgen: Command) -> None:
    ran = fabricgen("verify", BLUEPRINT, hall().csv(tmp_path / "hall.csv"))
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("leaf-spine: 24 cables: 24 as planned\n")


def test_differences_end_with_1_and_name_the_plugs(tmp_path: Path, fabricgen: Command) -> None:
    ran = fabricgen("verify", BLUEPRINT, faulty().lldpctl(tmp_path / "hall"))
    assert (ran.code, ran.err) == (1, "")
    assert ran.out.startswith("leaf-spine: 24 cables: 21 as planned, 2 elsewhere, 1 dark\n")
    assert f"   pull {LEAF}:Ethernet232  rack p1-su01-net01 (h1.R01.02) U46, cage 30\n" in ran.out
    assert f"    put {LEAF}:Ethernet224  cage 29\n" in ran.out


def test_a_port_may_have_a_number_of_any_length(tmp_path: Path, fabricgen: Command) -> None:
    dump = tmp_path / "hall.csv"
    dump.write_text(
        f"device,port,neighbor,neighbor_port\n{LEAF},Ethernet{'9' * 5000},compute-spine-01,Ethernet{'8' * 5000}\n"
    )
    ran = fabricgen("verify", BLUEPRINT, dump, "--format", "json")
    assert (ran.code, found(ran)["cables"]["extra"]) == (1, 1)


def test_json_has_every_key_of_the_contract(tmp_path: Path, fabricgen: Command) -> None:
    ran = fabricgen("verify", BLUEPRINT, faulty().csv(tmp_path / "hall.csv"), "--format", "json")
    report = found(ran)
    assert report["cables"] == {
        "as_planned": 21, "dark": 1, "elsewhere": 2, "unseen": 0, "harmless": 0, "extra": 0
    }  # fmt: skip
    costliest_first = [(action["kind"], action["moves"]) for action in report["actions"]]
    assert costliest_first == [("dark", 0), ("swap", 2)]
    for action in report["actions"]:
        assert action.keys() >= {"id", "kind", "moves", "cables", "ends", "alternatives", "text"}
        assert all(end.keys() >= {"device", "port", "rack", "u", "label"} for end in action["ends"])


def test_unseen_is_said_and_is_no_difference(tmp_path: Path, fabricgen: Command) -> None:
    dump = hall().csv(tmp_path / "hall.csv", [LEAF])
    ran = fabricgen("verify", BLUEPRINT, dump)
    assert ran.code == 0
    assert ran.out.startswith("leaf-spine: 24 cables: 6 as planned, 18 unseen\n")
    assert fabricgen("verify", BLUEPRINT, dump, "--only", LEAF).out.startswith(
        f"leaf-spine, only {LEAF}: 6 cables: 6 as planned\n"
    )


def test_nothing_seen_at_all_is_no_success(tmp_path: Path, fabricgen: Command) -> None:
    """Dumps of other places, or of ports that are not planned: a job of CI must not be green then."""
    dump = tmp_path / "hall.csv"
    dump.write_text("device,port,neighbor,neighbor_port\np1-su01-n001,bmc,router-8,eth1\n")
    ran = fabricgen("verify", BLUEPRINT, dump)
    assert (ran.code, ran.err) == (1, "")
    assert "no dump shows any of these cables" in ran.out


def test_a_built_folder_is_verified_like_its_blueprint(tmp_path: Path, fabricgen: Command) -> None:
    assert fabricgen("build", BLUEPRINT, "-o", tmp_path / "built").code == 0
    dump = faulty().csv(tmp_path / "hall.csv")
    one, other = (
        found(fabricgen("verify", plan, dump, "--format", "json")) for plan in (BLUEPRINT, tmp_path / "built")
    )
    assert _without_reach(one) == _without_reach(other)


def _without_reach(value: Any) -> Any:
    """A report without whether cables reach, which only a floor tells."""
    if isinstance(value, dict):
        return {key: _without_reach(inner) for key, inner in value.items() if key != "reaches"}
    return [_without_reach(inner) for inner in value] if isinstance(value, list) else value


@pytest.mark.parametrize("option", [("--set", "pods.p1.su=3"), ("--phase", "one"), ("--allow-outside",)])
def test_of_a_built_folder_nothing_can_be_changed(option: tuple[str, ...], tmp_path: Path, fabricgen: Command) -> None:
    (tmp_path / "built").mkdir()
    ran = fabricgen("verify", tmp_path / "built", hall().csv(tmp_path / "hall.csv"), *option)
    assert ran.code == 2
    assert "built is a built folder" in ran.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "Missing argument 'DUMP...'"),
        (("-", "-"), "only one of BLUEPRINT and DUMPs can be standard input"),
        (("hall.csv", "--format", "pdf"), "is not one of"),
        (("hall.csv", "--accept", "swap-1"), "--accept writes an overlay of a blueprint; name it"),
    ],
)
def test_what_cannot_be_asked_is_a_usage_error(
    arguments: tuple[str, ...], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fabricgen: Command
) -> None:
    hall().csv(tmp_path / "hall.csv")
    monkeypatch.chdir(tmp_path)
    ran = fabricgen("verify", BLUEPRINT, *arguments)
    assert ran.code == 2
    assert said in ran.err
    assert not ran.out


def test_a_place_that_the_plan_does_not_have(tmp_path: Path, fabricgen: Command) -> None:
    ran = fabricgen("verify", BLUEPRINT, hall().csv(tmp_path / "hall.csv"), "--only", "p1/su9")
    assert ran.code == 2
    assert ran.err == "error[FG066]: the plan has no place 'p1/su9' to verify\n  hint: did you mean 'p1/su2'?\n"


@pytest.mark.parametrize("form", list_formats(REPORTS))
def test_two_runs_write_the_same_bytes(form: str, tmp_path: Path, fabricgen: Command) -> None:
    faulty().lldpctl(tmp_path / "one")
    shutil.copytree(tmp_path / "one", tmp_path / "other" / "one")
    written = []
    for number, dumps in enumerate((tmp_path / "one", tmp_path / "other" / "one")):
        file = tmp_path / f"report{number}"
        ran = fabricgen("verify", BLUEPRINT, dumps, "--format", form, "-o", file, "--jobs", number + 1)
        assert (ran.code, ran.out, ran.err) == (1, "", "")
        written.append(file.read_bytes())
    assert written[0] == written[1]


def test_a_file_is_written_whatever_is_found(tmp_path: Path, fabricgen: Command) -> None:
    ran = fabricgen("verify", BLUEPRINT, faulty().csv(tmp_path / "h.csv"), "-o", tmp_path / "moves.csv")
    assert (ran.code, ran.out) == (1, "")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "moves.csv").read_text())))
    assert [row["kind"] for row in rows] == ["swap", "swap", "dark", "dark"]


def test_from_a_first_report_to_a_green_one(tmp_path: Path, fabricgen: Command) -> None:
    su1 = [name for name, *_ in hall().rows() if name.startswith(("p1-su01", "compute-leaf-p1-su01"))]
    su2 = [name for name, *_ in hall().rows() if name.startswith(("p1-su02", "compute-leaf-p1-su02"))]
    monday, tuesday = tmp_path / "monday.json", tmp_path / "tuesday.json"
    first = fabricgen("verify", BLUEPRINT, faulty().csv(tmp_path / "1.csv", su1), "--format", "json", "-o", monday)
    assert first.code == 1
    second = fabricgen(
        *("verify", BLUEPRINT, hall().csv(tmp_path / "2.csv", su2)),
        *("--since", monday, "--format", "json", "-o", tuesday),
    )
    assert second.code == 1  # what was found on Monday has not been looked at since
    last = fabricgen("verify", BLUEPRINT, hall().csv(tmp_path / "3.csv", [LEAF]), "--since", tuesday)
    assert last.code == 0
    assert last.out.startswith("leaf-spine: 24 cables: 6 as planned, 18 verified earlier\n")
    assert "since the earlier reports: 0 new, 0 still open\nmended since: 2 findings\n" in last.out


def test_names_of_dumps_reach_no_terminal(tmp_path: Path, fabricgen: Command) -> None:
    evil = "\x1b]0;x\x07\n::error::=cmd"
    cabled = hall().cut(LEAF, "Ethernet224")
    cabled.sees[(LEAF, "Ethernet224")] = (evil, "=1+1")
    dump = cabled.lldpctl(tmp_path / "hall")
    for form in ("text", "csv", "github", "junit", "json"):
        ran = fabricgen("verify", BLUEPRINT, dump, "--format", form)
        assert ran.code in (1, 2), form
        assert all(line.isprintable() for line in (ran.out + ran.err).split("\n"))
        assert not any(line.startswith("::error::=") for line in ran.out.split("\n"))


def test_links_of_a_breakout_that_are_as_planned_cost_nothing(tmp_path: Path, fabricgen: Command) -> None:
    crossed = hall().swap("p1-su01-n003", "eth1", "eth2")
    (action,) = found(fabricgen("verify", BLUEPRINT, crossed.csv(tmp_path / "h.csv"), "--format", "json"))["actions"]
    assert action["kind"] == "crossed"
    assert action["consequence"]["lost_gbps"] == {}
    assert action["consequence"]["astray_gbps"] == {"compute node-leaf": 200.0}
    assert action["consequence"]["nodes"] == 1


def test_the_hall_may_win(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fabricgen: Command) -> None:
    monkeypatch.chdir(tmp_path)
    Path("site.yaml").write_bytes(BLUEPRINT.read_bytes())
    swapped = hall().swap(LEAF, "Ethernet224", "Ethernet232").csv(Path("hall.csv"))
    (action,) = json.loads(fabricgen("verify", "site.yaml", swapped, "--format", "json").out)["actions"]
    ran = fabricgen("verify", "site.yaml", swapped, "--accept", action["id"], "-o", "as-built.yaml")
    assert ran.code == 1
    assert ran.out.startswith("leaf-spine: 24 cables: 22 as planned, 2 elsewhere\n")
    assert ran.err == "site.yaml does not take as-built.yaml yet: write `include: as-built.yaml` into it\n"
    Path("site.yaml").write_text(f"include: as-built.yaml\n{BLUEPRINT.read_text()}", encoding="utf-8")
    ran = fabricgen("verify", "site.yaml", swapped)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("leaf-spine: 24 cables: 24 as planned\n")


def test_what_cannot_be_accepted_writes_nothing(tmp_path: Path, fabricgen: Command) -> None:
    target = tmp_path / "as-built.yaml"
    ran = fabricgen("verify", BLUEPRINT, faulty().csv(tmp_path / "h.csv"), "--accept", "swap-0", "-o", target)
    assert (ran.code, ran.out) == (2, "")
    assert "error[FG076]: nothing of this verification is called 'swap-0'" in ran.err
    assert not target.exists()


def test_hardware_is_learnt_into_an_inventory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fabricgen: Command
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("site.yaml").write_text(f"inventory: hardware.csv\n{BLUEPRINT.read_text()}", encoding="utf-8")
    Path("hardware.csv").write_text("device,port,mac,guid,serial\ncompute-spine-01,,,,X-1\n", encoding="utf-8")
    dumps = hall().lldpctl(Path("dumps"))
    assert fabricgen("verify", "site.yaml", dumps, "--learn", "learnt.csv").code == 0
    lines = Path("learnt.csv").read_text(encoding="utf-8").splitlines()
    assert f"{LEAF},,0a:00:00:00:00:01,," in lines
    assert "compute-spine-01,,0a:00:00:00:00:05,,X-1" in lines
    Path("hardware.csv").write_text("\n".join([*lines, ""]), encoding="utf-8")
    assert fabricgen("verify", "site.yaml", dumps).code == 0


def test_the_page_has_every_format_of_dumps() -> None:
    page = (BLUEPRINTS.parent / "docs" / "verify.md").read_text(encoding="utf-8").replace("`", "").replace("\\|", "|")
    titles = [re.sub("^(SONiC|EOS|NVUE|Junos) ", "", title) for title in list_titles()]
    assert [title for title in titles if title not in page] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["nvl72-gb200", "patched-hall", "tpu-torus", "two-site"])
def test_other_halls_as_planned_are_green_and_stay_so(name: str, tmp_path: Path, fabricgen: Command) -> None:
    blueprint, dump = BLUEPRINTS / f"{name}.yaml", CabledHall(name).csv(tmp_path / "hall.csv")
    first = fabricgen("verify", blueprint, dump, "-o", tmp_path / "1.json")
    assert (first.code, first.err) == (0, "")
    (tmp_path / "none.csv").write_text("device,port,neighbor,neighbor_port\n", encoding="utf-8")
    later = found(
        fabricgen("verify", blueprint, tmp_path / "none.csv", "--since", tmp_path / "1.json", "--format", "json")
    )
    assert later["verified_earlier"] == later["cables"]["unseen"] == sum(later["cables"].values())


def test_a_folder_of_two_blueprints_is_refused(tmp_path: Path, fabricgen: Command) -> None:
    built = tmp_path / "built"
    assert fabricgen("build", BLUEPRINT, "-o", built).code == 0
    assert fabricgen("build", BLUEPRINT, "-o", built, "--set", "pods.p1.su=1", "--only", "links").code == 0
    ran = fabricgen("verify", built, hall().csv(tmp_path / "hall.csv"))
    assert ran.code == 2
    assert "error[FG028]: links.csv was built of another blueprint than devices.csv" in ran.err


def test_a_long_report_is_a_screen_on_a_terminal_and_whole_elsewhere(tmp_path: Path, fabricgen: Command) -> None:
    """An overview of at most 40 lines says how to see the rest, and counts every action that it leaves out."""
    fabricgen("emulate", BLUEPRINT, "-o", tmp_path / "paper", "--faults", 9, "--seed", 1)
    asked = ("verify", BLUEPRINT, tmp_path / "paper" / "dumps")
    overview, verbose = fabricgen(*asked).out, fabricgen(*asked, "--verbose").out
    fabricgen(*asked, "-o", tmp_path / "report.txt")
    assert (tmp_path / "report.txt").read_text() == verbose
    assert len(verbose.splitlines()) > 40 >= len(overview.splitlines())
    assert overview.splitlines()[-1].startswith("--verbose tells every plug")
    count = int(re.search(r"^(\d+) actions, ", verbose, re.MULTILINE)[1])  # type: ignore[index]
    shown = len(re.findall(r"^\d+\. ", overview, re.MULTILINE))
    left_out = re.search(r"^and (\d+) more action", overview, re.MULTILINE)
    assert 0 < shown < count == shown + int(left_out[1])  # type: ignore[index]


def test_a_report_of_few_actions_keeps_their_plugs(tmp_path: Path, fabricgen: Command) -> None:
    """Costs, alternatives and notes go before the plugs that are to be pulled."""
    hall = faulty().swap("compute-leaf-p1-su01-r2-01", "Ethernet224", "Ethernet232")
    dumps = hall.lldpctl(tmp_path / "hall")
    overview, verbose = (fabricgen("verify", BLUEPRINT, dumps, *more).out for more in ((), ("-v",)))
    assert len(verbose.splitlines()) > 40 >= len(overview.splitlines())
    pulls = [line for line in verbose.splitlines() if line.startswith("   pull ")]
    assert len(pulls) == 4
    assert [line for line in overview.splitlines() if line.startswith("   pull ")] == pulls
