"""A snippet cannot be put where it says."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class SnippetWithoutPlace(Fault):
    """A snippet is for a NOS or a place that there is none of, is a text where a tree is taken or the reverse, or
    holds what the NOS would refuse.

    A snippet goes to one place of the file that templates make; docs/configs.md and docs/catalog.md list those of
    each NOS. A place that no template has would lose it without a word. Correct `nos`, `at` or the form.
    """

    id = "FG052"
    title = "a snippet cannot be put where it says"
    bad = """
        snippets: {motd: {nos: eos, at: begin, text: "banner motd"}}  # <-
    """
    good = """
        snippets: {motd: {nos: eos, at: top, text: "lldp timer 10"}}
    """
