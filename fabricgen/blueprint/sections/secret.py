"""References to secrets: a blueprint says where one is kept, never what it is.

`env:FABRICGEN_NAME` is an environment variable, `file:PATH` the first line of a file below the blueprint's folder. The
prefix keeps a blueprint from a stranger's pull request away from the other variables of the job that builds it.
"""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

from fabricgen.models.forms import make_text_form

ENVIRONMENT, FILE = "env:", "file:"
READABLE = (".yaml", ".yml", ".json", ".csv")
"""Endings of files that a blueprint may name for what they hold."""

_REFERENCE = r"env:FABRICGEN_[A-Z0-9_]{1,64}|file:[A-Za-z0-9._-][A-Za-z0-9._/-]{0,200}"


def _check_reference(text: Any) -> str:
    """Refuse what is no reference to a secret, and references to files that a blueprint could include and show."""
    if not isinstance(text, str) or not re.fullmatch(_REFERENCE, text):
        # What stands here may be the secret itself, so it is not repeated.
        raise ValueError(
            "a secret is named, never written here: env:FABRICGEN_NAME for an environment variable, "
            "or file:PATH for a file below the blueprint's folder"
        )
    if text.startswith(FILE) and text.endswith(READABLE):
        endings = ", ".join(READABLE)
        raise ValueError(
            f"a secret is kept in a file that no blueprint can include: one that ends in none of {endings}"
        )
    return text


Secret = Annotated[
    str,
    BeforeValidator(_check_reference),
    WithJsonSchema(
        make_text_form(
            rf"^(?!file:.*(?:{'|'.join(map(re.escape, READABLE))})$)(?:{_REFERENCE})$",
            "where a secret is kept: env:FABRICGEN_NAME, or file:PATH of a file that is no YAML, JSON or CSV",
            "env:FABRICGEN_ADMIN_HASH",
            "file:secrets/admin.hash",
        )
    ),
]
"""Where a secret is kept."""
