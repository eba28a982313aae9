"""A file is not YAML, or not one document of it."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class InvalidYaml(Fault):
    """The text breaks the grammar of YAML, holds no document or more than one, or has a key that is not text.

    A reader that guesses would guess differently from the next one. YAML 1.2.2 (6.1) forbids tabs in indentation;
    keys that are numbers or truth values mean different things to different readers. The caret is where the parser
    had to stop: the cause is there or on the line above, often an unclosed bracket or quote.
    """

    id = "FG002"
    title = "a file is not YAML, or not one document of it"
    bad = """
        pods: {p1: {su: 2}}}  # <-
    """
    good = """
        pods: {p1: {su: 2}}
    """
