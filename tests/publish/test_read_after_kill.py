"""A build is stopped while it lands in place, at every step; what every reading command then says is never wrong.

Run as a script, it is the process that builds and reads: forks of it, so that nothing is started anew.
"""

from __future__ import annotations

import functools
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from itertools import count
from pathlib import Path
from typing import Any, TypeAlias

import pytest

import fabricgen
from fabricgen.cli.main import run_command
from fabricgen.publish.manifest import STAGE
from tests.conftest import BLUEPRINTS

Outcome: TypeAlias = "tuple[int, str]"

STEPS = ("mkdir", "rename", "replace", "unlink", "rmdir")
"""What changes names in a folder: between two of these is all that can be left."""

GROWTH = ("--set", "pods.p1.su=2", "--set", "fabrics.compute.tiers.spine.count=2")


def commands(blueprint: Path, out: Path) -> dict[str, tuple[object, ...]]:
    """Every command that reads what a build wrote."""
    leaf = "compute-leaf-p1-su01-r1-01"
    return {
        "plan from": ("plan", out, blueprint, "--format", "json"),
        "plan to": ("plan", blueprint, out, "--format", "json"),
        "bom --diff folder": ("bom", blueprint, "--diff", out),
        "bom --diff file": ("bom", blueprint, "--diff", out / "bom.csv"),
        "bom --prices": ("bom", blueprint, "--prices", out / "bom.csv"),
        "check folder": ("check", out),
        "check file": ("check", out / "configs" / leaf / "config_db.json"),
        "as-built": ("as-built", blueprint, out / "redlined.csv"),
        "lock --import": ("lock", blueprint, "--check", "--import", out / "devices.csv", "--import", out / "links.csv"),
    }


def outcome(*arguments: object) -> Outcome:
    """How a command of this process ended, and all that it said."""
    said = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with redirect_stdout(said), redirect_stderr(said):
        code = run_command([str(argument) for argument in arguments])
    said.flush()
    buffer = said.buffer
    assert isinstance(buffer, io.BytesIO)
    return code, buffer.getvalue().decode()


def outcomes(blueprint: Path, out: Path) -> dict[str, Outcome]:
    return {name: outcome(*command) for name, command in commands(blueprint, out).items()}


def differing(out: Path) -> list[str]:
    """Files of a build that are not what the manifest tells, or not in it."""
    try:
        told = json.loads((out / "manifest.json").read_text())["files"]
    except FileNotFoundError:
        return ["manifest.json"]
    found = {f.relative_to(out).as_posix(): f for f in out.rglob("*") if f.is_file() and STAGE not in f.parts}
    del found["manifest.json"], found["redlined.csv"]
    digests = {path: hashlib.sha256(file.read_bytes()).hexdigest() for path, file in found.items()}
    return sorted(p for p in digests.keys() | told.keys() if digests.get(p) != told.get(p, {}).get("sha256"))


def _arm(module: Any, name: str, before: Callable[[], None]) -> None:
    real: Callable[..., object] = getattr(module, name)

    @functools.wraps(real)
    def step(*args: object, **kwargs: object) -> object:
        before()
        return real(*args, **kwargs)

    setattr(module, name, step)


def _what_kills_leave(blueprint: Path, out: Path, left: Path) -> list[Path]:
    """Copies of the folder as it is before each step of a build into it, and after the last.

    The build runs once, in a child. What a process had done to a folder is all that is left of it when it is killed;
    tests/publish/test_publish_kill.py kills for each step a process of its own.
    """
    child = os.fork()
    if child:
        assert os.waitpid(child, 0)[1] == 0
        return sorted(left.iterdir(), key=lambda folder: int(folder.name))
    copying, number = False, count()

    def keep() -> None:
        nonlocal copying
        if not copying:  # what copies a folder makes folders
            copying = True
            shutil.copytree(out, left / str(next(number)))
            copying = False

    os.chdir(out)
    for name in STEPS:
        _arm(os, name, keep)
    code = outcome("build", blueprint, *GROWTH, *_priced(out.parent), "-o", ".", "--jobs", "1")[0]
    keep()
    os._exit(code)


def _priced(folder: Path) -> tuple[str, str]:
    """The option that gives every part a price."""
    prices = folder / "prices.csv"
    if not prices.exists():
        listed = outcome("bom", folder / "pod.yaml", *GROWTH)[1].splitlines()[1:]
        prices.write_text("\n".join(["part,unit_price", *(f"{line.split(',')[0]},10" for line in listed)]))
    return "--prices", str(prices)


def _kill_and_read(folder: Path) -> dict[str, object]:
    blueprint = folder / "pod.yaml"
    text = (BLUEPRINTS / "leaf-spine.yaml").read_text(encoding="utf-8")
    blueprint.write_text(text.replace("{p1: {su: 2}}", "{p1: {su: 1}}"), encoding="utf-8")  # fewer steps of each kind
    old, new, out = folder / "old", folder / "new", folder / "out"
    for built, sets in ((old, ()), (new, GROWTH)):
        assert outcome("build", blueprint, *sets, *_priced(folder), "-o", built, "--jobs", "1")[0] == 0
    header, *rows = (old / "cables.csv").read_text().splitlines()
    lines = [f"{header},done,built_a_cage,built_b_cage,built_length_m,remark", *(f"{row},x,,,," for row in rows)]
    whole = {}
    for name, built in (("old", old), ("new", new)):
        (built / "redlined.csv").write_text("\n".join(lines))
        shutil.copytree(built, out)
        whole[name] = outcomes(blueprint, out)
        shutil.rmtree(out)
    wrong, mixed, refused = [], 0, 0
    shutil.copytree(old, out)
    (folder / "left").mkdir()
    kills = _what_kills_leave(blueprint, out, folder / "left")
    shutil.rmtree(out)
    for step, left in enumerate(kills):
        left.rename(out)
        is_mixed = bool(differing(out))
        mixed += is_mixed
        if is_mixed or step % 8 == 0 or left is kills[-1]:  # whole folders are all alike
            for name, ended in outcomes(blueprint, out).items():
                if ended[0] == 2 and "error[FG028]" in ended[1] and "was stopped before all of its files" in ended[1]:
                    refused += 1
                elif is_mixed or ended not in (whole["old"][name], whole["new"][name]):
                    wrong.append((step, name, ended))
        if is_mixed and step % 8 == 0:  # what was stopped is finished, whatever is built
            assert outcome("build", blueprint, *GROWTH, *_priced(folder), "-o", out, "--jobs", "1")[0] == 0
            assert outcomes(blueprint, out) == whole["new"]
        shutil.rmtree(out)
    return {"steps": len(kills) - 1, "mixed": mixed, "refused": refused, "wrong": wrong[:5], "whole": whole}


@pytest.mark.slow
def test_what_a_killed_build_left_is_read_as_one_build_or_not_at_all(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(fabricgen.__file__).parents[1])}
    command = [sys.executable, __file__, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["wrong"] == []
    assert found["steps"] > found["mixed"] > 20
    assert found["refused"] >= found["mixed"] * len(found["whole"]["old"])
    assert all(code in (0, 1) for code, _ in found["whole"]["old"].values()), found["whole"]["old"]
    assert found["whole"]["old"]["plan from"] != found["whole"]["new"]["plan from"]


if __name__ == "__main__":
    sys.stdout.write(json.dumps(_kill_and_read(Path(sys.argv[1]))))
