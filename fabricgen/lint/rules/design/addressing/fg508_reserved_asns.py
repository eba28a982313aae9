"""FG508: AS numbers are reserved or for documentation."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.blueprint.sections.asn import parse_asns
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.addressing import list_adopted_asns, list_stated_asns

SET_ASIDE = (
    (64496, 64511, "for documentation (RFC 5398)"),
    (65536, 65551, "for documentation (RFC 5398)"),
    (65552, 131071, "reserved by IANA (registry of AS numbers)"),
)
"""(first, last, purpose) of ranges that nobody may use; 0, 23456, 65535 and 4294967295 are refused when a blueprint is
read."""


def find_reserved_range(text: str) -> str:
    """Return the range of `SET_ASIDE` that an AS number or range overlaps, with its purpose, in words; "" if
    none does.
    """
    first, last = parse_asns(text)
    return next((f"{low}-{high}, {purpose}" for low, high, purpose in SET_ASIDE if first <= high and low <= last), "")


class ReservedAsns(DesignRule):
    """AS numbers overlap a range that is reserved, or set aside for documentation.

    They are in every bogon list, so providers, firewalls and route servers drop routes that carry them. Usually
    they were copied from a document (RFC 5398; RFC 7607, 6793 and 7300 for the single numbers that are always
    refused). Private numbers are 64512-65534 and 4200000000-4294967294 (RFC 6996).
    """

    counts_ports = False
    severity = Severity.WARNING
    bad = """
        routing:
          asn: {pool: 65536-65999}  # <-
    """
    good = """
        routing:
          asn: {pool: 65000-65534}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag stated and adopted AS numbers that overlap a range of `SET_ASIDE`."""
        for path, text in (*list_stated_asns(design), *list_adopted_asns(design)):
            if purpose := find_reserved_range(text):
                yield self.flag(path, f"AS numbers {text} overlap {purpose}", "use numbers of 4200000000-4294967294")
