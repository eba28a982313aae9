"""FG804: a snippet is for a NOS that no switch runs."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.design.snippets import list_snippets
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import DesignRule


class SnippetOfNobody(DesignRule):
    """A snippet names a NOS that no switch of its cluster, fabric or tier runs, so it is not used anywhere.

    Its author believes that the lines are on the switches. Name the NOS that they run, or remove the snippet; if it
    is for future switches, waive the finding.
    """

    severity = Severity.WARNING
    bad = """
        snippets:
          counters: {nos: eos, text: "hardware counter feature ip in"}  # <-
    """
    good = """
        snippets:
          counters: {nos: sonic, tree: {CRM: {Config: {polling_interval: "60"}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the NOS of each snippet with those of the tiers in its scope."""
        for path, snippet in list_snippets(design.loaded.blueprint):
            running = sorted({tier.nos for tier in design.tiers if _covers(path, tier.fabric, tier.name)})
            if snippet.nos not in running:
                message = f"no switch in the scope of snippet '{path[-1]}' runs {snippet.nos}"
                yield self.flag((*path, "nos"), message, f"they run {', '.join(running)}" if running else "")


def _covers(path: Path, fabric: str, tier: str) -> bool:
    """Whether switches of a tier are in the scope of the snippet at a path; the path of a single switch may mean any
    tier.
    """
    if path[0] != "fabrics":
        return True
    return path[1] == fabric and (path[2] != "tiers" or path[3] == tier)
