"""Codes of findings: those of rules, and those of the engine itself."""

from __future__ import annotations

from fabricgen.kernel.diagnostics import did_you_mean
from fabricgen.lint.rule import list_plugin_codes, list_rule_codes

EXPIRED, UNMATCHED = "FG801", "FG802"
"""Findings of the engine: an expired waiver; a waiver or severity setting that matches nothing."""


def list_known_codes() -> frozenset[str]:
    """Return the codes of all rules, of the rules of installed plug-ins, and of the engine; codes of faults are not
    among them.
    """
    return list_plugin_codes() | list_rule_codes() | {EXPIRED, UNMATCHED}


def explain_unknown_code(code: str) -> str:
    """Return the hint for a waiver or a severity setting whose `code` no rule has: that it is a fault's code, that a
    plug-in is missing, or which known code is spelt alike.
    """
    from fabricgen.lint.fault import find_page

    if find_page(code):
        return "that is a fault: it leaves the blueprint unusable, so it is neither waived nor weighed"
    if not code.startswith("FG"):
        return "no package that is installed has a rule of this code: install its plug-in, or remove this"
    return did_you_mean(code, list_known_codes())
