"""FG807: the version of the language is not stated."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Edit, Severity
from fabricgen.lint.rule import DesignRule


class UnpinnedVersion(DesignRule):
    """The key `fabricgen`, the version of the language, is missing, so the reader's own version is assumed.

    A later fabricgen may interpret the same text differently; if it knows the version, it refuses or translates the
    text (compare `version` of a Compose file before it was dropped, or `apiVersion` of Kubernetes). State the
    version.
    """

    counts_ports = False
    severity = Severity.WARNING
    bad = """
        fabricgen: null
        name: pilot  # <-
    """
    good = """
        fabricgen: 1
        name: pilot
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag a blueprint that neither states the version itself nor includes a file that does."""
        if "fabricgen" not in design.loaded.source.data:
            version = design.loaded.blueprint.fabricgen
            insert = Edit("insert", ("fabricgen",), str(version))
            message = f"the version of the language is not stated; {version} is assumed"
            yield self.flag(("name",), message, f"begin the file with `fabricgen: {version}`", [insert])
