"""`fabricgen init`: a blueprint to start from."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from fabricgen.cli.options import complete_files, refuse_idle

if TYPE_CHECKING:
    from fabricgen.catalog.loader import Catalog
    from fabricgen.kernel.diagnostics import InputError
    from fabricgen.start.answers import Answers

SPARES = (
    "spares: usual     # 2 % of cables and optics, 1 % of switches, one of each at least; without this line, none\n"
)
"""The line on spares of a new page, unless its example has one."""

SCHEMA = "blueprint.schema.json"
"""The name of the schema beside a blueprint; `fabricgen schema BLUEPRINT -o` renews it."""


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
    """Return an example as a new page: without the line that names a schema for editors, and with the usual `spares:`.

    An example that states `spares:` itself keeps them. Raises InputError (FG032) if there is no example of that name.
    """
    from fabricgen.kernel.diagnostics import did_you_mean, fault

    if example not in examples:
        raise fault("FG032", f"there is no example '{example}'", hint=did_you_mean(example, examples))
    text = examples[example].read_text(encoding="utf-8")
    body = "".join(line for line in text.splitlines(keepends=True) if "yaml-language-server" not in line)
    return body if any(line.startswith("spares:") for line in body.splitlines()) else body + SPARES


def _write_answered_page(answers: str | None, folder: Path) -> str:
    """Return the page of the answers of a file or, without a file, of those given now; the user's profiles are in
    `catalog/` of the folder.
    """
    from fabricgen.catalog.loader import Catalog
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
    """Return the error for a file that exists already."""
    from fabricgen.kernel.diagnostics import fault

    hint = "name another file, or one in another folder"
    return fault("FG023", f"{path} exists; it is left as it is", hint=hint)


def _write_texts(file: str, texts: dict[Path, str]) -> None:
    """Write the page, its tables and, unless it exists, the schema: all of them or none. Raises InputError (FG023)."""
    from fabricgen.blueprint.schema import write_schema_text
    from fabricgen.catalog.loader import Catalog
    from fabricgen.kernel.diagnostics import fault
    from fabricgen.publish.files import replace_file

    schema, written = Path(file).with_name(SCHEMA), list[Path]()
    try:
        # the first file that exists is refused
        for path in filter(Path.exists, texts):
            raise _refuse_existing(path)
        if not schema.exists():
            # written with the others, and taken away with them if that fails
            texts[schema] = write_schema_text("blueprint", Catalog(schema.parent / "catalog"))
        for path, content in texts.items():
            written.append(path)
            replace_file(path, content.encode())
    except OSError as error:
        for path in written:
            path.unlink(missing_ok=True)
        raise fault("FG023", f"cannot write {file}: {error.strerror}") from error


# Questions on a terminal: one for each answer that a page is made of, again until the answer can be used.

ANY_NODES = "1 x dgx-b200"
"""Nodes that stand for the answer to come: without nodes no other answer can be judged."""

MOST_TRIES = 10
"""After so many unusable answers to one question nobody is there: the input may be a program's."""


def ask_questions(catalog: Catalog) -> dict[str, Any]:
    """Ask for every answer on standard error, since the page itself may go to standard output; return the answers that
    are not the default.

    Raises UsageError if a question has no usable answer after `MOST_TRIES`.
    """
    from fabricgen.kernel.diagnostics import InputError
    from fabricgen.start.answers import Answers

    answers: dict[str, Any] = {"nodes": ANY_NODES}
    for name, field in Answers.model_fields.items():
        choices = ", ".join(map(str, get_args(field.annotation))) if isinstance(field.default, str) else ""
        question = f"{field.description} ({choices})" if choices else str(field.description)
        default = None if field.is_required() else "" if field.default in ((), "", 0, None) else str(field.default)
        for _ in range(MOST_TRIES):
            answer = click.prompt(question, default=default or "", show_default=bool(default), err=True)
            if answer == default:  # not returned, so that nobody is told that it changes nothing
                break
            try:
                _check_names(name, judge_answers(answers | {name: _read_number(answer)}), catalog)
            except InputError as error:
                click.echo(error.diagnostics[0].text().partition(": ")[2], err=True)
            else:
                answers[name] = _read_number(answer)
                break
        else:
            why = f"no answer to '{field.description}' that can be used, after {MOST_TRIES}"
            raise click.UsageError(f"{why}; nothing is written, and --answers FILE takes answers from a file")
    return answers


def show_answers(answers: dict[str, Any]) -> None:
    """Print answers as the file that `--answers` takes, so that a mistake in one does not cost all of them."""
    import json

    click.echo("your answers; change one in a file of them, and give it as --answers FILE:", err=True)
    for name, value in answers.items():
        click.echo(f"  {name}: {json.dumps(value, ensure_ascii=False)}", err=True)


def _read_number(answer: str) -> str | int:
    """Return an answer as a number if it is one."""
    return int(answer) if answer.isascii() and answer.isdigit() else answer


def judge_answers(answers: dict[str, Any]) -> Answers:
    """Return answers as the model of a page. Raises InputError for an answer that it does not take."""
    from fabricgen.kernel.diagnostics import Span
    from fabricgen.models.validation import validate
    from fabricgen.start.answers import Answers
    from fabricgen.yaml.located import locate_tree
    from fabricgen.yaml.tree import MappingEntry, Node, make_mapping

    span = Span("answer", 1, 1)
    entries = {name: MappingEntry(span, Node(value, span)) for name, value in answers.items()}
    return validate(Answers, locate_tree(make_mapping(entries, span)))


def _check_names(name: str, answers: Answers, catalog: Catalog) -> None:
    """Raise InputError if the answer `name` has a profile that is not in the catalogue."""
    if name == "nodes":
        for nodes in answers.nodes:
            catalog.node(nodes.profile, ("nodes",))
    elif name in ("switch", "ethernet_switch") and getattr(answers, name):
        catalog.switch(getattr(answers, name), (name,))
