"""FG505: an AS number or pool is not private."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.blueprint.sections.asn import parse_asns
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.rules.design.addressing.fg508_reserved_asns import find_reserved_range
from fabricgen.lint.subjects.addressing import list_adopted_asns, list_stated_asns

PRIVATE = ((64512, 65534), (4200000000, 4294967294))
"""Private AS numbers (RFC 6996)."""


def is_public(text: str) -> bool:
    """Whether an AS number or range is not wholly private; reserved ones and those for documentation are left
    to FG508.
    """
    first, last = parse_asns(text)
    return not any(low <= first and last <= high for low, high in PRIVATE) and not find_reserved_range(text)


class PublicAsns(DesignRule):
    """AS numbers outside the private ranges belong to somebody else.

    Routes that leak with someone else's number are dropped, or blamed on its owner. Private numbers are 64512-65534
    and 4200000000-4294967294 (RFC 6996); RFC 7938 recommends the four-byte range for data centers.
    """

    counts_ports = False
    severity = Severity.WARNING
    bad = """
        routing:
          asn: {pool: 1000-2000}  # <-
    """
    good = """
        routing:
          asn: {pool: 4200000000-4200099999}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag stated AS numbers that are not private, and the first of the adopted ones with the number of
        the others.
        """
        for path, text in list_stated_asns(design):
            if is_public(text):
                yield self.flag(path, f"AS numbers {text} are not all private", "use numbers of 4200000000-4294967294")
        adopted = [(path, text) for path, text in list_adopted_asns(design) if is_public(text)]
        for path, text in adopted[:1]:
            others = f", nor are {len(adopted) - 1} other adopted ones" if adopted[1:] else ""
            hint = "if the numbers are yours, waive this; otherwise renumber the running fabric"
            yield self.flag(path, f"the adopted AS number {text} is not private{others}", hint)
