"""FG808: a key is written under an old name."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.blueprint.overlays import list_old_keys
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Edit, Severity
from fabricgen.lint.rule import DesignRule


class DeprecatedKey(DesignRule):
    """A key is written under an old name, which is still read.

    Old names are removed with the next version of the language, and until then a reader has to know both. The
    schema marks them as `deprecated` (JSON Schema 2020-12, validation, 9.3), which editors strike through. Use the
    new name.
    """

    counts_ports = False
    severity = Severity.WARNING
    bad = """
        address_of:
          compute-spine-01: {mgmt: 10.16.0.30}  # <-
    """
    good = """
        address_of:
          compute-spine-01: {management: 10.16.0.30}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag keys that are written under old names in the files of the blueprint."""
        for path, name in list_old_keys(design.loaded.source.data):
            message = f"`{path[-1]}` is now called `{name}`"
            yield self.flag(path, message, f"use `{name}`", [Edit("rename", path, name)])
