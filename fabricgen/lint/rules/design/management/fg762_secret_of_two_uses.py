"""FG762: one secret serves two uses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from fabricgen.blueprint.sections.secret import ENVIRONMENT, FILE
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Path, Severity
from fabricgen.lint.rule import DesignRule

_USES = {"auth": "SNMP authentication", "privacy": "SNMP privacy", "key": "the login servers", "cak": "MACsec"}
"""What the secret at a key is for; a `password` is for logins or BGP sessions."""


class SecretOfTwoUses(DesignRule):
    """One secret is stated for two uses: for logins and a protocol, for two protocols, or for admins and operators.

    Who learns it for the smaller use has the greater one: a monitoring system that holds the passphrase of SNMP holds
    the key of the login servers, and an operator may change what he was to look at. A single key is for one purpose
    (NIST SP 800-57 part 1, 5.2, Key Usage); of SNMPv3 authentication and privacy are two.

    Keep a secret of its own for each use. Sessions to one outside, and users of one role, may share theirs.
    """

    severity = Severity.WARNING
    bad = """
        management:
          snmp: {users: {monitor: {auth: "env:FABRICGEN_SNMP",
            privacy: "env:FABRICGEN_SNMP"}}}  # <-
    """
    good = """
        management: {snmp: {users: {monitor: {auth: "env:FABRICGEN_SNMP_AUTH", privacy: "env:FABRICGEN_SNMP_PRIV"}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the uses of every secret that the blueprint names, in the order of its text."""
        use_of_secret: dict[str, str] = {}
        for path, use, secret in _list_named_secrets(design.loaded.source.data, ()):
            if use_of_secret.setdefault(secret, use) != use:
                message = f"the secret of {use} is that of {use_of_secret[secret]} as well: {secret}"
                yield self.flag(path, message, "keep another secret for each")


def _list_named_secrets(data: Any, path: Path) -> Iterator[tuple[Path, str, str]]:
    """Yield (path, what it is for, the reference to it) for every secret that is named in `data`, which is found at a
    path of the blueprint.
    """
    inside: Iterable[tuple[Any, Any]] = data.items() if isinstance(data, dict) else ()
    for key, value in enumerate(data) if isinstance(data, list) else inside:
        if key in ("password", *_USES) and isinstance(value, str) and value.startswith((ENVIRONMENT, FILE)):
            login = f"{data.get('role', 'admin')}s" if "users" in path else "BGP sessions"
            yield (*path, key), _USES.get(key, login), value
        else:
            yield from _list_named_secrets(value, (*path, key))
