"""Terminal sessions that were saved as they are: prompts with commands, and their answers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from fabricgen.verify.dumps import _json

_PROMPT = re.compile(
    r"^\[?(?:[\w.-]{1,64}@)?(?P<host>[A-Za-z0-9][\w.-]{0,252})"
    r"(?:\([^()\n]{1,60}\)|:[^\n#$>]{0,200}| [^\n#$>\]]{0,200}\])?[#$>][^\n]*$",
    re.MULTILINE,
)
"""`leaf-01#show lldp neighbors | json`, `admin@leaf-01:~$ show lldp table`, `[root@n001 ~]# lldpcli -f json0`, and a
prompt alone, after which a session was left."""


_JSON_BEGINS = re.compile(r'^[ \t]*(?:\{\s*["}]|\[\s*[\[{"\]])', re.MULTILINE)


class Answer(NamedTuple):
    """The answer of one command: the host name in its prompt ("": none), the first line in the session, the text."""

    host: str
    first_line: int
    text: str


def split_answers(text: str) -> list[Answer]:
    """Return the answers in a session in which a command answered in JSON, in their order; [] for any other text."""
    if _JSON_BEGINS.search(text) is None or _PROMPT.search(text) is None:
        return []
    # a session ends with a prompt alone, which has no answer
    answers = [answer for answer in _cut_answers(text) if answer.text.strip()]
    return answers if any(_json.looks_like_json(answer.text) for answer in answers) else []


def _cut_answers(text: str) -> Iterator[Answer]:
    # the texts between prompts, each with the host of the prompt before it and the line in which it begins
    host, start, line = "", 0, 1
    for prompt in _PROMPT.finditer(text):
        yield Answer(host, line, text[start : prompt.start()])
        # the answer begins in the line after the prompt
        line += text.count("\n", start, prompt.end()) + 1
        host, start = prompt["host"], prompt.end() + 1
    yield Answer(host, line, text[start:])
