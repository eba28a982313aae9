"""A plan loads every link, disturbs nothing, and starts from its folder; coverage is counted from files alone."""

from __future__ import annotations

import csv
import os
import re
import subprocess
from collections import Counter, defaultdict
from collections.abc import Callable
from ipaddress import ip_interface
from math import log
from pathlib import Path

import pytest

from tests.conftest import BLUEPRINTS, Ran
from tests.sign_off.paper import NCCL, PERFTEST, PING, PaperHall, Row

Run = Callable[..., Ran]


def read_table(file: Path) -> list[Row]:
    with file.open(encoding="utf-8", newline="") as rows:
        return list(csv.DictReader(rows))


def make_plan(fabricgen: Run, folder: Path, name: str, *options: str) -> tuple[list[Row], list[Row], list[Row]]:
    """(runs, rounds, links of a build) of an example."""
    blueprint = BLUEPRINTS / f"{name}.yaml"
    assert fabricgen("accept", "plan", blueprint, "-o", folder / "plan", *options).code == 0
    assert fabricgen("build", blueprint, "-o", folder / "built", "--only", "links,devices").code == 0
    tables = (folder / "plan/runs.csv", folder / "plan/rounds.csv", folder / "built/links.csv")
    return tuple(read_table(table) for table in tables)  # type: ignore[return-value]


def list_ends(run: Row) -> list[str]:
    """The names of the links of a run's ports."""
    return [f"{run[f'{side}_host']}:{run[f'{side}_port']}" for side in ("from", "to")] if run["from_host"] else []


def count_coverage(runs: list[Row], links: list[Row]) -> tuple[Counter[str], dict[str, float]]:
    """(runs by link of a node, flows expected on each uplink of its switches), of two tiers that choose evenly."""
    leaf = {row["link"]: row["b_device"] for row in links if row["a_device"].rpartition("-")[2].startswith("n")}
    uplinks: dict[str, list[str]] = defaultdict(list)
    for row in links:
        if row["link"] not in leaf:
            uplinks[row["a_device"]].append(row["link"])
    loaded, flows = Counter[str](), dict.fromkeys((link for each in uplinks.values() for link in each), 0.0)
    for run in runs:
        if run["tool"] == "ib_write_bw":
            loaded.update(list_ends(run))
        if run["what"] in ("uplinks", "load"):
            for end in list_ends(run):
                for link in uplinks[leaf[end]]:
                    flows[link] += 1 / len(uplinks[leaf[end]])
    return loaded, flows


@pytest.mark.slow
def test_all_links_of_2048_accelerators_are_loaded_in_40_minutes(tmp_path: Path, fabricgen: Run) -> None:
    runs, rounds, links = make_plan(fabricgen, tmp_path, "superpod-b300")
    links = [row for row in links if row["fabric"] == "compute"]
    assert sum(int(row["seconds"]) for row in rounds) <= 40 * 60
    loaded, flows = count_coverage(runs, links)
    nodes = {row["link"] for row in links if row["a_device"].startswith("p1-su")}
    assert nodes == set(loaded)
    assert min(loaded.values()) >= 2
    # a link of 64 that is passed p times by chance is left out with (1 - 1/64)^p: 5 % that there is any such link
    assert len(flows) == 4096
    assert min(flows.values()) * 64 * -log(1 - 1 / 64) >= log(len(flows) / 0.05) - 0.1
    hall = PaperHall.read(tmp_path / "built", tmp_path / "plan", "compute")
    taken = {link for run in runs if run["what"] == "uplinks" for link, _ in hall.find_way(run)}
    assert taken == nodes | set(flows)


@pytest.mark.parametrize("name", ["leaf-spine", "mi300x-roce", "superpod-b200", "dual-tor", "four-tier"])
@pytest.mark.slow
def test_no_run_disturbs_another(tmp_path: Path, fabricgen: Run, name: str) -> None:
    runs, rounds, links = make_plan(fabricgen, tmp_path, name)
    speed = {row["link"]: float(row["speed_gbps"]) for row in links}
    leaf = {row["link"]: row["b_device"] for row in links}
    used: Counter[tuple[str, str]] = Counter()
    leaving: dict[tuple[str, str, str], float] = defaultdict(float)
    uplinks: dict[str, list[str]] = defaultdict(list)
    for row in links:
        # not that for the management of the switch
        if row["a_device"].startswith(f"{row['fabric']}-"):
            uplinks[row["a_device"]].append(row["link"])
    for run in runs:
        used.update((run["round"], end) for end in list_ends(run))
        if run["what"] == "uplinks":
            for side, end in zip(("out", "in"), list_ends(run), strict=True):
                leaving[run["round"], side, leaf[end]] += float(run["most"])
    assert max(used.values()) == 1
    assert not [run["run"] for run in runs if run["from_host"] and run["from_host"] == run["to_host"]]
    # whatever hashes choose: all flows of a switch in one direction fit into its slowest uplink
    assert all(most <= min(speed[link] for link in uplinks[switch]) for (_, _, switch), most in leaving.items())
    assert [int(row["round"]) for row in rounds] == list(range(1, len(rounds) + 1))
    assert Counter(run["round"] for run in runs) == {row["round"]: int(row["runs"]) for row in rounds}


def test_a_plan_is_the_same_bytes_again(tmp_path: Path, fabricgen: Run) -> None:
    for name in ("one", "two"):
        assert fabricgen("accept", "plan", BLUEPRINTS / "leaf-spine.yaml", "-o", tmp_path / name).code == 0
    one, two = ({f.name: f.read_bytes() for f in (tmp_path / name).iterdir()} for name in ("one", "two"))
    assert one == two


def test_only_what_is_handed_over_is_planned(tmp_path: Path, fabricgen: Run) -> None:
    runs, _, _ = make_plan(fabricgen, tmp_path, "leaf-spine", "--only", "p1/su2")
    assert {run[f"{side}_host"][:7] for run in runs for side in ("from", "to")} == {"p1-su02"}
    coverage = read_table(tmp_path / "plan/coverage.csv")
    assert {row["why_not"] for row in coverage if row["link"].startswith("p1-su01")} == {"not asked for"}
    # a unit that there is not, and a node that has nobody to run against
    for only in ("p1/su9", "p1-su01-n001"):
        ran = fabricgen("accept", "plan", BLUEPRINTS / "leaf-spine.yaml", "-o", tmp_path / "none", "--only", only)
        assert (ran.code, "FG178" in ran.err) == (2, True), ran.err
    assert not (tmp_path / "none").exists()


def test_links_that_no_run_loads_are_told_with_why(tmp_path: Path, fabricgen: Run) -> None:
    ran = fabricgen("accept", "plan", BLUEPRINTS / "leaf-spine.yaml", "-o", tmp_path, "--only", "p1/su2")
    left = Counter(row["why_not"] for row in read_table(tmp_path / "coverage.csv") if row["why_not"])
    told = re.findall(r"^compute: ([\d,]+) links are not loaded: (.+)$", ran.err, re.MULTILINE)
    assert {why: int(count) for count, why in told} | {"not asked for": 8} == left
    assert told == [("8", "no run crosses it: no two chosen nodes are joined by it alone")]


@pytest.mark.slow
def test_meshes_of_switches_are_told_as_not_loaded(tmp_path: Path, fabricgen: Run) -> None:
    ran = fabricgen("accept", "plan", BLUEPRINTS / "dragonfly.yaml", "-o", tmp_path)
    why = "it joins two switches of one tier, over which no run is led"
    assert f"compute: 1,584 links are not loaded: {why}\n" in ran.err


EACH_NODE = """\
#!/bin/sh
# starts node.sh of the folder of a plan once for each node, or a collective once
case "$*" in
  *node.sh*)
    for round; do :; done
    for host in $(cat FOLDER/nodes.txt); do FABRICGEN_HOST=$host sh FOLDER/node.sh "$round" & done
    wait ;;
  *) cat FOLDER/nccl ;;
esac
"""
STAND_INS = {
    "ssh": '#!/bin/sh\nshift 4\nexec sh -c "$*"\n',
    "mpirun": EACH_NODE,
    "srun": EACH_NODE,
    "ping": "#!/bin/sh\ncat <<'END'\n" + PING.format(host="h", received=15, loss=0) + "END\n",
    "ib_write_bw": "#!/bin/sh\ncase \"$*\" in *' -b'*) rate=195 ;; *) rate=97 ;; esac\n"
    "cat <<END\n" + PERFTEST.format(unit="Gb", average=0).replace("0.00               0.00", "0.00 $rate") + "END\n",
    "traceroute": "#!/bin/sh\necho no answer\n",
    "sleep": "#!/bin/sh\n",
}
"""Programs that scripts of a plan start, as they print."""


def start_rounds(folder: Path, script: str) -> str:
    """What a script of a plan says on standard error, where stand-ins are what it starts."""
    (folder / "bin").mkdir()
    for name, text in STAND_INS.items():
        (folder / "bin" / name).write_text(text.replace("FOLDER", str(folder / "plan")), encoding="utf-8")
        (folder / "bin" / name).chmod(0o755)
    (folder / "plan/nccl").write_text(NCCL.format(size=2**33, count=2**31, busbw=400), encoding="utf-8")
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "SLURM_SUBMIT_DIR": str(folder / "plan")}
    command = ["sh", folder / "plan" / script]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stderr


@pytest.mark.slow
def test_the_shell_does_all_rounds(tmp_path: Path, fabricgen: Run) -> None:
    make_plan(fabricgen, tmp_path, "leaf-spine")
    told = start_rounds(tmp_path, "shell.sh")
    assert re.findall(r"round (\d+) of 10", told) == [str(number) for number in range(1, 11)]
    judged = fabricgen("accept", "judge", BLUEPRINTS / "leaf-spine.yaml", tmp_path / "plan")
    verdict = "leaf-spine: accepted: everything that the plan tests was tested and is right"
    assert (judged.code, verdict in judged.out) == (0, True), judged.out


@pytest.mark.slow
@pytest.mark.parametrize("script", ["mpi.sh", "slurm.sbatch"])
def test_mpi_and_slurm_do_all_runs(tmp_path: Path, fabricgen: Run, script: str) -> None:
    runs, rounds, _ = make_plan(fabricgen, tmp_path, "known-hardware")
    assert rounds[-1]["what"] == "collective"
    told = start_rounds(tmp_path, script)
    assert told.count("round ") == len(rounds)
    results = {file.name for file in (tmp_path / "plan/results").glob("*.txt")}
    assert results == {f"{run['run']}.txt" for run in runs}
    text = (tmp_path / "plan/results" / f"{runs[-1]['run']}.txt").read_text(encoding="utf-8")
    assert "Avg bus bandwidth    : 400.0000" in text


def test_scripts_are_read_by_a_shell(tmp_path: Path, fabricgen: Run) -> None:
    make_plan(fabricgen, tmp_path, "leaf-spine")
    for file in [*(tmp_path / "plan").glob("*.sh"), tmp_path / "plan/slurm.sbatch"]:
        subprocess.run(["sh", "-n", file], check=True)
    tasks = [line.split("\t") for line in (tmp_path / "plan/tasks.tsv").read_text(encoding="utf-8").splitlines()]
    assert {len(task) for task in tasks} == {12}
    assert all(field for task in tasks for field in task)


@pytest.mark.slow
def test_nodes_of_several_tenants_do_not_meet(tmp_path: Path, fabricgen: Run) -> None:
    ran = fabricgen("accept", "plan", BLUEPRINTS / "tenants.yaml", "-o", tmp_path / "plan")
    assert "no all-reduce of the nodes of compute in all: they do not reach each other\n" in ran.err
    assert fabricgen("build", BLUEPRINTS / "tenants.yaml", "-o", tmp_path / "built", "--only", "configs").code == 0
    texts = [file.read_text("utf-8") for file in (tmp_path / "built/configs").glob("compute-leaf-*/*.cfg")]
    found = re.findall(r"^   vrf (\S+)\n   ip address (\S+)$", "\n".join(texts), re.MULTILINE)
    vrfs = {str(ip_interface(address).network): vrf for vrf, address in found}
    met = set()
    for run in read_table(tmp_path / "plan/runs.csv"):
        networks = [str(ip_interface(f"{run[f'{side}_address']}/31").network) for side in ("from", "to")]
        ends = [vrfs.get(network, "") for network in networks]
        assert len(set(ends)) == 1, run
        met |= set(ends)
    assert met == {"", "blue", "green"}
