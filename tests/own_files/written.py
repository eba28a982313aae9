"""What fabricgen writes of a blueprint, made once, for tests that read it again."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import openpyxl
from ruamel.yaml import YAML

from fabricgen.blueprint.load import load_blueprint
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.build import build_design
from tests.conftest import BLUEPRINTS, SMALLER, Ran
from tests.verify.cabled import CabledHall

Run = Callable[..., Ran]


@dataclass
class Written:
    """A blueprint in a folder of its own, and what commands write of it there; each is written when it is first read.

    `run` is the command line of the test that is at work.
    """

    blueprint: Path
    run: Run

    def _do(self, *words: str | Path) -> Ran:
        """Run a command that has to end with 0."""
        ran = self.run(*words)
        assert ran.code == 0, f"{' '.join(map(str, words))} ends with {ran.code}: {ran.err}{ran.out}"
        return ran

    @property
    def folder(self) -> Path:
        """Where everything lies."""
        return self.blueprint.parent

    @cached_property
    def cluster(self) -> Cluster:
        """The cluster, compiled."""
        return build_cluster(build_design(load_blueprint(str(self.blueprint))))

    @cached_property
    def built(self) -> Path:
        """A build of the usual parts."""
        target = self.folder / "built"
        self._do("build", self.blueprint, "-o", target, "--jobs", "1")
        return target

    @cached_property
    def netbox(self) -> Path:
        """What NetBox imports, the list of devices first of all."""
        target = self.folder / "netbox"
        self._do("build", self.blueprint, "-o", target, "--only", "netbox", "--jobs", "1")
        (devices,) = target.glob("netbox/*-devices.csv")
        return devices

    @cached_property
    def workbooks(self) -> list[Path]:
        """The technician's workbooks, as printed."""
        target = self.folder / "pack"
        self._do("build", self.blueprint, "-o", target, "--only", "technician", "--jobs", "1")
        return sorted(target.glob("technician/*.xlsx"))

    @cached_property
    def sheet(self) -> Path:
        """The wiring list as a workbook with columns to redline."""
        target = self.folder / "wiring.xlsx"
        self._do("wiring", self.blueprint, "-o", target)
        return target

    @cached_property
    def saved_as_csv(self) -> Path:
        """The same as a spreadsheet program saves it as CSV."""
        target = self.folder / "wiring.csv"
        book: Any = openpyxl.load_workbook(self.sheet, read_only=True)
        with closing(book), target.open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream).writerows(book.worksheets[0].iter_rows(values_only=True))
        return target

    @cached_property
    def hall(self) -> Path:
        """A list of who sees whom in a hall that is cabled as planned."""
        return CabledHall(self.cluster).csv(self.folder / "hall.csv")

    @cached_property
    def dumps(self) -> Path:
        """What lldpd of every device of that hall tells."""
        return CabledHall(self.cluster).lldpctl(self.folder / "dumps")

    @cached_property
    def locked(self) -> Path:
        """The blueprint with its lock beside it."""
        target = self.folder / "locked"
        target.mkdir()
        for file in self.folder.iterdir():
            if file.is_file():
                shutil.copy(file, target)
        self._do("lock", target / self.blueprint.name)
        return target / self.blueprint.name


def write_example(name: str, folder: Path, run: Run) -> Written:
    """An example in a folder; one that is too large for every test becomes smaller by an overlay."""
    folder.mkdir(parents=True)
    for file in BLUEPRINTS.iterdir():
        shutil.copy(file, folder)
    blueprint = folder / f"{name}.yaml"
    if name in SMALLER:
        overlay: dict[str, Any] = {"include": blueprint.name}
        for path, value in (text.split("=") for text in SMALLER[name]):
            _set(overlay, path.split("."), int(value))
        blueprint = folder / "smaller.yaml"
        with blueprint.open("w", encoding="utf-8") as stream:
            YAML().dump(overlay, stream)
    return Written(blueprint, run)


def _set(tree: dict[str, Any], path: list[str], value: int) -> None:
    for key in path[:-1]:
        tree = tree.setdefault(key, {})
    tree[path[-1]] = value
