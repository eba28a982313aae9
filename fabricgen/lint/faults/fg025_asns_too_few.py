"""There are too few AS numbers."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class AsnsTooFew(Fault):
    """A pool or range of AS numbers has fewer than switches need, or two tiers are to share one.

    Each routing domain needs a number of its own: RFC 7938 (5.2) gives one to each leaf and one to each group of
    spines. Take a larger range; 4200000000-4294967294 is private (RFC 6996). A range for a tier needs one for each
    switch that may come.
    """

    id = "FG025"
    title = "there are too few AS numbers"
    bad = """
        routing: {asn: {tiers: {leaf: 65000-65002}}}  # <-
    """
    good = """
        routing: {asn: {tiers: {leaf: 65000-65063}}}
    """
