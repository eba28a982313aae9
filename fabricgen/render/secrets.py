"""Secrets of switch configurations: resolved from their references, checked, and printed nowhere else.

Messages about a wrong secret never repeat it. Those who have no access to the secrets build with `--redact-secrets`:
then, and whenever configurations are compared, the reference is written in place of the secret. Whatever is compared or
printed has a mask in its place.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TypeAlias

from fabricgen.blueprint.sections.management import Aaa, Management, Snmp, SnmpUser, User
from fabricgen.blueprint.sections.secret import ENVIRONMENT, FILE
from fabricgen.catalog.loader import Catalog
from fabricgen.cluster import Cluster
from fabricgen.design.extras.exits import list_exits
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, InputError, fault
from fabricgen.kernel.diagnostics import Path as Place
from fabricgen.views.intent import SpanIntent

MAX_SECRET_BYTES = 4096


@dataclass(frozen=True, slots=True)
class SecretKind:
    """The syntax of a kind of secret that is safe in the files of every NOS; `right` is a hint about it."""

    pattern: re.Pattern[str]
    right: str


PASSWORD = SecretKind(
    re.compile(r"\$6\$(rounds=[1-9]\d{3,8}\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{86}"),
    "make a SHA-512 crypt hash with `openssl passwd -6`: it begins with $6$",
)
PHRASE = SecretKind(
    re.compile(r"[A-Za-z0-9@%+=:,./_^*~-]{8,64}"),
    "8 to 64 letters, digits and @%+=:,./_^*~- are what every NOS takes",
)

SNMP_PHRASE = SecretKind(
    re.compile(r"[A-Za-z0-9%+=,./_^*~-]{8,64}"),
    "8 to 64 letters, digits and %+=,./_^*~- are what SNMP of every NOS takes",
)
"""SONiC takes neither @ nor : in one (sonic-snmp.yang)."""

KEYS = {
    bits: SecretKind(
        re.compile(rf"\d{{2}}[0-9A-Fa-f]{{{bits // 2}}}"),
        f"a key of type 7 for AES-{bits} is two digits, then {bits // 2} hexadecimal ones",
    )
    for bits in (128, 256)
}
"""Keys of MACsec by the bits of the cipher (sonic-macsec.yang)."""

SecretResolver: TypeAlias = Callable[[str, SecretKind, Place], str]
"""(reference, kind, path in the blueprint) -> the secret; raises InputError where it cannot be resolved."""


def redact_secret(reference: str, kind: SecretKind, path: Place) -> str:  # noqa: ARG001 - a SecretResolver
    """Return a reference in angle brackets in place of its secret, so that no secret is printed."""
    return f"<{reference}>"


class SecretStore:
    """Resolves secrets from environment variables, and from files below a folder (anywhere if `allow_outside`)."""

    def __init__(self, folder: Path, *, allow_outside: bool = False) -> None:
        self._folder = folder.resolve()
        self._allow_outside = allow_outside

    def __call__(self, reference: str, kind: SecretKind, path: Place) -> str:
        """Return a secret; raises InputError (FG051) at `path` if there is none, or if its syntax is wrong."""
        if reference.startswith(ENVIRONMENT):
            name = reference.removeprefix(ENVIRONMENT)
            if name not in os.environ:
                hint = "set it, or build with --redact-secrets"
                raise fault("FG051", f"the environment variable {name} is not set", path=path, hint=hint)
            text = os.environ[name]
        else:
            text = self._read_first_line(reference.removeprefix(FILE), path)
        if not kind.pattern.fullmatch(text):
            raise fault("FG051", f"what {reference} holds cannot be used here", path=path, hint=kind.right)
        return text

    def _read_first_line(self, name: str, path: Place) -> str:
        """Return the secret in a file; raises InputError (FG051), at `path` of the blueprint, if it cannot be read."""
        file = Path(os.path.realpath(self._folder / name))
        if not (self._allow_outside or file.is_relative_to(self._folder)):
            raise fault("FG051", f"file:{name} lies outside the blueprint's folder", path=path)
        try:
            if not stat.S_ISREG(file.stat().st_mode):  # opening a named pipe would block
                raise fault("FG051", f"file:{name} is no regular file", path=path)
            with file.open(encoding="utf-8") as stream:
                return stream.read(MAX_SECRET_BYTES).partition("\n")[0].strip()
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", "") or "it is not UTF-8 text"
            hint = "write it there, or build with --redact-secrets"
            raise fault("FG051", f"cannot read the secret file:{name}: {reason}", path=path, hint=hint) from None


def resolve_management(
    management: Management, resolver: SecretResolver, find_path: Callable[[Place], Place]
) -> Management:
    """Return management settings with all references resolved; `find_path` turns a key of theirs into a blueprint path.

    Raises InputError with one diagnostic for each secret that cannot be resolved.
    """
    faults: list[Diagnostic] = []

    def resolve(reference: str, kind: SecretKind, *keys: str) -> str:
        """Return the secret at a key of the settings; "" if it cannot be resolved, which is noted."""
        try:
            return resolver(reference, kind, find_path(keys))
        except InputError as error:
            faults.extend(error.diagnostics)
            return ""

    def resolve_user(name: str, user: User) -> User:
        """Return a user with the password hash resolved."""
        if not user.password:
            return user
        return user.model_copy(update={"password": resolve(user.password, PASSWORD, "users", name, "password")})

    def resolve_snmp(snmp: Snmp) -> Snmp:
        """Return the SNMP settings with all secrets resolved."""
        users = {
            name: SnmpUser.model_construct(
                auth=resolve(user.auth, SNMP_PHRASE, "snmp", "users", name, "auth"),
                privacy=resolve(user.privacy, SNMP_PHRASE, "snmp", "users", name, "privacy"),
            )
            for name, user in snmp.users.items()
        }
        return snmp.model_copy(update={"users": users})

    def resolve_aaa(aaa: Aaa) -> Aaa:
        """Return the AAA settings with the key of the servers resolved."""
        return aaa.model_copy(update={"key": resolve(aaa.key, PHRASE, "aaa", "key")}) if aaa.key else aaa

    resolved = management.model_copy(
        update={
            "users": {name: resolve_user(name, user) for name, user in management.users.items()},
            "snmp": management.snmp and resolve_snmp(management.snmp),
            "aaa": management.aaa and resolve_aaa(management.aaa),
        }
    )
    if faults:
        raise InputError(faults)
    return resolved


def resolve_managements(cluster: Cluster, resolver: SecretResolver) -> dict[str, Management]:
    """Return the management settings of each fabric's switches, by fabric name, with all references resolved.

    Raises InputError with one diagnostic, at its line of the blueprint, for each secret that cannot be resolved.
    """
    resolved: dict[str, Management] = {}
    faults: dict[Place, Diagnostic] = {}
    for fabric in cluster.design.fabrics:
        if fabric.protocol == "infiniband" or not fabric.tiers:
            continue
        try:
            resolved[fabric.name] = resolve_management(
                cluster.intent(fabric).management, resolver, _make_path_finder(cluster, fabric.name)
            )
        except InputError as error:
            faults |= {diagnostic.path: diagnostic for diagnostic in error.diagnostics}
    if faults:
        raise cluster.design.loaded.locate_error(InputError(faults.values()))
    return resolved


def resolve_exit_passwords(design: Design, resolver: SecretResolver) -> dict[str, str]:
    """Return the passwords of the BGP sessions of all exits, by their references.

    Raises InputError with one diagnostic, at its line of the blueprint, for each that cannot be resolved.
    """
    passwords: dict[str, str] = {}
    faults: list[Diagnostic] = []
    for exit_ in list_exits(design):
        references: list[tuple[Place, str | None]] = [((*exit_.path, "password"), exit_.spec.password)]
        references += [
            ((*exit_.path, "devices", n, "password"), device.password) for n, device in exit_.spec.devices.items()
        ]
        for path, reference in references:
            if reference and reference not in passwords:
                try:
                    passwords[reference] = resolver(reference, PHRASE, path)
                except InputError as error:
                    faults += error.diagnostics
    if faults:
        raise design.loaded.locate_error(InputError(faults))
    return passwords


def resolve_span_keys(cluster: Cluster, resolver: SecretResolver) -> dict[str, tuple[SpanIntent, ...]]:
    """Return the long-haul spans of each fabric that has any, by fabric name, with the keys of their encryption.

    Raises InputError with one diagnostic, at its line of the blueprint, for each that cannot be resolved.
    """
    spans_of_fabric: dict[str, tuple[SpanIntent, ...]] = {}
    faults: list[Diagnostic] = []

    def resolve_span(fabric: str, span: SpanIntent) -> SpanIntent:
        """Return a span with its MACsec key resolved; errors are collected."""
        if span.macsec is None:
            return span
        kind, path = KEYS[256 if "256" in span.macsec.cipher else 128], ("spans", span.name, "macsec", "cak")
        try:
            key = resolver(span.macsec.cak, kind, ("fabrics", fabric, *path))
        except InputError as error:
            faults.extend(error.diagnostics)
            return span
        return span._replace(macsec=replace(span.macsec, cak=key))

    for fabric in cluster.design.fabrics:
        if fabric.tiers and (spans := cluster.intent(fabric).spans):
            spans_of_fabric[fabric.name] = tuple(resolve_span(fabric.name, span) for span in spans)
    if faults:
        raise cluster.design.loaded.locate_error(InputError(faults))
    return spans_of_fabric


def _make_path_finder(cluster: Cluster, fabric: str) -> Callable[[Place], Place]:
    """Return a function from a key of the management settings to where it is stated: the fabric, or the top level."""
    fabric_management = cluster.design.loaded.blueprint.fabrics[fabric].management

    def find_path(keys: Place) -> Place:
        """Return the path of a key in the fabric if it is stated there, else at the top level."""
        value = getattr(fabric_management, str(keys[0]))
        # accounts are stated one by one, by their names (keys[1])
        is_of_fabric = keys[1] in value if isinstance(value, dict) else value is not None
        return (*(("fabrics", fabric) if is_of_fabric else ()), "management", *keys)

    return find_path


MASK = "<secret>"


def mask_secrets(content: bytes) -> bytes:
    """Return the text of a configuration of any NOS with a mask in place of each secret or secret reference."""
    text = content.decode(errors="replace")
    for pattern in _list_secret_patterns():
        text = pattern.sub(_mask_match, text)
    return text.encode()


def _mask_match(match: re.Match[str]) -> str:
    """Return a matched line with a mask in place of the secret."""
    start, end = match.start(1) - match.start(), match.end(1) - match.start()
    return match[0][:start] + MASK + match[0][end:]


@cache
def _list_secret_patterns() -> tuple[re.Pattern[str], ...]:
    """Return the patterns of all NOSes for secrets in lines of configurations."""
    catalog = Catalog()
    return tuple(
        re.compile(p, re.M) for nos in catalog.list_known_nos() for p in catalog.naming(nos).configuration.secrets
    )
