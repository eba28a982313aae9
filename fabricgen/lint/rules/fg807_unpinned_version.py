"""The blueprint does not say which version of the language it is in."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Edit, Severity
from fabricgen.lint.rule import DesignRule


class UnpinnedVersion(DesignRule):
    """The key `fabricgen`, the version of the language, is missing: the version of whoever reads it is taken.

    A later fabricgen may read the same words otherwise; one that knows the version refuses or translates them (compare
    `version` of a Compose file before it was dropped, `apiVersion` of Kubernetes). State the version.
    """

    id = "FG807"
    severity = Severity.WARNING
    title = "the version of the language is not stated"
    bad = """
        fabricgen: null
        name: pilot  # <-
    """
    good = """
        fabricgen: 1
        name: pilot
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Look for the key in the text; a file that is included may have it."""
        if "fabricgen" not in design.loaded.source.data:
            version = design.loaded.blueprint.fabricgen
            insert = Edit("insert", ("fabricgen",), str(version))
            message = f"the version of the language is not stated; {version} is taken"
            yield self.flag(("name",), message, f"begin the file with `fabricgen: {version}`", [insert])
