"""First boots: the scripts of the part `ztp` run against a server of a build's folder, as the NOS would run them.

The machine is a folder: paths of the NOS are turned into paths in it, and the NOS's own programs are noted down.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.conftest import BLUEPRINTS, Ran

PROGRAMS = ("nv", "onie-install", "reboot", "sonic-db-cli", "config", "cp", "systemctl")
IMAGE = b"an image" * 1000
LEAF, SPINE, OOB = "compute-leaf-p1-su01-rg1-01", "compute-spine-01", "oob-leaf-01"
"""On SONiC with FRR's own configuration, EOS and Cumulus Linux."""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *words: object) -> None:
        """Say nothing."""


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder of a build that is served, and its URL."""
    folder = tmp_path / "out"
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as serving:
        thread = threading.Thread(target=serving.serve_forever)
        thread.start()
        yield folder, f"http://127.0.0.1:{serving.server_port}"
        serving.shutdown()
        thread.join()


def build(fabricgen: Callable[..., Ran], folder: Path, url: str) -> None:
    """Switches on SONiC, EOS and Cumulus Linux, with their scripts, configurations and an image."""
    image = f"{{file: images/nos.bin, sha256: {hashlib.sha256(IMAGE).hexdigest()}, version: 1.2.3}}"
    images = f"{{eos: {image}, cumulus: {image}, sn5600: {{file: images/sonic.bin}}}}"
    sets = (
        f"management.ztp={{url: '{url}', images: {images}}}",
        "fabrics.oob.nos=cumulus",
        "fabrics.compute.routing.underlay=ebgp-unnumbered",
        "pods.p1.su=1",
    )
    words = [word for text in sets for word in ("--set", text)]
    ran = fabricgen("build", BLUEPRINTS / "dual-stack.yaml", "-o", folder, "--only", "configs,ztp", *words)
    assert ran.code == 0, ran.err
    (folder / "images").mkdir()
    (folder / "images" / "nos.bin").write_bytes(IMAGE)


class Machine:
    """A switch that boots: `root` is its disk, `noted` what it ran."""

    def __init__(self, root: Path) -> None:
        self.root, self.noted = root, root / "noted"
        for place in ("bin", "mnt/flash", "var/tmp", "etc"):
            (root / place).mkdir(parents=True)
        for name in PROGRAMS:
            (root / "bin" / name).write_text(f'#!/bin/sh\necho "{name} $*" >> {self.noted}\n')
            (root / "bin" / name).chmod(0o755)

    def runs(self, script: bytes, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a script, which tries once to reach the server."""
        text = script.decode().replace("TRIES, PAUSE_S = 6, 10", "TRIES, PAUSE_S = 1, 0")
        for place in ("/mnt/flash", "/var/tmp", "/etc/"):
            text = text.replace(f'"{place}', f'"{self.root}{place}')
        (self.root / "script").write_text(text)
        path = {**os.environ, "PATH": f"{self.root}/bin:{os.environ['PATH']}"}
        command = [sys.executable, str(self.root / "script"), *arguments]
        return subprocess.run(command, env=path, check=False, capture_output=True, text=True)

    @property
    def commands(self) -> list[str]:
        """What it ran of the NOS's programs, without the disk's own folder."""
        return self.noted.read_text().replace(str(self.root), "").splitlines() if self.noted.exists() else []


def fetched(url: str) -> bytes:
    with urllib.request.urlopen(url) as answer:
        content: bytes = answer.read()
    return content


def sonic_runs_the_sections_in_their_order(folder: Path, url: str, machine: Machine) -> None:
    """As ztp-engine.py does: by name; a plug-in of the file's own with its arguments alone."""
    told = json.loads(fetched(f"{url}/ztp/{LEAF}/ztp.json"))["ztp"]
    assert told.pop("restart-ztp-on-failure") is True
    assert sorted(told) == ["01-firmware", "02-fetch", "03-configdb-json", "04-routing"]
    assert told["01-firmware"] == {"install": {"url": f"{url}/images/sonic.bin"}}
    plugin = told["02-fetch"]["plugin"]
    assert plugin["ignore-section-data"]
    ran = machine.runs(fetched(plugin["url"]), plugin["args"])
    assert ran.returncode == 0, ran.stderr
    source = told["03-configdb-json"]["url"]["source"].removeprefix("file://")
    kept = Path(f"{machine.root}{source}")
    assert kept.read_bytes() == (folder / "configs" / LEAF / "config_db.json").read_bytes()
    plugin = told["04-routing"]["plugin"]
    assert machine.runs(fetched(plugin["url"]), plugin["args"]).returncode == 0
    assert (kept.parent / "frr.conf").read_bytes() == (folder / "configs" / LEAF / "frr.conf").read_bytes()
    assert machine.commands == [
        "sonic-db-cli CONFIG_DB hset DEVICE_METADATA|localhost docker_routing_config_mode split-unified",
        "config save -y",
        "cp /var/tmp/fabricgen/frr.conf /etc/sonic/frr/frr.conf",
        "systemctl restart bgp",
    ]


def eos_leaves_a_startup_config(folder: Path, url: str, machine: Machine, runs: str) -> None:
    """And the image, if it runs another."""
    (machine.root / "etc" / "swi-version").write_text(f"SWI_VERSION={runs}\n")
    ran = machine.runs(fetched(f"{url}/ztp/{SPINE}/bootstrap"))
    assert ran.returncode == 0, ran.stderr
    flash = {file.name: file.read_bytes() for file in (machine.root / "mnt" / "flash").iterdir()}
    image = {} if runs == "1.2.3" else {"nos.bin": IMAGE, "boot-config": b"SWI=flash:/nos.bin\n"}
    assert flash == {"startup-config": (folder / "configs" / SPINE / f"{SPINE}.cfg").read_bytes(), **image}


def cumulus_replaces_its_configuration(folder: Path, url: str, machine: Machine, runs: str) -> None:
    """Or installs the image first, and boots into the script again."""
    (machine.root / "etc" / "lsb-release").write_text(f"DISTRIB_ID=Cumulus\nDISTRIB_RELEASE={runs}\n")
    script = fetched(f"{url}/ztp/{OOB}/ztp.py")
    assert b"\n# CUMULUS-AUTOPROVISIONING" in script
    ran = machine.runs(script)
    assert ran.returncode == 0, ran.stderr
    where = f"/var/tmp/{OOB}-"
    if runs != "1.2.3":
        assert machine.commands == [f"onie-install -fa -i {where}image", "reboot "]
        assert Path(f"{machine.root}{where}image").read_bytes() == IMAGE
        return
    assert machine.commands == [f"nv config replace {where}startup.yaml", "nv config apply -y", "nv config save"]
    startup = Path(f"{machine.root}{where}startup.yaml").read_bytes()
    assert startup == (folder / "configs" / OOB / "startup.yaml").read_bytes()


def what_was_not_built_is_not_installed(folder: Path, url: str, machine: Machine) -> None:
    """A changed configuration and a changed image stop the script, which leaves nothing, and says why."""
    (machine.root / "etc" / "swi-version").write_text("SWI_VERSION=1.2.3\n")
    file, image = folder / "configs" / SPINE / f"{SPINE}.cfg", folder / "images" / "nos.bin"
    file.write_bytes(file.read_bytes() + b"!\n")
    image.write_bytes(IMAGE + b"!")
    for said in (file, image):
        ran = machine.runs(fetched(f"{url}/ztp/{SPINE}/bootstrap"))
        assert ran.returncode == 1
        assert f"{said.name}: its sha256 is " in ran.stderr
        assert list((machine.root / "mnt" / "flash").iterdir()) == []
        (machine.root / "etc" / "swi-version").write_text("SWI_VERSION=0\n")
    (folder / "manifest.json").unlink()
    ran = machine.runs(fetched(f"{url}/ztp/{LEAF}/install"), "fetch")
    assert ran.returncode == 1
    assert ran.stderr == f"{url}/manifest.json: HTTP Error 404: File not found\n"


@pytest.mark.slow
def test_switches_install_what_was_built(
    served: tuple[Path, str], tmp_path: Path, fabricgen: Callable[..., Ran]
) -> None:
    """Each NOS by its own file, and nothing but what the manifest has; images by `sha256sum -c` as well."""
    folder, url = served
    build(fabricgen, folder, url)
    sonic_runs_the_sections_in_their_order(folder, url, Machine(tmp_path / "sonic"))
    for runs in ("1.2.3", "1.2.2"):
        eos_leaves_a_startup_config(folder, url, Machine(tmp_path / f"eos-{runs}"), runs)
        cumulus_replaces_its_configuration(folder, url, Machine(tmp_path / f"cumulus-{runs}"), runs)
    command = ["sha256sum", "-c", "ztp/images.sha256"]
    assert subprocess.run(command, cwd=folder, check=True, capture_output=True).stdout == b"images/nos.bin: OK\n"
    order = (folder / "ztp" / "boot-order.csv").read_text().splitlines()
    assert order[0] == "step,device,fabric,tier,how,after"
    assert f"2,{LEAF},compute,leaf,ztp,{OOB}" in order
    what_was_not_built_is_not_installed(folder, url, Machine(tmp_path / "changed"))


def test_a_server_and_its_images_must_be_known(fabricgen: Callable[..., Ran], tmp_path: Path) -> None:
    """FG170 and FG171, at their places, and nothing is written."""
    example, out = BLUEPRINTS / "leaf-spine.yaml", tmp_path / "out"
    ran = fabricgen("build", example, "-o", out, "--only", "ztp")
    assert (ran.code, out.exists()) == (2, False)
    assert "leaf-spine.yaml:10:5: error[FG170]: where compute's switches fetch their configurations" in ran.err
    images = "management.ztp={url: 'http://10.32.0.9', images: {sonik: {file: a.bin}}}"
    for part in ("ztp", "kea"):
        ran = fabricgen("build", example, "-o", out, "--only", part, "--set", images)
        assert (ran.code, out.exists()) == (2, False)
        assert "error[FG171]: no switch is a 'sonik' or runs it" in ran.err
        assert "did you mean 'sonic'?" in ran.err


def test_junos_has_no_script_and_boots_by_itself(fabricgen: Callable[..., Ran], tmp_path: Path) -> None:
    """Its part is when each switch boots, and the checksum of its image; without a server it is refused as others."""
    example, out = Path(__file__).parents[1] / "golden" / "junos-stripe" / "blueprint.yaml", tmp_path / "out"
    assert "error[FG170]: where compute's" in fabricgen("build", example, "-o", out, "--only", "ztp").err
    image = f"{{file: junos.iso, sha256: {hashlib.sha256(IMAGE).hexdigest()}}}"
    ztp = f"management.ztp={{url: 'http://10.32.0.9', images: {{junos: {image}}}}}"
    ran = fabricgen("build", example, "-o", out, "--only", "configs,ztp", "--set", ztp)
    assert ran.code == 0, ran.err
    assert (out / "configs" / "compute-spine-01" / "juniper.conf").exists()
    assert sorted(path.name for path in (out / "ztp").rglob("*")) == ["boot-order.csv", "images.sha256"]
    order = (out / "ztp" / "boot-order.csv").read_text().splitlines()
    assert [line.split(",")[4] for line in order[1:]] == ["ztp"] * 3
