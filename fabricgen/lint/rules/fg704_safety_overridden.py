"""The user's own text takes away a line that keeps the fabric safe."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from fabricgen.blueprint.configuration import PortSettings, Snippet
from fabricgen.catalog.nos_configuration import SafetyLine
from fabricgen.design.model import Design
from fabricgen.design.snippets import all_snippets
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import DesignRule

RS_FROM_GBPS = 100


class SafetyOverridden(DesignRule):
    """A snippet, or what a port has of its own, hides a line that fabricgen writes to keep the fabric safe.

    Route policy and prefix limits keep one switch's mistake from every other; RS-FEC, PFC with its watchdog and ECN
    keep a bad cable or a storm of pauses from stopping a job; a port without them looks well until it is loaded. Say
    what is meant in the blueprint (`routing`, `qos`), where it holds for both ends, or waive the finding.
    """

    id = "FG704"
    severity = Severity.WARNING
    title = "an override hides a safety line"
    bad = """
        config_of:
          compute-spine-01:
            ports:
              Ethernet0: {fec: none}  # <-
    """
    good = """
        config_of:
          compute-spine-01:
            ports:
              Ethernet0: {description: "to be re-cabled"}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Look for safety lines in snippets, and for settings of ports that undo them."""
        blueprint = design.loaded.blueprint
        for path, snippet in all_snippets(blueprint):
            for line in design.catalog.naming(snippet.nos).configuration.safety:
                found = _first(snippet, re.compile(line.line))
                if found:
                    yield self._hidden(path, snippet, found, line)
        for device, own in blueprint.config_of.items():
            for port, settings in own.ports.items():
                yield from self._port(("config_of", device, "ports", port), settings)

    def _hidden(self, path: Path, snippet: Snippet, found: str, line: SafetyLine) -> Diagnostic:
        where = (*path, "text" if snippet.tree is None else "tree")
        return self.flag(where, f"'{found}' overrides a safety line that fabricgen writes: {line.why}")

    def _port(self, path: Path, settings: PortSettings) -> Iterator[Diagnostic]:
        if settings.fec in ("none", "fc"):
            what = f"a port with `fec: {settings.fec}` has no RS-FEC"
            yield self.flag((*path, "fec"), f"{what}, which every port from {RS_FROM_GBPS}G on needs at both ends")
        if settings.mtu is not None and settings.mtu < 9000:
            yield self.flag((*path, "mtu"), f"an MTU of {settings.mtu} drops the 9,000-byte packets that hosts send")


def _first(snippet: Snippet, pattern: re.Pattern[str]) -> str:
    """The first line, or path of data, that sets or removes what a safety line sets."""
    lines = (snippet.text or "").splitlines() if snippet.tree is None else _paths(snippet.tree)
    for line in lines:
        bare = re.sub(r"^(no|default) ", "", line.strip())
        if pattern.fullmatch(bare) or (bare != line.strip() and pattern.match(bare)):
            return line.strip()
    return ""


def _paths(tree: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """Every value of a tree as `KEY/KEY/key`."""
    for key, value in tree.items():
        path = f"{above}/{key}" if above else str(key)
        yield path
        if isinstance(value, Mapping):
            yield from _paths(value, path)
