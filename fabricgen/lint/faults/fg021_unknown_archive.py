"""No archive is known by the suffix."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class UnknownArchive(Fault):
    """`--archive` names a file whose suffix is none of .tar, .tar.zst and .zip.

    The suffix chooses the format; a wrong one would leave a file that no tool opens. Give the file one of these
    suffixes.
    """

    id = "FG021"
    title = "no archive is known by the suffix"
    in_words = True
    bad = """
        fabricgen build example.yaml --archive out.rar
    """
    good = """
        fabricgen build example.yaml --archive out.tar.zst
    """
