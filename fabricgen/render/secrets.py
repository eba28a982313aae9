"""Secrets of switch configurations: resolved from their references, checked, and printed nowhere else.

Messages about a wrong secret never repeat it. Who has no access to the secrets builds with `--redact-secrets`; then,
and whenever configurations are compared, the reference is written in place of the secret.
What is compared or printed has a mask in its place.
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
from fabricgen.design.extras.exits import exits_of
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, InputError, fault
from fabricgen.kernel.diagnostics import Path as Place
from fabricgen.views.intent import SpanIntent

MAX_SECRET_BYTES = 4096


@dataclass(frozen=True, slots=True)
class SecretKind:
    """The syntax of a kind of secret, such that it is safe in the files of every NOS; `right`: a hint."""

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


def redacted(reference: str, kind: SecretKind, place: Place) -> str:  # noqa: ARG001 - a SecretResolver
    """Resolve a reference to itself in angle brackets, so that no secret is printed."""
    return f"<{reference}>"


class SecretStore:
    """Resolves secrets from environment variables and from files below a folder (anywhere with `allow_outside`)."""

    def __init__(self, folder: Path, *, allow_outside: bool = False) -> None:
        self._folder = folder.resolve()
        self._allow_outside = allow_outside

    def __call__(self, reference: str, kind: SecretKind, place: Place) -> str:
        """The secret; raises InputError (FG051) at `place` where there is none, or its syntax is wrong."""
        if reference.startswith(ENVIRONMENT):
            name = reference.removeprefix(ENVIRONMENT)
            if name not in os.environ:
                hint = "set it, or build with --redact-secrets"
                raise fault("FG051", f"the environment variable {name} is not set", path=place, hint=hint)
            text = os.environ[name]
        else:
            text = self._first_line(reference.removeprefix(FILE), place)
        if not kind.pattern.fullmatch(text):
            raise fault("FG051", f"what {reference} holds cannot be used here", path=place, hint=kind.right)
        return text

    def _first_line(self, path: str, place: Place) -> str:
        file = Path(os.path.realpath(self._folder / path))
        if not (self._allow_outside or file.is_relative_to(self._folder)):
            raise fault("FG051", f"file:{path} lies outside the blueprint's folder", path=place)
        try:
            if not stat.S_ISREG(file.stat().st_mode):  # opening a named pipe would block
                raise fault("FG051", f"file:{path} is no regular file", path=place)
            with file.open(encoding="utf-8") as stream:
                return stream.read(MAX_SECRET_BYTES).partition("\n")[0].strip()
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", "") or "it is not UTF-8 text"
            hint = "write it there, or build with --redact-secrets"
            raise fault("FG051", f"cannot read the secret file:{path}: {reason}", path=place, hint=hint) from None


def with_secrets(management: Management, resolver: SecretResolver, places: Callable[[Place], Place]) -> Management:
    """Management settings with all references resolved; `places` maps a key of theirs to its path in the blueprint.

    Raises InputError with one diagnostic for each secret that cannot be resolved.
    """
    faults: list[Diagnostic] = []

    def secret(reference: str, kind: SecretKind, *keys: str) -> str:
        try:
            return resolver(reference, kind, places(keys))
        except InputError as error:
            faults.extend(error.diagnostics)
            return ""

    def of_user(name: str, user: User) -> User:
        if not user.password:
            return user
        return user.model_copy(update={"password": secret(user.password, PASSWORD, "users", name, "password")})

    def of_snmp(snmp: Snmp) -> Snmp:
        users = {
            name: SnmpUser.model_construct(
                auth=secret(user.auth, SNMP_PHRASE, "snmp", "users", name, "auth"),
                privacy=secret(user.privacy, SNMP_PHRASE, "snmp", "users", name, "privacy"),
            )
            for name, user in snmp.users.items()
        }
        return snmp.model_copy(update={"users": users})

    def of_aaa(aaa: Aaa) -> Aaa:
        return aaa.model_copy(update={"key": secret(aaa.key, PHRASE, "aaa", "key")}) if aaa.key else aaa

    resolved = management.model_copy(
        update={
            "users": {name: of_user(name, user) for name, user in management.users.items()},
            "snmp": management.snmp and of_snmp(management.snmp),
            "aaa": management.aaa and of_aaa(management.aaa),
        }
    )
    if faults:
        raise InputError(faults)
    return resolved


def managements(cluster: Cluster, resolver: SecretResolver) -> dict[str, Management]:
    """The management settings of each fabric's switches, by fabric name, with all references resolved.

    Raises InputError with one diagnostic, at its line of the blueprint, for each secret that cannot be resolved.
    """
    found: dict[str, Management] = {}
    faults: dict[Place, Diagnostic] = {}
    for fabric in cluster.design.fabrics:
        if fabric.protocol == "infiniband" or not fabric.tiers:
            continue
        try:
            found[fabric.name] = with_secrets(
                cluster.intent(fabric).management, resolver, _places(cluster, fabric.name)
            )
        except InputError as error:
            faults |= {diagnostic.path: diagnostic for diagnostic in error.diagnostics}
    if faults:
        raise cluster.design.loaded.locate_error(InputError(faults.values()))
    return found


def exit_passwords(design: Design, resolver: SecretResolver) -> dict[str, str]:
    """The passwords of the sessions of all exits, by their references.

    Raises InputError with one diagnostic, at its line of the blueprint, for each that cannot be resolved.
    """
    found: dict[str, str] = {}
    faults: list[Diagnostic] = []
    for exit_ in exits_of(design):
        stated: list[tuple[Place, str | None]] = [((*exit_.path, "password"), exit_.spec.password)]
        stated += [((*exit_.path, "devices", n, "password"), own.password) for n, own in exit_.spec.devices.items()]
        for place, reference in stated:
            if reference and reference not in found:
                try:
                    found[reference] = resolver(reference, PHRASE, place)
                except InputError as error:
                    faults += error.diagnostics
    if faults:
        raise design.loaded.locate_error(InputError(faults))
    return found


def span_keys(cluster: Cluster, resolver: SecretResolver) -> dict[str, tuple[SpanIntent, ...]]:
    """The spans of each fabric that has any, by fabric name, with the keys of their encryption.

    Raises InputError with one diagnostic, at its line of the blueprint, for each that cannot be resolved.
    """
    found: dict[str, tuple[SpanIntent, ...]] = {}
    faults: list[Diagnostic] = []

    def keyed(fabric: str, span: SpanIntent) -> SpanIntent:
        if span.macsec is None:
            return span
        kind, place = KEYS[256 if "256" in span.macsec.cipher else 128], ("spans", span.name, "macsec", "cak")
        try:
            key = resolver(span.macsec.cak, kind, ("fabrics", fabric, *place))
        except InputError as error:
            faults.extend(error.diagnostics)
            return span
        return replace(span, macsec=replace(span.macsec, cak=key))

    for fabric in cluster.design.fabrics:
        if fabric.tiers and (spans := cluster.intent(fabric).spans):
            found[fabric.name] = tuple(keyed(fabric.name, span) for span in spans)
    if faults:
        raise cluster.design.loaded.locate_error(InputError(faults))
    return found


def _places(cluster: Cluster, fabric: str) -> Callable[[Place], Place]:
    """A function from a key of the management settings to its path: in the fabric, or at the top of the blueprint."""
    own = cluster.design.loaded.blueprint.fabrics[fabric].management

    def place(keys: Place) -> Place:
        value = getattr(own, str(keys[0]))
        stated = keys[1] in value if isinstance(value, dict) else value is not None
        return (*(("fabrics", fabric) if stated else ()), "management", *keys)

    return place


MASK = "<secret>"


def without_secrets(content: bytes) -> bytes:
    """The text of a configuration of any NOS with a mask in place of each secret or secret reference."""
    text = content.decode(errors="replace")
    for pattern in _patterns():
        text = pattern.sub(_masked, text)
    return text.encode()


def _masked(match: re.Match[str]) -> str:
    start, end = match.start(1) - match.start(), match.end(1) - match.start()
    return match[0][:start] + MASK + match[0][end:]


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    catalog = Catalog()
    return tuple(
        re.compile(p, re.M) for nos in catalog.list_known_nos() for p in catalog.naming(nos).configuration.secrets
    )
