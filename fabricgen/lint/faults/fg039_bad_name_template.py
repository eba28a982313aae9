"""A template for names has a field that is not there, or lacks one."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class BadNameTemplate(Fault):
    """A template for names uses a field that its devices have none of, gives a width to text, or does not tell devices
    apart.

    Leaves that stand per rail need {rail} in their names, or several would share one. Add the field that the
    message names, or write {default} for the usual name.
    """

    id = "FG039"
    title = "a template for names has a field that is not there, or lacks one"
    bad = """
        names:
          switches: {leaf: "{fabric}-leaf-{su:02}-{n:02}"}  # <-
    """
    good = """
        names:
          switches: {leaf: "{fabric}-leaf-{pod}-{su:02}-{rail}-{n:02}"}
    """
