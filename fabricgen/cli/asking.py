"""Questions on a terminal: one for each answer that a page is made of, again until the answer can be used."""

from __future__ import annotations

from typing import Any, get_args

import click

from fabricgen.catalog.loader import Catalog
from fabricgen.kernel.diagnostics import InputError, Span
from fabricgen.models.validation import validate
from fabricgen.start.answers import Answers
from fabricgen.yaml.located import locate
from fabricgen.yaml.tree import Entry, Node, make_mapping

ANY_NODES = "1 x dgx-b200"
"""Stands for the nodes, without which no answer can be judged, where another answer is."""


def ask_questions(catalog: Catalog) -> Answers:
    """Ask for every answer on standard error, so that the page itself may go to standard output."""
    answers: dict[str, Any] = {"nodes": ANY_NODES}
    for name, field in Answers.model_fields.items():
        choices = ", ".join(map(str, get_args(field.annotation))) if isinstance(field.default, str) else ""
        question = f"{field.description} ({choices})" if choices else str(field.description)
        default = None if field.is_required() else "" if field.default in ((), "", 0) else str(field.default)
        while True:
            answer = click.prompt(question, default=default, show_default=bool(default), err=True)
            if answer == default:  # not an answer of one's own: nobody is told that it changes nothing
                break
            try:
                _check_names(name, _judge_answers(answers | {name: _read_number(answer)}), catalog)
            except InputError as error:
                click.echo(error.diagnostics[0].text().partition(": ")[2], err=True)
            else:
                answers[name] = _read_number(answer)
                break
    return _judge_answers(answers)


def _read_number(answer: str) -> str | int:
    return int(answer) if answer.isascii() and answer.isdigit() else answer


def _judge_answers(answers: dict[str, Any]) -> Answers:
    span = Span("answer", 1, 1)
    entries = {name: Entry(span, Node(value, span)) for name, value in answers.items()}
    return validate(Answers, locate(make_mapping(entries, span)))


def _check_names(name: str, answers: Answers, catalog: Catalog) -> None:
    """Raise InputError for a profile that is not in the catalogue."""
    if name == "nodes":
        for nodes in answers.nodes:
            catalog.node(nodes.profile, ("nodes",))
    elif name in ("switch", "ethernet_switch") and getattr(answers, name):
        catalog.switch(getattr(answers, name), (name,))
