"""A stated name or address belongs to nothing, or cannot be used there."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class NoSuchNumber(Fault):
    """`address_of` or `names: devices:` is for a device, port or address that there is none of, or states an address
    outside of the subnet in which it must lie.

    What is stated must replace what would be given: a management address lies in the management subnet, and is
    neither its gateway nor its first or last address. The hint has the usual address, or the nearest name.
    """

    id = "FG047"
    title = "a stated name or address belongs to nothing, or cannot be used there"
    bad = """
        address_of:
          compute-spine-05: {asn: 4200000900}  # <-
    """
    good = """
        address_of:
          compute-spine-04: {asn: 4200000900}
    """
