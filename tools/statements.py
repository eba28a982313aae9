"""Count the statements of each room: `python -m tools.statements` writes them into tests/statements.yaml.

It keeps every `why`, and tells which rooms have more than the table said: their `why` has to say what for. `--begin`
takes today's counts as the start of the next issue, and forgets the reasons of the last.
"""

from __future__ import annotations

import argparse
import ast
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import click
from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "tests/statements.yaml"
ALL = "all of fabricgen"

HEAD = """\
# Statements (Python's `ast.stmt`; docstrings, comments and signatures are free) of each room of fabricgen: a
# folder directly below it, or a module. A test fails where a room has more than `at_most`, or all rooms more than the
# last entry allows, or where a room may have more than `before`, as the issue began, and no `why` says what for.
# `python -m tools.statements` writes what rooms have now and keeps each `why`; what all may have is changed by hand.
"""


@dataclass(frozen=True)
class Allowance:
    """How many statements a room had before the issue, how many it may have, and what it grew for."""

    before: int
    at_most: int
    why: str = ""


def count_statements(package: Path = ROOT / "fabricgen") -> dict[str, int]:
    """Return how many statements each room of a package has, sorted by room."""
    counts: Counter[str] = Counter()
    for file in sorted(package.rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        counts[file.relative_to(package).parts[0]] += sum(_is_counted(node) for node in ast.walk(tree))
    return dict(sorted(counts.items()))


def _is_counted(node: ast.AST) -> bool:
    """Whether a node is a statement; docstrings, those of attributes included, are free."""
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    return isinstance(node, ast.stmt) and not is_text


def read_table(file: Path = TABLE) -> dict[str, Allowance]:
    """Return the allowance of each room and of `ALL`; a key too many or too few is a TypeError."""
    entries = YAML(typ="safe", pure=True).load(file.read_text(encoding="utf-8"))
    return {room: Allowance(**entry) for room, entry in entries.items()}


def write_table(table: Mapping[str, Allowance], file: Path = TABLE) -> None:
    """Write a line for each figure, so that two branches change other lines where they change other rooms."""
    lines = [HEAD]
    for room, allowance in table.items():
        lines.append(f"{room}:")
        lines += [f"  {key}: {json.dumps(value)}" for key, value in asdict(allowance).items() if value != ""]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def update_table(
    table: Mapping[str, Allowance], counts: Mapping[str, int], begin: bool = False
) -> dict[str, Allowance]:
    """Return the table with what rooms have now; what all may have together stays, unless an issue begins."""
    total = sum(counts.values())
    updated = {
        room: Allowance(count, count) if begin else Allowance(*_kept(table, room, count))
        for room, count in sorted(counts.items())
    }
    return updated | {ALL: Allowance(total, total) if begin else table[ALL]}


def _kept(table: Mapping[str, Allowance], room: str, count: int) -> tuple[int, int, str]:
    known = table.get(room, Allowance(0, 0))
    return known.before, count, known.why


def find_faults(table: Mapping[str, Allowance], counts: Mapping[str, int]) -> list[str]:
    """Return what the table does not allow, a sentence each."""
    faults = [f"{room}: not in the table" for room in counts if room not in table]
    faults += [f"{room}: no such room" for room in table if room not in counts and room != ALL]
    for room, count in (*counts.items(), (ALL, sum(counts.values()))):
        if (allowance := table.get(room)) is None:
            continue
        if count > allowance.at_most:
            faults.append(f"{room}: {count:,} statements, and the table allows {allowance.at_most:,}")
        if allowance.at_most > allowance.before and not allowance.why:
            faults.append(f"{room}: may grow by {allowance.at_most - allowance.before:,} statements: say why")
    allowed = sum(allowance.at_most for room, allowance in table.items() if room != ALL)
    if allowed > table[ALL].at_most:
        faults.append(f"{ALL}: rooms may have {allowed:,} statements, and all of them {table[ALL].at_most:,}")
    if (before := sum(allowance.before for room, allowance in table.items() if room != ALL)) != table[ALL].before:
        faults.append(f"{ALL}: rooms had {before:,} statements before, not {table[ALL].before:,}")
    return faults


def main(arguments: list[str] | None = None) -> int:
    """Bring the table up to date; 1 where it then still lacks a reason or a limit is passed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--begin", action="store_true", help="begin an issue: today's counts are what rooms had before")
    begin = parser.parse_args(arguments).begin
    table, counts = read_table(), count_statements()
    updated = update_table(table, counts, begin)
    write_table(updated)
    for room, count in counts.items():
        if count != (listed := table.get(room, Allowance(0, 0)).at_most):
            click.echo(f"{room}: {listed:,} -> {count:,}")
    added = sum(counts.values()) - updated[ALL].before
    click.echo(
        f"{ALL}: {sum(counts.values()):,} statements, {added:+,} in this issue, {updated[ALL].at_most:,} allowed"
    )
    faults = find_faults(updated, counts)
    for fault in faults:
        click.echo(f"{TABLE.relative_to(ROOT)}: {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
