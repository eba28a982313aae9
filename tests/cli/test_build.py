"""What a build promises: the contract's files, whole or not at all, the same bytes everywhere."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import pytest

from fabricgen.bom.need import KINDS
from fabricgen.pipeline import list_all_parts
from tests.conftest import BLUEPRINTS, EXAMPLES, SMALLER, example_design, require

COLUMNS = {
    "devices.csv": "device,fabric,tier,model,nos,site,pod,su,rack,u,rail,plane,asn,loopback,mgmt",
    "links.csv": "fabric,link,cable,a_device,a_port,a_ip,b_device,b_port,b_ip,speed_gbps,rail,plane",
    "cables.csv": "cable,fabric,part,medium,length_m,a_device,a_cage,a_transceiver,a_rack,a_u,"
    "b_device,b_cage,b_transceiver,b_rack,b_u,label_a,label_b",
    "addresses.csv": "prefix,kind,device,port",
    "endpoints.csv": "node,accelerator,domain,fabric,nic,port,rail,plane,leaf,leaf_port,speed_gbps",
    "bom.csv": "part,description,kind,quantity,spares,unit_price,total_price,power_w",
}


STATIC = ("multi-plane", "shuffled-planes")
"""Examples without a routing protocol, whose switches have no AS numbers."""

ADDRESS_PER_NIC = ("multi-plane",)
"""Examples of one address a NIC, to which the leaf of each plane has the same: addresses are unique within a plane."""


def read(file: Path) -> list[dict[str, str]]:
    with file.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def smaller(name: str) -> list[str]:
    """Options that make an example small enough to build in every test."""
    return [word for text in SMALLER.get(name, ()) for word in ("--set", text)]


@pytest.fixture(scope="module", params=EXAMPLES)
def built(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every example, built once."""
    from fabricgen.cli.main import run_command

    target = tmp_path_factory.mktemp("built") / request.param
    assert (
        run_command(["build", str(BLUEPRINTS / f"{request.param}.yaml"), "-o", str(target), *smaller(request.param)])
        == 0
    )
    return target


@pytest.mark.tenth
def test_files_and_columns_are_those_of_the_contract(built: Path) -> None:
    summary = json.loads((built / "summary.json").read_text())
    spare = "spare_nodes" in summary
    for name, header in COLUMNS.items():
        more = ",spare" if spare and name == "endpoints.csv" else ""
        assert (built / name).read_text(encoding="utf-8").splitlines()[0] == header + more
    nodes = ["nodes", "spare_nodes"] if spare else ["nodes"]
    tenants = ["tenants"] if "tenants" in summary else []
    known = ["blueprint", *nodes, "accelerators", *tenants, "fabrics", "scale_up", "power_w", "findings"]
    assert list(summary) == known
    assert spare == (built.name == "spare-nodes")


@pytest.mark.tenth
def test_the_manifest_has_the_digest_of_every_file(built: Path) -> None:
    manifest = json.loads((built / "manifest.json").read_text())
    files = {str(f.relative_to(built)): f for f in built.rglob("*") if f.is_file() and f.name != "manifest.json"}
    assert set(manifest["files"]) == set(files)
    for path, file in files.items():
        assert manifest["files"][path]["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
    assert manifest["digest"]
    assert manifest["fabricgen"]


@pytest.mark.tenth
def test_fields_are_filled_where_there_is_a_value(built: Path) -> None:
    routed = {}
    for row in read(built / "devices.csv"):
        always = ("device", "tier", "model", "site", "rack", "u")
        assert all(row[c] for c in always), row
        infiniband = row["nos"] == "opensm"
        routed[row["device"]] = row["fabric"] and not infiniband and row["tier"] != "switch-tray"
        assert bool(row["loopback"]) == bool(routed[row["device"]]), row
        assert bool(row["asn"]) == (bool(row["loopback"]) and built.name not in STATIC), row
        assert bool(row["nos"]) == bool(row["fabric"]), row
    for row in read(built / "links.csv"):
        assert all(row[c] for c in ("fabric", "link", "a_device", "a_port", "b_device", "b_port", "speed_gbps")), row
    ocs = {row["device"] for row in read(built / "devices.csv") if row["model"].endswith("-ocs")}
    for row in read(built / "cables.csv"):
        assert all(row[c] for c in row if not c.endswith("transceiver")), row
        assert (bool(row["a_transceiver"]) == bool(row["b_transceiver"])) != (row["b_device"] in ocs), row
    for row in read(built / "bom.csv"):
        assert all(row[c] for c in ("part", "description", "kind", "quantity", "spares")), row


@pytest.mark.tenth
def test_no_two_devices_share_a_rack_unit(built: Path) -> None:
    catalog = example_design(built.name).catalog
    taken: dict[tuple[str, int], str] = {}
    for row in read(built / "devices.csv"):
        profile = catalog.node(row["model"]) if row["tier"] == "node" else catalog.switch(row["model"])
        for u in range(int(row["u"]), int(row["u"]) + profile.rack_units):
            assert taken.setdefault((row["rack"], u), row["device"]) == row["device"]


@pytest.mark.tenth
def test_the_bom_is_the_sum_of_devices_and_cables(built: Path) -> None:
    rows = read(built / "bom.csv")
    bom = {row["part"]: int(row["quantity"]) for row in rows}
    cables = read(built / "cables.csv")
    pulled = {row["cable"]: row["part"] for row in cables}
    parts = Counter(piece for part in pulled.values() for piece in part.split(" + "))
    for name in ("trunks.csv", "panels.csv"):
        parts.update(row["part"] for row in (read(built / name) if (built / name).exists() else ()))
    optics: dict[tuple[str, str], str] = {}
    for row in cables:
        for end in "ab":
            if row[f"{end}_transceiver"]:
                place = (row[f"{end}_device"], row[f"{end}_cage"])
                assert optics.setdefault(place, row[f"{end}_transceiver"]) == row[f"{end}_transceiver"]
    parts.update(Counter(optics.values()))
    parts.update(Counter(row["model"] for row in read(built / "devices.csv") if row["model"] != "external-router"))
    assert {part: bom[part] for part in parts} == dict(parts)
    others = {"line-card", *KINDS[KINDS.index("rack") :]}
    assert {row["kind"] for row in rows if row["part"] not in parts} <= others


@pytest.mark.tenth
def test_links_cables_and_addresses_refer_to_each_other(built: Path) -> None:
    devices = {row["device"] for row in read(built / "devices.csv")}
    cables = {row["cable"] for row in read(built / "cables.csv")}
    links = read(built / "links.csv")
    assert {row["cable"] for row in links if row["cable"]} == cables
    assert {row[f"{end}_device"] for row in links for end in "ab"} <= devices
    plane = {
        row["device"]: row["plane"] if built.name in ADDRESS_PER_NIC else "" for row in read(built / "devices.csv")
    }
    addresses = [(row["prefix"], plane[row["device"]]) for row in read(built / "addresses.csv")]
    assert len(set(addresses)) == len(addresses)
    on_links = [(row[f"{end}_ip"], plane[row[f"{end}_device"]]) for row in links for end in "ab" if row[f"{end}_ip"]]
    assert len(set(on_links)) == len(on_links)
    assert set(on_links) <= set(addresses)


@pytest.mark.tenth
def test_both_ends_of_a_backplane_link_are_in_one_rack(built: Path) -> None:
    rack = {row["device"]: row["rack"] for row in read(built / "devices.csv")}
    for row in read(built / "links.csv"):
        if not row["cable"]:
            assert rack[row["a_device"]] == rack[row["b_device"]]
            assert row["a_port"].startswith("gpu")


@pytest.mark.tenth
def test_every_configured_switch_has_its_files(built: Path) -> None:
    files = {"sonic": {"config_db.json"}, "eos": set()}
    for row in read(built / "devices.csv"):
        if row["nos"] in files:
            folder = built / "configs" / row["device"]
            names = {f.name for f in folder.iterdir()}
            assert files[row["nos"]] <= names
            assert row["nos"] != "eos" or names == {f"{row['device']}.cfg"}


@pytest.mark.tenth
def test_show_agrees_with_the_build(built: Path, fabricgen) -> None:
    shown = json.loads(
        fabricgen("show", BLUEPRINTS / f"{built.name}.yaml", "--format", "json", *smaller(built.name)).out
    )
    summary = json.loads((built / "summary.json").read_text())
    del shown["findings"], summary["findings"]
    assert shown == summary


def manifest_of(target: Path) -> bytes:
    return (target / "manifest.json").read_bytes()


@pytest.mark.slow
def test_same_bytes_whatever_the_hash_seed_folder_or_jobs(tmp_path: Path) -> None:
    results = []
    for seed, jobs, where in (("0", "1", "one"), ("42", "2", "two/deeper")):
        folder = tmp_path / where
        folder.mkdir(parents=True)
        shutil.copytree(BLUEPRINTS, folder / "blueprints")
        arguments = ["-m", "fabricgen", "build", "blueprints/superpod-b300.yaml", "-o", "out", "--jobs", jobs]
        environment = os.environ | {"PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, *arguments], cwd=folder, env=environment, check=True, capture_output=True)
        results.append(manifest_of(folder / "out"))
    assert results[0] == results[1]


@pytest.mark.parametrize(("name", "told"), [("out.tar.zst", True), ("out.zip", True), ("v1.2", False), ("out", False)])
def test_a_folder_named_as_an_archive_is_said_to_be_a_folder(tmp_path: Path, fabricgen, name: str, told: bool) -> None:
    done = fabricgen("build", BLUEPRINTS / "leaf-spine.yaml", "-o", tmp_path / name, "--only", "summary")
    assert done.code == 0
    assert (tmp_path / name / "summary.json").is_file()
    assert (f"`--archive {tmp_path / name}` writes an archive" in done.err) is told


@pytest.mark.slow
def test_standard_output_takes_an_archive_and_no_folder(
    tmp_path: Path, fabricgen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    blueprint = BLUEPRINTS / "leaf-spine.yaml"
    refused = fabricgen("build", blueprint, "-o", "-")
    assert (refused.code, refused.out) == (2, "")
    assert "-o names a folder, which standard output is not; `--archive -` writes a .tar there" in refused.err
    assert not any(tmp_path.iterdir())
    command = [sys.executable, "-m", "fabricgen", "build", str(blueprint), "--archive", "-"]
    done = subprocess.run(command, capture_output=True, check=True, timeout=300)
    assert done.stderr.endswith(b" s\n")
    assert b"standard output: " in done.stderr
    assert not any(tmp_path.iterdir())
    assert fabricgen("build", blueprint, "--archive", "same.tar").code == 0
    assert done.stdout == Path("same.tar").read_bytes()


@pytest.mark.parametrize("command", [("schema",), ("wiring",), ("bom",)])
def test_a_dash_is_standard_output_whatever_is_called_so(
    tmp_path: Path, fabricgen, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "-").mkdir()
    arguments = (*command, *((BLUEPRINTS / "leaf-spine.yaml",) if command != ("schema",) else ()))
    ran = fabricgen(*arguments, "-o", "-")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out


def test_an_archive_holds_the_same_files(tmp_path: Path, fabricgen) -> None:
    blueprint = BLUEPRINTS / "leaf-spine.yaml"
    assert fabricgen("build", blueprint, "-o", tmp_path / "folder").code == 0
    assert fabricgen("build", blueprint, "--archive", tmp_path / "a.tar").code == 0
    with tarfile.open(tmp_path / "a.tar") as archive:
        archive.extractall(tmp_path / "unpacked", filter="data")
    assert manifest_of(tmp_path / "unpacked") == manifest_of(tmp_path / "folder")


def test_the_help_and_the_page_of_outputs_name_every_part(fabricgen) -> None:
    words = set(re.split(r"[\s,;:.]+", fabricgen("build", "--help").out))
    page = (BLUEPRINTS.parent / "docs" / "outputs.md").read_text(encoding="utf-8")
    files = {name.rpartition(".")[0] or name for name in re.findall(r"`([a-z0-9.-]+)[/`]", page)}
    assert set(list_all_parts()) <= words & files


def test_only_touches_the_parts_named(tmp_path: Path, fabricgen) -> None:
    blueprint = BLUEPRINTS / "leaf-spine.yaml"
    assert fabricgen("build", blueprint, "-o", tmp_path / "out").code == 0
    before = {f: f.stat().st_ino for f in (tmp_path / "out").rglob("*") if f.is_file()}
    grown = fabricgen("build", blueprint, "-o", tmp_path / "out", "--only", "bom", "--set", "spares.cables=10%")
    assert grown.code == 0
    changed = {f.name for f, inode in before.items() if f.stat().st_ino != inode}
    assert changed == {"bom.csv", "manifest.json"}
    manifest = json.loads(manifest_of(tmp_path / "out"))
    assert len(manifest["files"]) == len(before) - 1


@pytest.mark.slow
def test_an_edited_file_is_kept_and_named(tmp_path: Path, fabricgen) -> None:
    build = partial(fabricgen, "build", BLUEPRINTS / "leaf-spine.yaml", "-o", tmp_path / "out")
    build()
    links, bom = tmp_path / "out" / "links.csv", tmp_path / "out" / "bom.csv"
    fresh = links.read_bytes()
    for file in (links, bom):
        file.write_bytes(b"mine")
    done = build("--set", "pods.p1.su=3")
    assert done.code == 0
    assert "kept, since edited" in done.err
    assert "\n  links.csv: the new content is in links.csv.new\n" in done.err
    assert " removed, 2 kept (edited since the last build) in " in done.err
    assert links.read_bytes() == bom.read_bytes() == b"mine"
    done = build("--force")
    assert done.code == 0
    assert "since edited" not in done.err
    assert links.read_bytes() == fresh
    assert not list((tmp_path / "out").rglob("*.new"))


def test_a_redlined_workbook_outlives_plain_builds(tmp_path: Path, fabricgen) -> None:
    build = partial(fabricgen, "build", BLUEPRINTS / "leaf-spine.yaml", "-o", tmp_path / "out")
    build("--only", "technician")
    (workbook,) = (tmp_path / "out" / "technician").glob("*.xlsx")
    workbook.write_bytes(b"redlined")
    assert build("--only", "technician").code == 0
    assert workbook.with_name(f"{workbook.name}.new").is_file()
    done = build()
    assert done.code == 0
    assert f"\n  technician/{workbook.name}: no longer built, and yours from now on\n" in done.err
    assert workbook.read_bytes() == b"redlined"
    assert [path.name for path in workbook.parent.iterdir()] == [workbook.name]


@pytest.mark.slow
def test_of_many_edited_files_some_are_named(tmp_path: Path, fabricgen) -> None:
    build = partial(fabricgen, "build", BLUEPRINTS / "superpod-b300.yaml", "-o", tmp_path / "out", "--only", "configs")
    build()
    edited = sorted((tmp_path / "out" / "configs").rglob("config_db.json"))[:25]
    for file in edited:
        file.write_bytes(b"mine")
    done = build()
    assert done.err.count("the new content is in") == 20
    assert "\n  and 5 more\n" in done.err


@pytest.mark.slow
def test_a_folder_with_edited_files_can_be_compared(tmp_path: Path, fabricgen) -> None:
    """Its edits are seen, and what lies beside them is none of its own."""
    blueprint, out = BLUEPRINTS / "leaf-spine.yaml", tmp_path / "out"
    fabricgen("build", blueprint, "-o", out)
    config = sorted((out / "configs").rglob("config_db.json"))[0]
    config.write_bytes(config.read_bytes().replace(b'"up"', b'"down"'))
    fabricgen("build", blueprint, "-o", out)
    assert config.with_name("config_db.json.new").is_file()
    shown = fabricgen("plan", out, blueprint, "--configs")
    assert shown.code == 1
    assert "down" in shown.out
    assert ".new" not in shown.out
    assert fabricgen("plan", out, out).code == 0
    assert fabricgen("bom", blueprint, "--diff", out).code == 0
    assert fabricgen("check", out).code == 0


def test_unusable_input_writes_nothing(tmp_path: Path, fabricgen) -> None:
    target = tmp_path / "out"
    ran = fabricgen("build", BLUEPRINTS / "leaf-spine.yaml", "-o", target, "--set", "pods.p1.su=100000")
    assert ran.code == 2
    assert not target.exists()
    assert "Traceback" not in ran.err


@pytest.mark.slow
def test_killing_a_build_leaves_the_earlier_output_whole(tmp_path: Path) -> None:
    """Kill builds of ever longer life; after each the folder is exactly what one build wrote.

    tests/publish kills builds before every step that they take in a folder; here it is the command that is killed.
    """
    target = tmp_path / "out"
    base = [sys.executable, "-m", "fabricgen", "build", str(BLUEPRINTS / "leaf-spine.yaml"), "-o", str(target)]
    subprocess.run(base, check=True, capture_output=True)
    small = manifest_of(target)
    other = [*base, "--set", "pods.p1.su=3"]
    started = time.monotonic()
    subprocess.run(other, check=True, capture_output=True)
    life = time.monotonic() - started
    large = manifest_of(target)
    for step in range(4):
        process = subprocess.Popen(base if step % 2 else other, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(life * (0.55 + 0.15 * step))
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert manifest_of(target) in (small, large)
        for path, entry in json.loads(manifest_of(target))["files"].items():
            assert hashlib.sha256((target / path).read_bytes()).hexdigest() == entry["sha256"]


@contextmanager
def listening() -> Iterator[None]:
    """Let what is started listen to control-C, though a shell that starts pytest with `&` keeps it from all below."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.slow
@pytest.mark.parametrize("output", [("-o", "out"), ("--archive", "out.tar")])
def test_an_interrupted_build_says_so_and_leaves_nothing(tmp_path: Path, output: tuple[str, str]) -> None:
    """As on a terminal, where control-C reaches workers too, which a template within its budget keeps busy."""
    require("" if Path("/proc/self/stat").exists() else "processes are not listed: run on Linux", marked=False)
    template = tmp_path / "own" / "eos" / "DEVICE.cfg.j2"
    template.parent.mkdir(parents=True)
    template.write_text("{% for i in range(900) %}{% for j in range(1000) %}{% endfor %}{% endfor %}")
    results = tmp_path / "results"
    results.mkdir()
    blueprint = BLUEPRINTS.parent / "benchmarks" / "blueprints" / "leaf-spine-1040.yaml"
    build = [sys.executable, "-m", "fabricgen", "build", blueprint, *output, "--templates", tmp_path / "own"]
    command = [*map(str, build), "--jobs", "2"]
    popen = partial(subprocess.Popen, command, cwd=results, stderr=subprocess.PIPE, text=True, process_group=0)
    with listening(), popen() as process:
        try:
            while len(of_group(process.pid)) < 3 and process.poll() is None:
                time.sleep(0.01)
            at_work = any(results.iterdir())
            deaf = [holds_back(worker, signal.SIGINT) for worker in of_group(process.pid) - {str(process.pid)}]
            os.killpg(process.pid, signal.SIGINT)
            said = process.communicate(timeout=300)[1]  # ends when no worker is left that could still say something
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    assert at_work
    assert deaf == [True, True]
    assert process.returncode == 130
    assert said.splitlines()[-1] == "fabricgen: interrupted; no file is left half-written"
    assert "Traceback" not in said
    assert not list(results.iterdir())


def of_group(leader: int) -> set[str]:
    """The processes of a group, by Linux's proc_pid_stat(5): number, (name), state, parent, group."""
    found = set()
    for file in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            if int(file.read_text().rpartition(") ")[2].split()[2]) == leader:
                found.add(file.parent.name)
    return found


def holds_back(process: str, number: int) -> bool:
    """Whether a process blocks or ignores a signal, by Linux's proc_pid_status(5)."""
    told = dict(line.split(":\t", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines())
    return bool((int(told["SigBlk"], 16) | int(told["SigIgn"], 16)) >> (number - 1) & 1)


def test_parts_are_all_that_only_names(tmp_path: Path, fabricgen) -> None:
    """`--only` twice is both; of a variable that is empty it is no part, and not all of them; targets are one."""
    build = partial(fabricgen, "build", BLUEPRINTS / "leaf-spine.yaml", "-o", tmp_path / "out")
    assert build("--only", "racks", "--only", "devices, addresses").code == 0
    kept = {"addresses.csv", "devices.csv", "manifest.json", "racks.csv"}
    assert {path.name for path in (tmp_path / "out").iterdir()} == kept
    for refused in (build("--only", ""), build("--archive", tmp_path / "out.tar")):
        assert refused.code == 2
        assert "names no part" in refused.err or "two targets" in refused.err
    assert {path.name for path in (tmp_path / "out").iterdir()} == kept
