"""There are no configuration templates for the NOS."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class NoTemplates(Fault):
    """A tier runs a NOS for which fabricgen makes no configurations.

    Lists and cables can be built all the same: leave out the part `configs` (`--only`), choose another NOS, or give
    templates of your own.
    """

    id = "FG027"
    title = "there are no configuration templates for the NOS"
    in_words = True
    bad = """
        fabricgen build example.yaml -o out, where a tier has a `nos` without templates
    """
    good = """
        fabricgen build example.yaml -o out --only devices,links,cables,bom
    """
