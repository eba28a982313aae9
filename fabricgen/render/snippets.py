"""Snippets of configuration lines: a check that none is lost in rendering."""

from __future__ import annotations

from collections.abc import Iterable

from fabricgen.kernel.diagnostics import fault
from fabricgen.views.switch import SwitchView


def require_printed(switch: SwitchView, texts: Iterable[str]) -> None:
    """Raise InputError (FG052) for a snippet whose place a switch's files lack: a BGP session's, without BGP."""
    if not any(snippet.lines for snippet in switch.snippets):
        return
    printed = {line.strip() for text in texts for line in text.splitlines()}
    for snippet in switch.snippets:
        if any(line.strip() not in printed for line in snippet.lines):
            raise fault(
                "FG052",
                f"the configuration of {switch.name} has no place '{snippet.place}', so that snippet "
                f"'{snippet.name}' would be lost",
                path=snippet.path,
                hint="give it another place with `at`, or to tiers or switches that have the place",
            )
