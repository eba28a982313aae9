"""`fabricgen init`: a blueprint to start from."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fabricgen.cli.options import complete_files, refuse_idle

if TYPE_CHECKING:
    from fabricgen.kernel.diagnostics import InputError

SPARES = (
    "spares: usual     # 2 % of cables and optics, 1 % of switches, one of each at least; without this line, none\n"
)
"""What a new project has of spares, unless its example says."""

SCHEMA = "blueprint.schema.json"
"""What the schema is called beside a blueprint; `fabricgen schema BLUEPRINT -o` renews it."""


@click.command()
@click.argument("file", required=False, default="blueprint.yaml", metavar="[FILE]", shell_complete=complete_files)
@click.option("--example", default="leaf-spine", show_default=True, help="Example to start from; `list` names them.")
@click.option("--ask", is_flag=True, help="Ask what the cluster is, and write a page for it that lints clean.")
@click.option("--answers", metavar="FILE.yaml", help="Take the answers to these questions from a file.")
def command(file: str, example: str, ask: bool, answers: str | None) -> None:
    """Write a blueprint to FILE (default blueprint.yaml; - is standard output): an example, or what was answered.

    A table that the example names, such as its inventory, goes beside it under its own name.

    The JSON Schema goes beside it unless it is there, so that editors complete and explain what is written, and mark
    names that are not in the catalogue. `fabricgen schema FILE -o` renews it once you have profiles of your own.
    """
    from fabricgen.blueprint.beside.lock import is_lock
    from fabricgen.kernel.discovery import find_resource_dir

    folder = find_resource_dir("blueprints")
    examples = {p.stem: p for p in sorted(folder.glob("*.yaml")) if not is_lock(p.name)}
    asked = ask or answers is not None
    refuse_idle("example", used=not asked, why="the page is made of answers")
    if ask and answers is not None:
        raise click.UsageError("--ask asks for what --answers has: give one of them")
    if example == "list":
        click.echo("\n".join(examples))
        return
    if file != "-" and Path(file).exists():  # before anything is asked
        raise _refuse_existing(Path(file))
    tables: list[Path] = []
    if asked:
        body = _write_answered_page(answers, Path(file).parent if file != "-" else Path())
    else:
        body, tables = _read_example(examples, example), [*folder.glob(f"{example}.csv")]
    if file == "-":
        click.echo(body, nl=False)
        return
    texts = {Path(file): f"# yaml-language-server: $schema={SCHEMA}\n{body}"}
    _write_texts(file, texts | {Path(file).with_name(p.name): p.read_text(encoding="utf-8") for p in tables})
    click.echo(f"{file} written; next: fabricgen show {file}", err=True)


def _read_example(examples: Mapping[str, Path], example: str) -> str:
    """Return an example as a page of one's own, with spares; raises InputError (FG032) if there is none of that
    name.
    """
    from fabricgen.kernel.diagnostics import did_you_mean, fault

    if example not in examples:
        raise fault("FG032", f"there is no example '{example}'", hint=did_you_mean(example, examples))
    text = examples[example].read_text(encoding="utf-8")
    body = "".join(line for line in text.splitlines(keepends=True) if "yaml-language-server" not in line)
    return body if any(line.startswith("spares:") for line in body.splitlines()) else body + SPARES


def _write_answered_page(answers: str | None, folder: Path) -> str:
    """Return the page of the answers of a file, or of those given now; own profiles lie in `catalog/` of the folder."""
    from fabricgen.catalog.loader import Catalog
    from fabricgen.cli.asking import ask_questions, judge_answers, show_answers
    from fabricgen.kernel.diagnostics import InputError
    from fabricgen.size.wishes import locate_error
    from fabricgen.start.answers import read_answers
    from fabricgen.start.page import Page

    catalog = Catalog(folder / "catalog")
    if answers is None:
        given = ask_questions(catalog)
        try:
            return Page(judge_answers(given), catalog).find_page()
        except InputError:
            show_answers(given)
            raise
    read, source = read_answers(answers)
    try:
        return Page(read, catalog).find_page()
    except InputError as error:
        raise locate_error(error, source) from error


def _refuse_existing(path: Path) -> InputError:
    from fabricgen.kernel.diagnostics import fault

    hint = "name another file, or one in another folder"
    return fault("FG023", f"{path} exists; it is left as it is", hint=hint)


def _write_texts(file: str, texts: dict[Path, str]) -> None:
    """Write the page, its tables and the schema unless that is there: all of them or none."""
    from fabricgen.blueprint.schema import write_schema_text
    from fabricgen.catalog.loader import Catalog
    from fabricgen.kernel.diagnostics import fault
    from fabricgen.publish.files import replace_file

    schema, written = Path(file).with_name(SCHEMA), list[Path]()
    try:
        for path in filter(Path.exists, texts):
            raise _refuse_existing(path)
        if not schema.exists():
            texts[schema] = write_schema_text("blueprint", Catalog(schema.parent / "catalog"))
        for path, content in texts.items():
            written.append(path)
            replace_file(path, content.encode())
    except OSError as error:
        for path in written:
            path.unlink(missing_ok=True)
        raise fault("FG023", f"cannot write {file}: {error.strerror}") from error
