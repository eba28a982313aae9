"""The pages that people read, taken apart: code blocks, the commands in them, and what pages show as printed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parents[2]
GENERATED = frozenset({"docs/language.md", "docs/catalog.md", "docs/collectives.md", "docs/rules.md"})
"""Pages that tools/generate.py writes, whose examples the tests of rules and catalogue hold."""

PAGES = tuple(
    sorted(
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md"))
    )
)
BY_HAND = tuple(page for page in PAGES if page not in GENERATED)

_BLOCK = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Block:
    """A code block of a page; `line` is that of its first line of code."""

    page: str
    line: int
    language: str
    text: str

    @property
    def place(self) -> str:
        """Page and line."""
        return f"{self.page}:{self.line}"


@dataclass(frozen=True, slots=True)
class Shown:
    """A command that a page shows; `printed` is what it shows below it, None where it shows only the command."""

    page: str
    line: int
    command: str
    printed: str | None = None

    @property
    def place(self) -> str:
        """Page and line."""
        return f"{self.page}:{self.line}: {self.command}"


@cache
def text_of(page: str) -> str:
    """A page as it is."""
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page: str) -> Iterator[Block]:
    """The code blocks of a page, in order."""
    text = text_of(page)
    for found in _BLOCK.finditer(text):
        indent = len(found[1])
        code = "".join(line[indent:] for line in found[3].splitlines(keepends=True))
        yield Block(page, text.count("\n", 0, found.start()) + 2, found[2], code)


def yaml_of(block: Block) -> Any:
    """A block of YAML, read."""
    return YAML(typ="safe").load(block.text)


def commands(page: str) -> Iterator[Shown]:
    """The commands of a page, in order: of its sh and console blocks, and those that its CI files run."""
    for block in blocks(page):
        if block.language == "sh":
            yield from _script(block)
        elif block.language == "console":
            yield from _session(block)
        elif block.language in ("yaml", "yml"):
            for command in _steps(yaml_of(block)):
                yield Shown(page, block.line, command)


def _script(block: Block) -> Iterator[Shown]:
    lines, first, number = block.text.splitlines(), 0, 0
    whole = ""
    for number, line in enumerate(lines):
        if not whole:
            first = number
        whole += line.removesuffix("\\")
        if not line.endswith("\\") and whole.strip() and not whole.lstrip().startswith("#"):
            yield Shown(block.page, block.line + first, whole)
        if not line.endswith("\\"):
            whole = ""


def _session(block: Block) -> Iterator[Shown]:
    """Of a console: a command after each `$ `, with what is printed up to the next."""
    at, command, printed = 0, "", list[str]()
    for number, line in enumerate([*block.text.splitlines(), "$ "]):
        if line.startswith("$ "):
            if command:
                yield Shown(block.page, block.line + at, command, "\n".join(printed))
            at, command, printed = number, line[2:], []
        else:
            printed.append(line)


def _steps(data: Any) -> Iterator[str]:
    """What CI files run: `run: COMMAND` of GitHub, `script: [COMMAND]` of GitLab."""
    if isinstance(data, dict):
        for key, value in data.items():
            if key == "run" and isinstance(value, str):
                yield value
            elif key == "script" and isinstance(value, list):
                yield from value
            else:
                yield from _steps(value)
    elif isinstance(data, list):
        for value in data:
            yield from _steps(value)
