"""A template of the user fails."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class TemplateFails(Fault):
    """A template in the user's own folder has a syntax error, uses a value that there is none of, tries what the
    sandbox forbids, or makes what is no JSON or YAML where the file is one.

    A configuration with a hole would be accepted by a switch up to that line. The message has the template's file
    and line. Templates run in Jinja2's sandbox (jinja.palletsprojects.com, Sandbox), since they may come with a
    pull request.
    """

    id = "FG033"
    title = "a template of the user fails"
    in_words = True
    bad = """
        {{ switch.hostname }}, where a switch has no `hostname`
    """
    good = """
        {{ switch.name }}
    """
