"""A tag is unknown or not that of its value."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class UnknownTag(Fault):
    """A tag (`!name` or `!!name`) is none that is known here, or its value is not of that kind.

    Tags can make a YAML reader run code; here only `!include FILE` and the core schema of YAML 1.2.2 (10.3) mean
    something, and only blueprints may include. Remove the tag, or quote text that begins with '!'.
    """

    id = "FG006"
    title = "a tag is unknown or not that of its value"
    bad = """
        name: !upper example  # <-
    """
    good = """
        name: example
    """
