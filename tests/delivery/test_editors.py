"""What docs/editors.md gives editors, held to what `lint` prints; Neovim itself fills its quickfix list and repairs."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import BLUEPRINTS, Ran
from tests.delivery.programs import environment
from tests.docs.pages import blocks
from tests.needs import require

SETTINGS, TASKS = (json.loads(block.text) for block in blocks("docs/editors.md") if block.language == "json")
MATCHER: dict[str, Any] = TASKS["tasks"][0]["problemMatcher"]
LUA = [block.text for block in blocks("docs/editors.md") if block.language == "lua"]

TEXT = (BLUEPRINTS / "leaf-spine.yaml").read_text(encoding="utf-8").replace("../schemas/", "")
ONE_ERROR = TEXT.replace("protocol: roce", "protocol: rocee")
MENDED = f"{TEXT}nos: {{leaf: sonic}}\n"
MENDABLE = MENDED.replace("{leaf:", "{middle: sonic, leaf:")
SEVERAL = MENDABLE.replace("count: 4", "count: 3")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder as editors open it, with one blueprint in `blueprints/`."""
    (tmp_path / "blueprints").mkdir()
    return tmp_path


def run_lint(folder: Path, *arguments: str) -> str:
    """What `lint` prints in a folder."""
    command = ["fabricgen", "lint", *arguments]
    ran = subprocess.run(command, cwd=folder, env=environment(folder), capture_output=True, text=True, check=False)
    assert ran.returncode in (0, 1, 2), ran.stderr
    return ran.stdout


def read_problems(lines: list[str]) -> list[tuple[str, ...]]:
    """Problems as VS Code reads them: what the pattern finds between the lines that begin and end a report."""
    background, pattern = MATCHER["background"], MATCHER["pattern"]
    assert re.search(background["beginsPattern"], lines[0])
    assert re.search(background["endsPattern"], lines[-1])
    inner = lines[1:-1]
    assert not any(re.search(background[key], line) for key in ("beginsPattern", "endsPattern") for line in inner)
    matches = [match for line in inner if (match := re.search(pattern["regexp"], line))]
    fields = ("file", "line", "column", "severity", "code", "message")
    return [tuple(match[pattern[field]] for field in fields) for match in matches]


@pytest.mark.slow
def test_problems_of_a_watch_are_its_findings(folder: Path) -> None:
    blueprint = folder / "blueprints" / "mine.yaml"
    blueprint.write_text(ONE_ERROR, encoding="utf-8")
    task = TASKS["tasks"][0]
    command = [task["command"], *task["args"]]
    with subprocess.Popen(command, cwd=folder, env=environment(folder), stdout=subprocess.PIPE, text=True) as process:
        for text, least in ((ONE_ERROR, 1), (SEVERAL, 2)):
            blueprint.write_text(text, encoding="utf-8")
            lines: list[str] = []
            problems: list[tuple[str, ...]] = []
            findings = json.loads(run_lint(folder, "blueprints", "--format", "json"))["findings"]
            keys = ("file", "line", "column", "severity", "code", "message")
            told = [tuple(str(finding[key]) for key in keys) for finding in findings if finding["severity"] != "info"]
            assert len(told) >= least
            # a report of the text before may come first
            while problems != told:
                assert process.stdout is not None
                line = process.stdout.readline()
                assert line, f"the watch ended with {process.wait()}; it told {problems}, and should {told}"
                lines.append(line.rstrip("\n"))
                if re.search(MATCHER["background"]["endsPattern"], line):
                    problems, lines = read_problems(lines), []
        process.send_signal(signal.SIGINT)


def test_the_task_that_fixes_mends_the_open_file(folder: Path, fabricgen: Callable[..., Ran]) -> None:
    file = folder / "blueprints" / "mine.yaml"
    file.write_text(MENDABLE, encoding="utf-8")
    task = TASKS["tasks"][1]
    fabricgen(*(word.replace("${file}", str(file)) for word in task["args"]))
    assert file.read_text(encoding="utf-8") == MENDED


def test_settings_name_the_schema_that_init_writes_and_no_lock(folder: Path, fabricgen: Callable[..., Ran]) -> None:
    assert fabricgen("init", folder / "blueprints" / "mine.yaml").code == 0
    ((schema, (wanted, unwanted)),) = SETTINGS["yaml.schemas"].items()
    assert (folder / schema).is_file()
    assert [file.name for file in folder.glob(wanted)] == ["mine.yaml"]
    assert unwanted == wanted.replace("*", "*.lock").join(["!", ""])


@pytest.mark.daemon
def test_neovim_lists_findings_at_a_save_and_mends(folder: Path) -> None:
    require("" if shutil.which("nvim") else "Neovim is missing: `apt-get install neovim`")
    file = folder / "blueprints" / "mine.yaml"
    file.write_text(ONE_ERROR, encoding="utf-8")
    (folder / "init.lua").write_text(LUA[0], encoding="utf-8")
    steps = [
        "edit blueprints/mine.yaml",
        "write",
        "let rows = map(getqflist(), '[bufname(v:val.bufnr), v:val.lnum, v:val.col, v:val.type, v:val.text]')",
        "call writefile([json_encode(rows)], 'rows.json')",
        "%s/rocee/roce/",
        "call append('$', 'nos: {middle: sonic, leaf: sonic}')",
        "write",
        "FabricgenFix",
        "checktime",
        "call writefile(getline(1, '$'), 'mended.yaml')",
        "qall!",
    ]
    (folder / "steps.vim").write_text("\n".join(steps), encoding="utf-8")
    subprocess.run(
        ["nvim", "--headless", "-u", "init.lua", "-S", "steps.vim"],
        cwd=folder,
        env=environment(folder) | {"HOME": str(folder), "XDG_DATA_HOME": str(folder)},
        check=True,
        capture_output=True,
        timeout=300,
    )
    rows = json.loads((folder / "rows.json").read_text(encoding="utf-8"))
    line = next(number for number, text in enumerate(ONE_ERROR.splitlines(), start=1) if "rocee" in text)
    text = (
        "[FG010]: fabrics.compute.protocol: expected 'infiniband', 'roce' or 'ethernet', found 'rocee'\n"
        " did you mean 'roce'?"
    )
    assert rows == [["blueprints/mine.yaml", line, 15, "e", text]]
    assert (folder / "mended.yaml").read_text(encoding="utf-8") == MENDED
