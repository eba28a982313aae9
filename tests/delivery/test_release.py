"""One version everywhere, and a container file that makes an image of what it copies."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zipfile
from fnmatch import fnmatch
from pathlib import Path

import pytest

from fabricgen import __version__
from tests.delivery.programs import ROOT

CONTAINERFILE = (ROOT / "Containerfile").read_text(encoding="utf-8")
"""As podman and docker read it."""


def test_pages_pin_the_tag_of_this_version() -> None:
    """`rev:` of hooks and `@` of the action, in README and docs/hook.md."""
    pinned = [
        (page, tag)
        for page in ("README.md", "docs/hook.md")
        for tag in re.findall(
            r"(?:fabricgen/fabricgen\n\s+rev: |fabricgen/fabricgen@)(\S+)", (ROOT / page).read_text(encoding="utf-8")
        )
    ]
    assert pinned == [("README.md", f"v{__version__}"), *[("docs/hook.md", f"v{__version__}")] * 2]


def read_instructions() -> list[tuple[str, str]]:
    """(instruction, its words) of the container file, lines joined, comments left out."""
    text = re.sub(r"^#.*\n", "", CONTAINERFILE, flags=re.MULTILINE).replace("\\\n", " ")
    return [tuple(line.split(maxsplit=1)) for line in text.splitlines() if line]  # type: ignore[misc]


def test_the_image_runs_the_command_as_no_user_of_the_host() -> None:
    last_stage = dict(read_instructions()[-8:])
    assert last_stage["ENTRYPOINT"] == '["fabricgen"]'
    assert re.fullmatch(r"[1-9]\d{3,}:[1-9]\d{3,}", last_stage["USER"])
    assert [name for name, _ in read_instructions()].index("USER") > max(
        at for at, (name, _) in enumerate(read_instructions()) if name == "RUN"
    )


@pytest.mark.slow
def test_what_is_copied_into_the_image_makes_the_whole_wheel(tmp_path: Path) -> None:
    """The wheel of the files that .dockerignore leaves has all that the wheel of the checkout has."""
    rules = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    kept = {rule.removeprefix("!") for rule in rules if rule.startswith("!")}
    assert "*" in rules
    context = tmp_path / "context"
    context.mkdir()
    for path in ROOT.iterdir():
        if not any(fnmatch(path.name, name) for name in kept):
            continue
        if path.is_dir():
            shutil.copytree(path, context / path.name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(path, context)
    names = []
    for source in (ROOT, context):
        wheels = tmp_path / f"wheel-of-{source.name}"
        build = [sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", wheels, source]
        subprocess.run(build, check=True, capture_output=True)
        (wheel,) = wheels.glob("*.whl")
        assert wheel.name.startswith(f"fabricgen-{__version__}-")
        with zipfile.ZipFile(wheel) as archive:
            names.append(set(archive.namelist()))
    assert names[0] == names[1]
    assert "fabricgen/_bundled/blueprints/leaf-spine.yaml" in names[1]
