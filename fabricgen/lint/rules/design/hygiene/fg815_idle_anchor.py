"""FG815: an anchor is never used."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class IdleAnchor(DesignRule):
    """A YAML anchor has no alias in its file, so nothing uses the value it names.

    Under an `x-` key, which is not read, its value is used nowhere; elsewhere a reader looks for copies in vain
    (YAML 1.2.2, 3.2.2.2: an alias follows its anchor in the same document). Remove the anchor, or use it.
    """

    severity = Severity.WARNING
    bad = """
        x-leaf: &leaf {switch: sn5600}
        x-spare: &spare {switch: sn5600, count: 2}  # <-
        fabrics: {compute: {tiers: {leaf: {<<: *leaf, per: [su, rail]}}}}
    """
    good = """
        x-leaf: &leaf {switch: sn5600}
        fabrics: {compute: {tiers: {leaf: {<<: *leaf, per: [su, rail]}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag the anchors to which no alias refers in their file."""
        for anchor in design.loaded.source.idle:
            finding = self.flag((), f"no alias uses the anchor &{anchor.name}", f"remove it, or use *{anchor.name}")
            yield replace(finding, span=anchor.span)
