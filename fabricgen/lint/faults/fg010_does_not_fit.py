"""A key is unknown, missing, or its value is not of the kind it takes."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class DoesNotFit(Fault):
    """A key is not of the language, a required one is missing, or a value is of the wrong kind or out of its range.

    A misspelt key that were ignored would silently leave its default in force. The message says what was expected
    and what was found; docs/language.md lists every key, and the JSON Schema (`fabricgen schema`) lets an editor
    complete them.
    """

    id = "FG010"
    title = "a key is unknown, missing, or its value is not of the kind it takes"
    bad = """
        fabrics: {compute: {oversubscripton: 2}}  # <-
    """
    good = """
        fabrics: {compute: {oversubscription: 2}}
    """
