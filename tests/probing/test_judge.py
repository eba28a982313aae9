"""What results of probes name: in simulated halls with noise the true part first, in healthy ones nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from fabricgen.addons.probing.judge import judge_results
from fabricgen.addons.probing.plan import Probes, write_tables
from fabricgen.addons.probing.solver import Delays, Losses, Parts, find_suspects
from fabricgen.api import ClusterView
from tests.conftest import BLUEPRINTS, Ran, example_cluster
from tests.laws import law_examples
from tests.probing.halls import BACKGROUND, KINDS, SENT, break_hall, plan_exactly

Run = Callable[..., Ran]


@cache
def planned(name: str) -> Probes:
    return plan_exactly(ClusterView(example_cluster(name)), "compute")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("probes")
    for name, content in write_tables([planned("uneven-spread")]).items():
        (made / name).write_bytes(content)
    return made


def judge(folder: Path, name: str, lines: list[str], example: str = "uneven-spread") -> list[str]:
    """The names of the parts that results name, the likeliest first."""
    file = folder / f"{name}.csv"
    file.write_text("\n".join(lines) + "\n")
    return [named.name for named in judge_results(planned(example).view, folder, [file]).named]


@pytest.mark.law
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "module half"])
def test_the_true_part_is_named_first(folder: Path, kind: str) -> None:
    probes, halls, first = planned("uneven-spread"), law_examples(50), 0
    for seed in range(halls):
        faults, lost = break_hall(probes, kind, np.random.default_rng(seed))
        lines = [f"compute-{n},{SENT},{count}" for n, count in enumerate(lost.tolist(), 1)]
        named = judge(folder, f"{kind}-{seed}", ["probe,sent,lost", *lines])
        names = {name for fault in faults for name in fault.names}
        first += set(named[: len(names)]) == names
    assert first >= 0.95 * halls, f"{first} of {halls}"


@pytest.mark.slow
@pytest.mark.law
def test_half_of_a_module_is_named(tmp_path: Path) -> None:
    """Of modules with eight links each, four may be lossy; two links of a module are told as links."""
    probes, halls, first = planned("multi-plane"), law_examples(20), 0
    for name, content in write_tables([probes]).items():
        (tmp_path / name).write_bytes(content)
    for seed in range(halls):
        (fault,), lost = break_hall(probes, "module half", np.random.default_rng(seed))
        lines = [f"compute-{n},{SENT},{count}" for n, count in enumerate(lost.tolist(), 1)]
        first += judge(tmp_path, f"half-{seed}", ["probe,sent,lost", *lines], "multi-plane")[:1] == list(fault.names)
    assert first >= 0.95 * halls, f"{first} of {halls}"


@pytest.mark.slow
def test_healthy_halls_name_nothing(folder: Path) -> None:
    count, named = len(planned("uneven-spread").paths), 0
    halls = 100  # all of them, also without --whole: two in a hundred cannot be told of ten
    for seed in range(halls):
        rng = np.random.default_rng(seed)
        # from halls that lose next to nothing to busy ones, in which probes differ more than chance has it
        rate = rng.gamma(4, 10 ** rng.uniform(-6, -2) / 4, count) if seed % 2 else np.full(count, BACKGROUND)
        lost, took = rng.binomial(SENT, np.minimum(rate, 1)), rng.normal(8, 0.3, count)
        lines = [f"compute-{n},{SENT},{a},{b:.3f}" for n, (a, b) in enumerate(zip(lost, took, strict=True), 1)]
        named += bool(judge(folder, f"healthy-{seed}", ["probe,sent,lost,median_us", *lines]))
    assert named <= 0.02 * halls


def test_slow_and_narrow_links_are_named(folder: Path) -> None:
    rows = (folder / "probes.csv").read_text().splitlines()
    bad = rows[40].split(",")[6].split()[1]
    crosses = [bad in row.split(",")[6].split() for row in rows[1:]]
    rng = np.random.default_rng(1)
    lines = ["probe,median_us,gbps"]
    for number, on in enumerate(crosses, 1):
        rate = rng.normal(190 if on else 380, 4)
        lines.append(f"compute-{number},{rng.normal(8 + 3 * on, 0.2):.2f},{rate:.1f}")
    (folder / "slow.csv").write_text("\n".join(lines) + "\n")
    (named,) = judge_results(planned("uneven-spread").view, folder, [folder / "slow.csv"]).named
    assert (named.kind, named.links) == ("direction", (bad,))
    assert named.amounts == pytest.approx({"latency": 3, "rate": 0.5}, rel=0.15)


def test_losses_of_several_parts_are_fitted_together() -> None:
    # three probes in a row share parts 0 and 1; part 2 is of the last alone, and twenty others cross neither
    probe, part = np.array([0, 1, 1, 2, 2, *range(3, 23)]), np.array([0, 0, 1, 1, 2, *range(3, 23)])
    parts = Parts(probe, part, 23)
    losses = Losses(parts, np.full(23, 1e6), np.array([10_000.0, 30_000, 20_000, *[10.0] * 20]))
    suspects = {suspect.part: suspect.amount for suspect in find_suspects(parts, losses)}
    assert suspects == pytest.approx({0: 0.01, 1: 0.02}, rel=0.02)
    took = np.array([8.0, 8.01, 7.99, *[8.0] * 20])
    assert not find_suspects(parts, Delays(parts, took, np.zeros(23)))


def test_the_command_plans_and_judges(tmp_path: Path, fabricgen: Run) -> None:
    blueprint = BLUEPRINTS / "leaf-spine.yaml"
    ran = fabricgen("probe", "plan", blueprint, "--hash", "crc32", "-o", tmp_path)
    assert (ran.code, ran.out.split(" probes")[0]) == (0, "compute: 30")
    assert fabricgen("probe", "plan", blueprint, "--hash", "crc32").out == ran.out
    rows = [line.split(",") for line in (tmp_path / "probes.csv").read_text().splitlines()[1:]]
    bad = rows[3][7].split()[0]
    lost = [400 * (bad in row[7].split()) for row in rows]
    text = "".join(f"{row[0]},1000,{count}\n" for row, count in zip(rows, lost, strict=True))
    results = tmp_path / "results.csv"
    results.write_text(f"probe,sent,lost\n{text}")
    ran = fabricgen("probe", "judge", blueprint, results)
    assert (ran.code, ran.out.splitlines()[0].startswith("1. link ")) == (1, True)
    assert f" to {bad}: loses " in ran.out.splitlines()[0]
    named = json.loads(fabricgen("probe", "judge", blueprint, results, "--format", "json").out)["named"]
    assert [part["links"] for part in named] == [[bad]]
    assert "failure" in fabricgen("probe", "judge", blueprint, results, "--format", "junit").out
    results.write_text("probe,sent,lost\n" + "".join(f"{row[0]},1000,0\n" for row in rows[1:]))
    ran = fabricgen("probe", "judge", blueprint, results)
    assert (ran.code, ran.out.splitlines()[-1]) == (0, "29 of 30 probes have results: nothing is lossy or slow")


@pytest.mark.slow
def test_what_cannot_be_told_apart_is_told_by_name(tmp_path: Path, fabricgen: Run) -> None:
    """Tiers that hash alike hide uplinks, and packets that are spread do not tell links apart."""
    blueprint = BLUEPRINTS / "four-tier.yaml"
    planned_by = {
        "hidden": ("--set", "routing.load_balance.seeds={leaf: 7, agg: 7, core: 7, super-spine: 7}", "--hash", "crc32"),
        "spread": (),
    }
    told = {}
    for name, options in planned_by.items():
        folder = tmp_path / name
        told[name] = fabricgen("probe", "plan", blueprint, *options, "-o", folder).out
        number = len((folder / "probes.csv").read_text().splitlines()) - 1
        lines = [f"compute-{row},1000,0" for row in range(1, number + 1)]
        (folder / "results.csv").write_text("\n".join(["probe,sent,lost", *lines]) + "\n")
        told[f"judge {name}"] = fabricgen("probe", "judge", blueprint, folder / "results.csv").out
        told[f"json {name}"] = fabricgen("probe", "judge", blueprint, folder / "results.csv", "--format", "json").out
    gaps = (tmp_path / "hidden/classes.csv").read_text().splitlines()[1:]
    hidden = [line.split(",")[1:3] for line in gaps if line.startswith(",")]
    assert hidden
    assert f": {' '.join(hidden[0])}, " in told["hidden"]
    assert f"{hidden[0][0]} to " in told["judge hidden"]
    listed = [name for names in json.loads(told["json hidden"])["uncovered"].values() for name in names]
    assert len(listed) == len(hidden)
    spread = [line.split(",") for line in (tmp_path / "spread/classes.csv").read_text().splitlines()[1:]]
    together = json.loads(told["json spread"])["together"]
    assert sum(each["directions"] for each in together) == sum(bool(row[0]) for row in spread)
    assert together[0]["first"] in told["judge spread"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("probe,sent,lost\ncompute-1,10,11\n", "results.csv:2:1: error[FG181]: 11 packets were lost, of 10"),
        ("probe,sent,lost\ncompute-99,10,0\n", "results.csv:2:1: error[FG181]: there is no probe 'compute-99'"),
        ("probe,sent,lost\ncompute-1,10,x\n", "results.csv:2:1: error[FG181]: lost is 'x', which is no number"),
        ("probe,sent,lost\ncompute-1,10\n", "results.csv:2:1: error[FG181]: the row has 2 cells, and the header 3"),
        ("probe,sent,lost\ncompute-1,10,\n", "results.csv:2:1: error[FG181]: sent and lost are known together"),
        ("name,sent\n", "results.csv:1:1: error[FG181]: there is no column probe"),
        ("probe,sent,lost\n", "results.csv:1:1: error[FG181]: there is no result of any probe"),
    ],
)
def test_results_that_cannot_be_used_are_refused(tmp_path: Path, fabricgen: Run, text: str, message: str) -> None:
    blueprint = BLUEPRINTS / "leaf-spine.yaml"
    fabricgen("probe", "plan", blueprint, "-o", tmp_path)
    (tmp_path / "results.csv").write_text(text)
    ran = fabricgen("probe", "judge", blueprint, tmp_path / "results.csv")
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err


def test_what_cannot_be_planned_is_refused(tmp_path: Path, fabricgen: Run) -> None:
    ran = fabricgen("probe", "plan", BLUEPRINTS / "superpod-b200.yaml", "--hash", "crc32")
    assert (ran.code, "has its paths by its subnet manager" in ran.err) == (2, True)
    ran = fabricgen("probe", "plan", BLUEPRINTS / "leaf-spine.yaml", "--fabric", "compote")
    assert (ran.code, "--fabric compote: there is none" in ran.err) == (2, True)
    learnt = tmp_path / "learnt.csv"
    learnt.write_text("from,to,source_port,hops\na:b,c:d,5,x\n")
    ran = fabricgen("probe", "plan", BLUEPRINTS / "leaf-spine.yaml", "--fabric", "compute", "--learnt", learnt)
    assert (ran.code, "learnt.csv:2:1: error[FG181]: 'a:b' is no port of an endpoint" in ran.err) == (2, True)
