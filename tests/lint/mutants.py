"""Seeded faults: an example blueprint, a small change that an engineer might make, and what lint must say of it."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from fabricgen.kernel.diagnostics import Diagnostic, InputError, Severity
from fabricgen.lint.engine import LintSettings, lint
from fabricgen.pipeline import compile_cluster, compile_design, require_snippets_fit
from tests.conftest import BLUEPRINTS

FOLDER = Path(__file__).parent / "mutations"
NEIGHBOURS = Path(__file__).parent / "neighbours"
"""What looks like a fault and is none: of these, `raises` is the code that must not be raised."""
AS_OF = "2026-11-01"
"""The day by which waivers are judged: a test that read the clock would fail one morning."""


@dataclass(frozen=True)
class Mutant:
    """A fault seeded into an example.

    `edit` replaces text of the example, each key once; `over` is a blueprint that is laid over it. `line` is a part of
    the line that the finding must point at, `says` of its message. `also` are the codes above info that come with it:
    anything else is noise. `deep` faults need the expanded cluster.
    """

    name: str
    of: str
    raises: str
    line: str = ""
    says: str = ""
    edit: dict[str, str] = field(default_factory=dict)
    over: str = ""
    also: tuple[str, ...] = ()
    deep: bool = False

    def write(self, folder: Path) -> Path:
        """Write the mutated blueprint; raises ValueError where the example no longer has what is edited."""
        text = (BLUEPRINTS / f"{self.of}.yaml").read_text(encoding="utf-8")
        for old, new in self.edit.items():
            if text.count(old) != 1:
                raise ValueError(f"{self.name}: '{old}' stands {text.count(old)} times in {self.of}.yaml")
            text = text.replace(old, new)
        for table in BLUEPRINTS.glob(f"{self.of}.csv"):
            shutil.copy(table, folder)
        example = folder / f"{self.of}.yaml"
        example.write_text(text, encoding="utf-8")
        if not self.over:
            return example
        file = folder / "over.yaml"
        file.write_text(f"include: {example.name}\n{self.over}", encoding="utf-8")
        return file


@cache
def mutants(folder: Path = FOLDER) -> tuple[Mutant, ...]:
    """All of a folder, a file each family."""
    yaml = YAML(typ="safe")
    rows = [
        (f"{file.stem}-{name}", row)
        for file in sorted(folder.glob("*.yaml"))
        for name, row in yaml.load(file.read_text(encoding="utf-8")).items()
    ]
    return tuple(_mutant(name, row) for name, row in rows)


def _mutant(name: str, row: dict[str, Any]) -> Mutant:
    return Mutant(name=name, **row | {"also": tuple(row.get("also", ()))})


def findings(blueprint: Path, *, deep: bool) -> tuple[Diagnostic, ...]:
    """What lint says of a blueprint, or why it is refused."""
    try:
        design = compile_design(str(blueprint))
        cluster = compile_cluster(design) if deep else None
        if cluster:
            require_snippets_fit(cluster)
    except InputError as refusal:
        return refusal.diagnostics
    return lint(design, cluster, LintSettings(as_of=AS_OF)).findings


@cache
def untouched(example: str, *, deep: bool) -> frozenset[tuple[str, str]]:
    """(code, message) of what lint says of an example as it is."""
    return frozenset((d.code, d.message) for d in findings(BLUEPRINTS / f"{example}.yaml", deep=deep))


def grave(found: tuple[Diagnostic, ...]) -> set[str]:
    """Codes of findings above info."""
    return {d.code for d in found if d.severity > Severity.INFO}
