"""`rdma-setup` says what it would do, does that and no more when it is told to, and can be run again."""

from __future__ import annotations

import configparser
import shutil
import subprocess
from pathlib import Path

import pytest
from netplans import files_of
from rdma_hosts import host, ports_of, run

POLLARA = ("scalable_unit.nodes=24 x mi355x-8", "scale_up={infinity-fabric: {domain: mi355x-8}}")
CASES = [("superpod-b300", ()), ("mi300x-roce", POLLARA)]
NODE = "p1-su01-n001"


def script_of(name: str, *sets: str) -> str:
    return files_of(name, *sets)[f"hosts/{NODE}/rdma-setup"]


@pytest.mark.parametrize(("name", "sets"), CASES)
def test_nothing_is_done_unless_asked_for(name: str, sets: tuple[str, ...], tmp_path: Path) -> None:
    script = script_of(name, *sets)
    host(tmp_path, script)
    before = sorted((path, path.read_text()) for path in (tmp_path / "sys").rglob("*") if path.is_file())
    done = run(tmp_path, script)
    assert (done.called, done.code, done.errors) == ([], 0, "")
    assert before == sorted((path, path.read_text()) for path in (tmp_path / "sys").rglob("*") if path.is_file())
    assert run(tmp_path, script, "--force").code == 2


@pytest.mark.slow
@pytest.mark.parametrize(("name", "sets"), CASES)
def test_what_is_printed_is_what_is_done(name: str, sets: tuple[str, ...], tmp_path: Path) -> None:
    """The programs are called with the arguments printed, values land in the files named, firmware stays as it is."""
    script = script_of(name, *sets)
    host(tmp_path, script)
    shown = run(tmp_path, script)
    done = run(tmp_path, script, "--apply")
    assert (done.code, done.errors, done.printed) == (0, "", shown.printed)
    said = [line for line in shown.printed if not line.startswith(("#", "echo ", "mkdir "))]
    assert done.called == [line for line in said if not line.startswith("mlxconfig")]
    written = dict(reversed(line.removeprefix("echo ").rsplit(" > ", 1)) for line in shown.printed if " > " in line)
    assert written
    for path, value in written.items():
        assert (tmp_path / path[1:]).read_text() == f"{value}\n"
    renamed = [line for line in done.called if line.startswith("rdma dev set")]
    assert [line.split()[-1] for line in renamed] == [device for _, device in ports_of(script)]


@pytest.mark.slow
def test_a_second_run_renames_nothing(tmp_path: Path) -> None:
    script = script_of("superpod-b300")
    host(tmp_path, script)
    for interface, device in ports_of(script):
        (now,) = (tmp_path / "sys/class/net" / interface / "device/infiniband").iterdir()
        now.rename(now.with_name(device))
    again = run(tmp_path, script, "--apply")
    assert again.code == 0
    assert not [line for line in again.called if line.startswith("rdma")]


def test_firmware_is_set_by_its_own_flag_alone(tmp_path: Path) -> None:
    script = script_of("superpod-b300")
    host(tmp_path, script)
    done = run(tmp_path, script, "--apply-firmware")
    assert done.called == [line for line in done.printed if line.startswith("mlxconfig")]
    wanted = "LINK_TYPE_P{0}=2 ROCE_CC_PRIO_MASK_P{0}=8 CNP_DSCP_P{0}=48 CNP_802P_PRIO_P{0}=6"
    both = "ADVANCED_PCI_SETTINGS=1 PCI_WR_ORDERING=1"
    assert done.called[:2] == [f"mlxconfig -y -d 0000:10:00.{n} set {wanted.format(n + 1)} {both}" for n in (0, 1)]
    assert len(done.called) == len(ports_of(script)) == 16


@pytest.mark.slow
def test_what_fails_is_told_and_the_rest_is_done(tmp_path: Path) -> None:
    script = script_of("superpod-b300")
    host(tmp_path, script)
    (tmp_path / "sys/class/net/OSFP1-1/ecn/roce_np/cnp_dscp").unlink()
    failed = run(tmp_path, script, "--apply", failing="mlnx_qos")
    assert failed.code == 1
    assert "rdma-setup: failed: mlnx_qos -i OSFP8-2 --trust=dscp" in failed.errors
    assert "rdma-setup: there is no /sys/class/net/OSFP1-1/ecn/roce_np/cnp_dscp" in failed.errors
    assert any(line.startswith("setpci") for line in failed.called)
    assert run(tmp_path, script, "--apply", failing="ethtool").errors.count("\n") == 1  # it fails where all is well


@pytest.mark.slow
def test_it_runs_on_a_host_without_the_nics(tmp_path: Path) -> None:
    """To read what it would do, on any machine."""
    done = run(tmp_path, script_of("superpod-b300"))
    assert (done.code, done.errors) == (0, "")
    assert "mlxconfig -y -d ? set LINK_TYPE_P?=2" in "\n".join(done.printed)
    assert run(tmp_path, script_of("superpod-b300"), "--apply").code == 1


def test_scripts_are_clean_bash(tmp_path: Path) -> None:
    """bash parses them all; shellcheck, where it is installed, finds nothing."""
    for name, sets in [*CASES, ("leaf-spine", ()), ("dual-tor", ()), ("mixed-generations", ())]:
        scripts = [text for path, text in files_of(name, *sets).items() if path.endswith("/rdma-setup")]
        for script in sorted({text.partition("\n")[2].partition("\n")[2] for text in scripts}):
            file = tmp_path / "script"
            file.write_text("#!/bin/bash\n" + script)
            subprocess.run(["bash", "-n", str(file)], check=True)
            if shutil.which("shellcheck"):
                subprocess.run(["shellcheck", "-S", "warning", str(file)], check=True)


def test_the_unit_runs_it_once_a_boot(tmp_path: Path) -> None:
    """systemd takes the unit; it applies, and never touches firmware."""
    text = files_of("superpod-b300")[f"hosts/{NODE}/rdma-setup.service"]
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read_string(text)
    assert unit["Service"]["ExecStart"] == "/usr/local/sbin/rdma-setup --apply"
    assert unit["Service"]["Type"] == "oneshot"
    assert set(unit.sections()) == {"Unit", "Service", "Install"}
    if shutil.which("systemd-analyze"):
        file = tmp_path / "rdma-setup.service"
        file.write_text(text.replace("/usr/local/sbin/rdma-setup", "/bin/true"))
        done = subprocess.run(
            ["systemd-analyze", "verify", "--man=no", str(file)], capture_output=True, text=True, check=False
        )
        assert "rdma-setup.service" not in done.stderr
