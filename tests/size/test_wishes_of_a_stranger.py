"""A file of wishes from elsewhere: what it reads lies below its folder, and nothing of that is printed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

SECRET = "correct-horse,battery-staple"
WISHES = "gpus: 64\nnode: dgx-b200\nswitch: qm9700\ntiers: 1\nattach: rail\nprices: {}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of wishes, beside one with a secret."""
    (tmp_path / "wishes").mkdir()
    for name in ("secret.csv", "wishes/own.csv", "wishes/key"):
        (tmp_path / name).write_text(f"{SECRET}\n", encoding="utf-8")
    os.mkfifo(tmp_path / "wishes" / "pipe.csv")
    (tmp_path / "wishes" / "link.csv").symlink_to("../secret.csv")
    (tmp_path / "wishes" / "inner.csv").symlink_to("key")
    return tmp_path / "wishes"


@pytest.mark.parametrize(
    ("prices", "told"),
    [
        ("../secret.csv", "error[FG007]: '../secret.csv' lies outside the wishes' folder"),
        ("/etc/passwd", "error[FG007]: '/etc/passwd' is an absolute path"),
        ("link.csv", "lies outside the"),
        ("inner.csv", "error[FG007]: 'inner.csv' leads to no file that ends in .csv"),
        ("key", "error[FG007]: 'key' leads to no file that ends in .csv"),
        ("pipe.csv", "error[FG007]: 'pipe.csv' is no regular file"),
        ("own.csv", "own.csv:1:1: error[FG031]: the prices cannot be read from here on"),
        ("none.csv", "wishes.yaml:6:9: error[FG001]: cannot read"),
    ],
)
def test_prices_lie_below_the_wishes(folder: Path, prices: str, told: str, fabricgen: Any) -> None:
    file = folder / "wishes.yaml"
    file.write_text(WISHES.format(prices), encoding="utf-8")
    ran = fabricgen("size", "--wishes", file)
    assert (ran.code, told in ran.err) == (2, True), ran.err
    assert "correct-horse" not in ran.err
    assert "root:" not in ran.err


@pytest.mark.parametrize("row", ["secret-phrase,1\nsecret-phrase,2", "a,secret-phrase", "a,1,secret-phrase"])
def test_no_cell_of_prices_is_repeated(folder: Path, row: str, fabricgen: Any) -> None:
    """But where a user names the file, who knows what is in it."""
    file, prices = folder / "wishes.yaml", folder / "own.csv"
    file.write_text(WISHES.format("own.csv"), encoding="utf-8")
    prices.write_text(f"part,unit_price,currency\n{row}\n", encoding="utf-8")
    ran = fabricgen("size", "--wishes", file)
    assert (ran.code, "secret-phrase" in ran.err) == (2, False)
    assert "own.csv:" in ran.err
    ran = fabricgen("size", "--wishes", file, "--prices", prices)
    assert (ran.code, "secret-phrase" in ran.err) == (2, True)


@pytest.mark.parametrize("link", ["catalog", "catalog/switches", "catalog/switches/own.yaml"])
def test_no_profile_is_read_or_copied_from_elsewhere(folder: Path, link: str, fabricgen: Any) -> None:
    file, elsewhere = folder / "wishes.yaml", folder.parent / "elsewhere"
    (elsewhere / "switches").mkdir(parents=True)
    (elsewhere / "switches" / "own.yaml").write_text("password: correct-horse\n", encoding="utf-8")
    target = elsewhere / Path(link).relative_to("catalog")
    (folder / link).parent.mkdir(parents=True, exist_ok=True)
    (folder / link).symlink_to(target)
    file.write_text(WISHES.replace("prices: {}\n", ""), encoding="utf-8")
    ran = fabricgen("size", "--wishes", file, "-o", folder / "out")
    assert (ran.code, (folder / "out").exists(), "correct-horse" in ran.err) == (2, False, False)
    assert "leads out of the folder of the wishes" in ran.err


def test_a_pipe_is_no_profile(folder: Path, fabricgen: Any) -> None:
    """To read one waits until somebody writes to it."""
    (folder / "catalog" / "switches").mkdir(parents=True)
    os.mkfifo(folder / "catalog" / "switches" / "own.yaml")
    file = folder / "wishes.yaml"
    file.write_text(WISHES.replace("prices: {}\n", "").replace("qm9700", "own"), encoding="utf-8")
    ran = fabricgen("size", "--wishes", file)
    assert (ran.code, "own.yaml': it is no regular file" in ran.err) == (2, True)
