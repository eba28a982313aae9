"""No node has the ports that a fabric attaches."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class MissingRole(Fault):
    """A fabric, or an extra device, attaches ports of a role (`attach`) that its profile has none of, or more than it
    has.

    Roles say which NIC ports belong to which network: compute, storage, inband, bmc. Name a role that the profile
    has, as `fabricgen catalog ID` shows it.
    """

    id = "FG014"
    title = "no node has the ports that a fabric attaches"
    bad = """
        fabrics: {compute: {attach: computing}}  # <-
    """
    good = """
        fabrics: {compute: {attach: compute}}
    """
