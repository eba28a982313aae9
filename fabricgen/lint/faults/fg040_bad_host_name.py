"""A name is no host name."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class BadHostName(Fault):
    """A name that comes of a template is longer than 63 characters or is no label of a domain name (RFC 1123, 2.1).

    Switches and DNS refuse such a name, or cut it off, and then two devices share one. Use lower-case letters,
    digits and, inside, '-'; at most 63.
    """

    id = "FG040"
    title = "a name is no host name"
    bad = """
        names:
          switches: {leaf: "{default}-"}  # <-
    """
    good = """
        names:
          switches: {leaf: "x-{default}"}
    """
