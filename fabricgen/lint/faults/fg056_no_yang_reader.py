"""libyang, which judges by YANG models, is not installed."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class NoYangReader(Fault):
    """`check --yang` needs libyang, a C library with a Python binding that is not installed.

    SONiC validates its configuration with the same library (src/sonic-yang-mgmt), so no other judge would say the
    same. Install it as the hint says, or leave `--yang` out: the built-in checks need nothing.
    """

    id = "FG056"
    title = "libyang, which judges by YANG models, is not installed"
    in_words = True
    bad = """
        fabricgen check out --yang sonic-yang-models, without libyang
    """
    good = """
        fabricgen check out
    """
