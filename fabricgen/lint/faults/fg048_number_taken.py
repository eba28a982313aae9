"""A stated address or AS number is in use elsewhere."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class NumberTaken(Fault):
    """An address of `address_of`, or of the lock, is that of another device, lies in a block that is given to others,
    or an AS number is that of another tier.

    An address that two devices have takes both off the network, now and then. State one that nothing has;
    addresses.csv lists those in use.
    """

    id = "FG048"
    title = "a stated address or AS number is in use elsewhere"
    bad = """
        address_of:
          compute-leaf-p1-su01-r1-01: {loopback: 10.0.0.1}  # <-
    """
    good = """
        address_of:
          compute-leaf-p1-su01-r1-01: {loopback: 10.0.200.1}
    """
