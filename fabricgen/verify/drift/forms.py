"""Forms in which devices tell their configuration, known by their content: each NOS knows its own (`dumps.py`)."""

from __future__ import annotations

import re

from fabricgen.kernel.nos_rooms import list_nos, load_part
from fabricgen.running.dumps import Dump, ShownConfiguration

_PROMPTS = re.compile(
    r"\A\s*[\w.-]{1,64}(?:@[\w.-]{1,64}(?::[^\n#$>]{0,200})?)?[#$>] ?(?:sudo |vtysh |cat |nv |sh)[^\n]*\n"
    r"|\n[\w.-]{1,64}(?:@[\w.-]{1,64}(?::[^\n#$>]{0,200})?)?[#$>][ \t]*\s*\Z"
)
"""The prompt of a terminal with the command that was typed, before all else; and the prompt alone, after all else."""


def recognize_configuration(text: str) -> ShownConfiguration | None:
    """The configuration that a text shows; None where it is in no form that a NOS knows.

    Raises nothing for any text.
    """
    dump = Dump(_PROMPTS.sub("", text))
    shown = (load_part(nos, "dumps").recognize_configuration(dump) for nos in list_nos("dumps"))
    return next((configuration for configuration in shown if configuration is not None), None)
