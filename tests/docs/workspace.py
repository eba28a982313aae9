"""A folder like a reader's for each page: the example blueprints, and files that the page takes to be the reader's."""

from __future__ import annotations

import csv
import json
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl

from fabricgen.lint.examples import BASE
from tests.conftest import BLUEPRINTS, EXAMPLES, Ran
from tests.docs.pages import Shown, blocks, text_of
from tests.export.known_machines import list_lines, write_page
from tests.sign_off.paper import PaperHall
from tests.verify.cabled import CabledHall
from tests.verify.optics.sonic import state_db

Run = Callable[..., Ran]

SMALLEST = "leaf-spine"
"""The example that every page has, beside those that its commands name."""


def fill(folder: Path, shown: list[Shown], fabricgen: Run) -> None:
    """Make the files that the commands of a page are given."""
    told = "\n".join(each.command for each in shown)
    (folder / "blueprints").mkdir()
    named = set(re.findall(r"blueprints/([\w-]+)\.yaml", told)) & set(EXAMPLES)
    for name in {SMALLEST, *named}:
        for file in BLUEPRINTS.glob(f"{name}.*"):
            shutil.copy(file, folder / "blueprints")
    for name, make in READERS_OWN.items():
        if name in told:
            make(folder / name, fabricgen)
    for name, text in own_files(shown[0].page).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    if "git:" in told:
        _commit(folder)


def _commit(folder: Path) -> None:
    """The blueprints on `main`, here and at `origin`."""
    git = ["git", "-c", "user.name=reader", "-c", "user.email=reader@example.net", "-c", "commit.gpgsign=false"]
    for command in (
        ["init", "-q", "-b", "main"],
        ["add", "blueprints"],
        ["commit", "-q", "-m", "Blueprints"],
        ["update-ref", "refs/remotes/origin/main", "HEAD"],
    ):
        subprocess.run([*git, *command], cwd=folder, check=True)


def _prices(file: Path, _fabricgen: Run) -> None:
    file.write_text("part,unit_price,lead_time_weeks\nsn4700,19000,12\ncord-c13-c14,6.5,1\n", encoding="utf-8")


def _site(file: Path, _fabricgen: Run) -> None:
    """The smallest fabric, with an overlay that takes what was built otherwise."""
    text = (BLUEPRINTS / "leaf-spine.yaml").read_text(encoding="utf-8")
    file.write_text(f"include: as-built.yaml\n{text}", encoding="utf-8")
    (file.parent / "as-built.yaml").write_text("cable_of: {}\n", encoding="utf-8")


def _redlined(file: Path, fabricgen: Run) -> None:
    """The wiring list of `site.yaml`, in which one cable is done and longer than planned."""
    assert fabricgen("wiring", file.parent / "site.yaml", "-o", file).code == 0
    book = openpyxl.load_workbook(file)
    sheet: Any = book.worksheets[0]
    head, *rows = sheet.iter_rows()
    columns = {cell.value: cell.column - 1 for cell in head}
    row = next(row for row in rows if row[columns["cable"]].value == "compute-leaf-p1-su01-r1-01:29")
    for column, value in {"done": "x", "built_length_m": 25, "remark": "round the pillar"}.items():
        row[columns[column]].value = value
    book.save(file)


def _running(file: Path, _fabricgen: Run) -> None:
    """What a running fabric has: the list that docs/existing-names.md shows."""
    (shown,) = (block for block in blocks("docs/existing-names.md") if block.language == "csv")
    file.write_text(shown.text, encoding="utf-8")


def _pod(file: Path, _fabricgen: Run) -> None:
    """The blueprint of the rules' examples, with too few uplinks."""
    text = BASE.replace("su: 2", "su: 1").replace("name: example", "name: pod").replace("count: 4", "count: 2")
    file.write_text(text.replace("rail]}", "rail], uplinks: 2 x 400G}"), encoding="utf-8")


def _hall(file: Path, _fabricgen: Run) -> None:
    """A report of `verify` in which nothing has been seen yet."""
    states = dict.fromkeys(("as_planned", "dark", "elsewhere", "unseen", "harmless", "extra"), 0)
    file.write_text(json.dumps({"cables": states, "actions": []}), encoding="utf-8")


def _known_racks(file: Path, _fabricgen: Run) -> None:
    """Racks with an inventory that lacks nothing."""
    write_page(file, list_lines().values())


def _own_switch(file: Path, _fabricgen: Run) -> None:
    from fabricgen.catalog import loader

    file.parent.mkdir(parents=True)
    text = (Path(loader.__file__).parent / "data" / "switches" / "sn5600.yaml").read_text(encoding="utf-8")
    file.write_text(text.replace("id: sn5600", "id: my-switch"), encoding="utf-8")


def own_files(page: str) -> Mapping[str, str]:
    """Files that a page shows whole: the YAML below a sentence that ends with their name and a colon."""
    return dict(re.findall(r"`([\w/.-]+\.yaml)`:\n\n```yaml\n(.*?)^```$", text_of(page), re.MULTILINE | re.DOTALL))


def _demo(file: Path, fabricgen: Run) -> None:
    """A cluster whose lock is of a version that gave leaves the fewest uplinks."""
    text = (BLUEPRINTS / "leaf-spine.yaml").read_text(encoding="utf-8")
    text = text.replace("nodes: 4 x generic-server", "nodes: 29 x dgx-h100").replace("su: 2", "su: 4")
    text = text.replace(
        "leaf: {switch: sn4700, per: [su, rail], uplinks: 4 x 400G}", "leaf: {switch: sn5600, per: [su, rail]}"
    )
    file.write_text(text.replace("spine: {switch: sn4700, count: 4}", "spine: {switch: sn5600}"), encoding="utf-8")
    assert fabricgen("lock", file).code == 0
    lock = file.with_suffix(".lock.yaml")
    before, _, after = lock.read_text(encoding="utf-8").partition("sized:\n")
    rest = [line for line in after.splitlines(keepends=True) if not line.startswith("  ")]
    kept = after[after.index(rest[0]) :] if rest else ""
    lock.write_text(before + kept, encoding="utf-8")


def _monday(folder: Path, _fabricgen: Run) -> None:
    """What the first unit of the smallest fabric says, with plugs in wrong holes."""
    hall = CabledHall(SMALLEST)
    unit = {device for device, *_ in hall.rows() if "p1-su01" in device}
    hall.swap("compute-leaf-p1-su01-r1-01", "Ethernet224", "Ethernet232").swap("p1-su01-n003", "eth1", "eth2")
    hall.cut("compute-leaf-p1-su01-r2-01", "Ethernet240").lldpctl(folder, unit)


def _tuesday(folder: Path, _fabricgen: Run) -> None:
    """The same when it has been mended."""
    hall = CabledHall(SMALLEST)
    hall.lldpctl(folder, {device for device, *_ in hall.rows() if "p1-su01" in device})


def _wednesday(folder: Path, fabricgen: Run) -> None:
    """The same with the modules and ports of a leaf: a cable too long, a port that is slow, and little light."""
    _tuesday(folder, fabricgen)
    state_db(
        folder,
        TRANSCEIVER_INFO__Ethernet0={"cable_length": "15"},
        TRANSCEIVER_INFO__Ethernet4={"cable_length": "15"},
        PORT_TABLE__Ethernet232={"speed": "200000"},
        TRANSCEIVER_DOM_SENSOR__Ethernet240={f"rx{lane}power": "-11.2" for lane in range(1, 9)},
        TRANSCEIVER_DOM_THRESHOLD__Ethernet240={"rxpowerlowalarm": "-9.9"},
    )


def _day0(folder: Path, _fabricgen: Run) -> None:
    """What the leaves say before any box has been set up: their dumps are called after their addresses."""
    hall = CabledHall(SMALLEST).swap("compute-leaf-p1-su01-r1-01", "Ethernet4", "Ethernet8")
    leaves = sorted({device for device, *_ in hall.rows() if "-leaf-" in device})
    files = {leaf: f"10.16.0.{number}" for number, leaf in enumerate(leaves, start=2)}
    hall.lldpctl(folder, leaves, lambda device: "sonic" if device.startswith("compute") else "ubuntu", files)


def _superpod(file: Path, _fabricgen: Run) -> None:
    """A hall with two rails of a node crossed, and two uplinks of a leaf that were not plugged in."""
    file.parent.mkdir(exist_ok=True)
    hall = CabledHall("superpod-b200").swap("p1-su01-n001", "OSFP1P1", "OSFP1P2")
    for port in ("17/1", "17/2"):
        hall.cut("compute-leaf-p1-su02-r1-01", port)
    hall.csv(file)


def _measured(folder: Path, fabricgen: Run) -> None:
    """Results of the smallest fabric, a link of which has half of its rate."""
    assert fabricgen("accept", "plan", BLUEPRINTS / "leaf-spine.yaml", "-o", folder.parent / "planned").code == 0
    assert fabricgen("build", BLUEPRINTS / "leaf-spine.yaml", "-o", folder.parent / "built").code == 0
    hall = PaperHall.read(folder.parent / "built", folder.parent / "planned", "compute")
    hall.gbps["p1-su01-n003:eth2"] /= 2
    folder.mkdir()
    for name, text in hall.print_results():
        (folder / name).write_text(text, encoding="utf-8")


def _probed(file: Path, fabricgen: Run) -> None:
    """Results of the probes of the smallest fabric, a link of which loses packets and is slow, and their plan."""
    plan = ("probe", "plan", BLUEPRINTS / "leaf-spine.yaml", "--hash", "crc32", "-o", file.parent)
    assert fabricgen(*plan).code == 0
    lines, rng = ["probe,sent,lost,median_us"], np.random.default_rng(1)
    for row in csv.DictReader((file.parent / "probes.csv").read_text(encoding="utf-8").splitlines()):
        on = "p1-su01-n003:eth2" in row["up"].split()
        lost, took = rng.binomial(2000, 0.02 * on), rng.normal(8 + 3 * on, 0.1)
        lines.append(f"{row['probe']},2000,{lost},{took:.2f}")
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


READERS_OWN: Mapping[str, Callable[[Path, Run], None]] = {
    "hall.json": _hall,
    "site.yaml": _site,
    "prices.csv": _prices,
    "rack-07.xlsx": _redlined,
    "have.csv": _running,
    "demo.yaml": _demo,
    "known-racks.yaml": _known_racks,
    "blueprints/pod.yaml": _pod,
    "dumps/monday": _monday,
    "dumps/tuesday": _tuesday,
    "dumps/wednesday": _wednesday,
    "dumps/day0": _day0,
    "dumps/superpod.csv": _superpod,
    "catalog/switches/my-switch.yaml": _own_switch,
    "measured": _measured,
    "probes/results.csv": _probed,
}
"""Files of a reader's own that pages name, and what makes one."""
