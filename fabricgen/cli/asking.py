"""Questions on a terminal: one for each answer that a page is made of, again until the answer can be used."""

from __future__ import annotations

import json
from typing import Any, get_args

import click

from fabricgen.catalog.loader import Catalog
from fabricgen.kernel.diagnostics import InputError, Span
from fabricgen.models.validation import validate
from fabricgen.start.answers import Answers
from fabricgen.yaml.located import locate_tree
from fabricgen.yaml.tree import MappingEntry, Node, make_mapping

ANY_NODES = "1 x dgx-b200"
"""Stands for the nodes, without which no answer can be judged, where another answer is."""

MOST_TRIES = 10
"""Answers to one question that cannot be used, after which nobody is taken to be there: input may be a program's."""


def ask_questions(catalog: Catalog) -> dict[str, Any]:
    """Ask for every answer on standard error, so that the page itself may go to standard output; what is not usual of
    them. Raises UsageError if a question has no answer that can be used after so many tries.
    """
    answers: dict[str, Any] = {"nodes": ANY_NODES}
    for name, field in Answers.model_fields.items():
        choices = ", ".join(map(str, get_args(field.annotation))) if isinstance(field.default, str) else ""
        question = f"{field.description} ({choices})" if choices else str(field.description)
        default = None if field.is_required() else "" if field.default in ((), "", 0, None) else str(field.default)
        for _ in range(MOST_TRIES):
            answer = click.prompt(question, default=default or "", show_default=bool(default), err=True)
            if answer == default:  # not an answer of one's own: nobody is told that it changes nothing
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
    click.echo("your answers; change one in a file of them, and give it as --answers FILE:", err=True)
    for name, value in answers.items():
        click.echo(f"  {name}: {json.dumps(value, ensure_ascii=False)}", err=True)


def _read_number(answer: str) -> str | int:
    return int(answer) if answer.isascii() and answer.isdigit() else answer


def judge_answers(answers: dict[str, Any]) -> Answers:
    """Return answers as the model of a page; raises InputError for one that it does not take."""
    span = Span("answer", 1, 1)
    entries = {name: MappingEntry(span, Node(value, span)) for name, value in answers.items()}
    return validate(Answers, locate_tree(make_mapping(entries, span)))


def _check_names(name: str, answers: Answers, catalog: Catalog) -> None:
    """Raise InputError for a profile that is not in the catalogue."""
    if name == "nodes":
        for nodes in answers.nodes:
            catalog.node(nodes.profile, ("nodes",))
    elif name in ("switch", "ethernet_switch") and getattr(answers, name):
        catalog.switch(getattr(answers, name), (name,))
