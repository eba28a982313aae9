"""Linked fabrics have different address families."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class FamiliesDiffer(Fault):
    """Two fabrics that share switches or links differ in `ip`.

    A link has addresses of one set of families at both ends; a session over IPv6 does not reach an end that has
    IPv4 alone. State one `ip` for both.
    """

    id = "FG115"
    title = "linked fabrics have different address families"
    bad = """
        fabrics:
          storage:
            protocol: roce
            attach: storage
            ip: v6  # <-
            carried_by: compute
    """
    good = """
        fabrics:
          storage: {protocol: roce, attach: storage, carried_by: compute}
    """
