"""FG740: a snippet holds a secret in clear text."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.design.snippets import list_snippets
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.idle import list_commands


class SecretInASnippet(DesignRule):
    """A snippet has a password, key or SNMP community in clear text, or in a form that anybody can turn back.

    A blueprint is kept in git and read by many, and a secret in it stays in its history (CWE-312). State accounts,
    `aaa` and `snmp` under `management`, where a secret is a reference (`env:FABRICGEN_NAME`, `file:PATH`) that the
    build looks up; a hash that cannot be turned back may stay. Change a secret that was committed. The message leaves
    it out.
    """

    severity = Severity.WARNING
    bad = """
        snippets:
          polling: {nos: sonic,
            tree: {SNMP_COMMUNITY: {public: {TYPE: RO}}}}  # <-
    """
    good = """
        management: {snmp: {users: {monitor: {auth: "env:FABRICGEN_SNMP_AUTH", privacy: "env:FABRICGEN_SNMP_PRIVACY"}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag snippets with commands that hold secrets, once for each kind of command."""
        for path, snippet in list_snippets(design.loaded.blueprint):
            patterns = design.catalog.naming(snippet.nos).configuration.clear_secrets
            matching = {pattern for line in list_commands(snippet) for pattern in patterns if line.matches(pattern)}
            for pattern in sorted(matching):
                # the pattern as a person writes the command: first alternatives, and no placeholders
                words = " ".join(
                    word.replace("~", "").split("|")[0] for word in pattern.split() if word[0] not in "!*<"
                )
                message = f"snippet '{path[-1]}' holds a secret in clear text, with '{words}'"
                hint = "state it under `management` as a reference such as env:FABRICGEN_NAME, or as a hash"
                yield self.flag((*path, "text" if snippet.tree is None else "tree"), message, hint)
