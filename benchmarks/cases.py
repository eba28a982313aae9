"""What is measured of a blueprint: commands, what they write, and what that must be equal to."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.sizes import NORMAL, Size

FABRICGEN = (sys.executable, "-m", "fabricgen")
SUMMARY, TAR, ZST, ZIP = "build --only summary", "build .tar", "build .tar.zst", "build .zip"
FOLDER, ONE_JOB = "build to a folder", "build .tar --jobs 1"
GROWN, AGAIN, REBUILT = "build .tar of one unit more", "rebuild of nothing", "rebuild of one unit more"
HELP, PASS, LINT_NORMAL = "--help", "python -c pass", f"lint {NORMAL.stem}"

_TABLES = ("addresses", "bom", "cables", "devices", "endpoints", "links", "racks", "summary")
USUAL = (*_TABLES, "configs")
"""The parts that a build writes if nothing else is said, of blueprints without patch panels."""


@dataclass(frozen=True, slots=True)
class Case:
    """One command.

    `target` is the file or folder that it writes, below a folder of the round; "" for none. Cases that share a target
    write into the same, one after another. `like` names the case whose bytes it must write too. `floor` says what is
    measured beside it: "files" the same files in a fresh folder, before and after; "one" a file of the same size.
    """

    name: str
    command: tuple[str, ...]
    codes: tuple[int, ...] = (0,)
    target: str = ""
    like: str = ""
    floor: str = ""

    def again(self, size: Size) -> bool:
        """Whether it is measured in every round of a size, not in the first alone."""
        return size.name not in _AGAIN or self.name in _AGAIN[size.name]


_READ = ("show", "lint --fast", "lint", SUMMARY)
_AGAIN = {"200k": {*_READ, TAR, ZST}, "1m": {*_READ, TAR, ZST}}
"""Of sizes whose rounds take long, what targets are about; the rest is measured once."""


def starts() -> Iterator[Case]:
    """What a person waits for, whatever the size."""
    yield Case(PASS, (sys.executable, "-c", "pass"))
    for arguments in (("--help",), ("--version",)):
        yield Case(" ".join(arguments), (*FABRICGEN, *arguments))
    for command in (("lint",), ("lint", "--fast"), ("show",)):
        yield Case(f"{' '.join(command)} {NORMAL.stem}", (*FABRICGEN, *command, str(NORMAL)))


def cases(size: Size, *, quick: bool) -> Iterator[Case]:
    """Everything that is measured of a size, in order; `quick` leaves out `plan`, and parts but for the summary."""
    blueprint = str(size.blueprint)
    yield Case("show", (*FABRICGEN, "show", blueprint))
    yield Case("lint --fast", (*FABRICGEN, "lint", "--fast", blueprint))
    yield Case("lint", (*FABRICGEN, "lint", blueprint))
    if not quick:
        yield Case("plan of one unit more", (*FABRICGEN, "plan", blueprint, blueprint, *size.growth), codes=(0, 1))
    yield _build(TAR, blueprint, "out.tar", floor="one")
    yield _build(ZST, blueprint, "out.tar.zst", like=TAR)
    yield _build(ZIP, blueprint, "out.zip", like=TAR)
    yield _build(ONE_JOB, blueprint, "single.tar", "--jobs", "1", like=TAR)
    for part in ("summary",) if quick else (*USUAL, *size.on_request):
        like = TAR if part in USUAL else ""
        yield _build(f"build --only {part}", blueprint, f"only-{part}", "--only", part, like=like)
    yield _build(GROWN, blueprint, "grown.tar", *size.growth)
    yield _build(FOLDER, blueprint, "folder", like=TAR, floor="files")
    yield _build(AGAIN, blueprint, "folder", like=TAR)
    yield _build(REBUILT, blueprint, "folder", *size.growth, like=GROWN)


def _build(name: str, blueprint: str, target: str, *options: str, like: str = "", floor: str = "") -> Case:
    where = "--archive" if "." in target else "-o"
    command = (*FABRICGEN, "build", blueprint, where, "{}/" + target, *options)
    return Case(name, command, target=target, like=like, floor=floor)
