"""An unquoted value means something else to other YAML readers."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class AmbiguousScalar(Fault):
    """A value without quotes is text to YAML 1.2 and a truth value or another number to YAML 1.1, or is no number that
    can be kept.

    `on` and `no` are truth values, `4:3` is 243 and `010` is 8 to YAML 1.1 readers (yaml.org/type/bool.html and
    int.html), which most editors and CI tools still have. What a reviewer's tool shows must be what is built. Put
    the value in quotes, or write the number or truth value that is meant.
    """

    id = "FG004"
    title = "an unquoted value means something else to other YAML readers"
    bad = """
        fabrics: {compute: {oversubscription: 1:1}}  # <-
    """
    good = """
        fabrics: {compute: {oversubscription: "1:1"}}
    """
