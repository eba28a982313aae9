"""FG704: a snippet or template overrides a safety line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from fabricgen.blueprint.sections.configuration import Snippet
from fabricgen.catalog.nos_configuration import SafetyLine
from fabricgen.design.model import Design
from fabricgen.design.snippets import all_snippets
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import DesignRule


class SafetyOverridden(DesignRule):
    """A snippet, or a template of your own, overrides a line that fabricgen writes to keep the fabric safe.

    Route policy and prefix limits protect all other switches from a mistake on one; RS-FEC, PFC with its watchdog,
    and ECN keep a bad cable or a PFC storm from stopping a job. A port without them looks fine until it is loaded.
    Change the blueprint instead (`routing`, `qos`), which applies to both ends, or waive the finding.
    """

    id = "FG704"
    severity = Severity.WARNING
    title = "a snippet or template overrides a safety line"
    bad = """
        snippets:
          polling: {nos: sonic,
            tree: {PFC_WD: {GLOBAL: {POLL_INTERVAL: 5000}}}}  # <-
    """
    good = """
        snippets:
          polling: {nos: sonic, tree: {CRM: {Config: {polling_interval: "60"}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Look for safety lines in snippets."""
        blueprint = design.loaded.blueprint
        for path, snippet in all_snippets(blueprint):
            safety = design.catalog.naming(snippet.nos).configuration.safety
            for line in dict.fromkeys(_lines(snippet)):
                hidden = next((kind for kind in safety if _overrides(line, kind)), None)
                if hidden:
                    yield self._finding(path, snippet, line, hidden)

    def _finding(self, path: Path, snippet: Snippet, found: str, line: SafetyLine) -> Diagnostic:
        where = (*path, "text" if snippet.tree is None else "tree")
        return self.flag(where, f"'{found}' overrides a safety line that fabricgen writes: {line.why}")


def _lines(snippet: Snippet) -> Iterator[str]:
    """The lines of a snippet, or the values of its tree as paths."""
    if snippet.tree is None:
        return (line.strip() for line in (snippet.text or "").splitlines())
    return _paths(snippet.tree)


def _overrides(line: str, safety: SafetyLine) -> bool:
    """Whether a line sets what a safety line sets, or removes it."""
    bare = re.sub(r"^(no|default) ", "", line)
    return bool(re.fullmatch(safety.line, bare) or (bare != line and re.match(safety.line, bare)))


def _paths(tree: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """Every value of a tree, and every empty part, as `KEY/KEY/key`."""
    for key, value in tree.items():
        path = f"{above}/{key}" if above else str(key)
        if isinstance(value, Mapping) and value:
            yield from _paths(value, path)
        else:
            yield path
