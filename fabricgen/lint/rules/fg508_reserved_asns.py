"""AS numbers are set aside for documents, or reserved."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.blueprint.sections.asn import parse_asns
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.addressing import adopted_asns, stated_asns
from fabricgen.lint.rule import DesignRule

SET_ASIDE = (
    (64496, 64511, "for documentation (RFC 5398)"),
    (65536, 65551, "for documentation (RFC 5398)"),
    (65552, 131071, "reserved by IANA (registry of AS numbers)"),
)
"""(first, last, what for); 0, 23456, 65535 and 4294967295 are refused when a blueprint is read."""


def set_aside(text: str) -> str:
    """Which range, and what for, a number or range of AS numbers touches; "" for none."""
    first, last = parse_asns(text)
    return next((f"{low}-{high}, {what}" for low, high, what in SET_ASIDE if first <= high and low <= last), "")


class ReservedAsns(DesignRule):
    """AS numbers touch a range that is set aside: for examples in documents, or reserved.

    They are in every list of bogons, so that providers, firewalls and route servers drop what carries them, and as a
    rule they were copied from a document (RFC 5398; RFC 7607, 6793 and 7300 for the single ones that are refused
    outright). Private numbers are 64512-65534 and 4200000000-4294967294 (RFC 6996).
    """

    id = "FG508"
    severity = Severity.WARNING
    title = "AS numbers are set aside for documents, or reserved"
    bad = """
        routing:
          asn: {pool: 65536-65999}  # <-
    """
    good = """
        routing:
          asn: {pool: 65000-65534}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Look every stated and adopted number up."""
        for path, text in (*stated_asns(design), *adopted_asns(design)):
            if what := set_aside(text):
                yield self.flag(path, f"AS numbers {text} touch {what}", "use 4200000000-4294967294")
