"""FG704: a snippet or template overrides a safety line."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fabricgen.catalog.nos_configuration import SafetyLine, UnsafeCommands
from fabricgen.design.capacity.failure import is_for_management
from fabricgen.design.model import Design
from fabricgen.design.snippets import list_snippets
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.idle import Command, list_commands


class SafetyOverridden(DesignRule):
    """A snippet, or a template of your own, overrides a line that fabricgen writes to keep the fabric safe.

    Route policy and prefix limits protect all other switches from a mistake on one; RS-FEC, PFC with its watchdog,
    and ECN keep a bad cable or a PFC storm from stopping a job. A port without them looks fine until it is loaded.
    Commands are read as the switch reads them, abbreviated too: `no rout bgp`, `int Et1/1` with `shut`, `mtu 1500`.
    Change the blueprint instead (`routing`, `qos`), which applies to both ends, or waive the finding.
    """

    severity = Severity.WARNING
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
        """Flag commands of snippets that override what a NOS must have, once for each command of a snippet."""
        management_fabrics = {fabric.name for fabric in design.fabrics if is_for_management(fabric)}
        for path, snippet in list_snippets(design.loaded.blueprint):
            configuration = design.catalog.naming(snippet.nos).configuration
            for_management = path[0] == "fabrics" and path[1] in management_fabrics
            reported: set[str] = set()
            for command in list_commands(snippet):
                why = next((kind.why for kind in configuration.safety if _overrides(command.text, kind)), "")
                why = why or _explain_unsafe(command, configuration.unsafe, for_management=for_management)
                if why and command.text not in reported:
                    reported.add(command.text)
                    message = f"'{command.text}' overrides a safety line that fabricgen writes: {why}"
                    yield self.flag((*path, "text" if snippet.tree is None else "tree"), message)


def _explain_unsafe(command: Command, kinds: tuple[UnsafeCommands, ...], *, for_management: bool) -> str:
    """Return why a command is unsafe; "" if it is safe. In fabrics for management a small MTU is safe, since BMCs send
    no large packets.
    """
    return next(
        (
            kind.why
            for kind in kinds
            if any(command.matches(pattern) and not ("<" in pattern and for_management) for pattern in kind.commands)
        ),
        "",
    )


def _overrides(line: str, safety: SafetyLine) -> bool:
    """Whether a line sets what a safety line sets, or removes it by `no` or `default`."""
    bare = re.sub(r"^(no|default) ", "", line)
    return bool(re.fullmatch(safety.line, bare) or (bare != line and re.match(safety.line, bare)))
