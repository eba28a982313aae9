"""FG761: an SSH key cannot log anybody in."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.addressing import list_stated_managements

LEAST_RSA_BITS = 2048
"""Shorter RSA keys are refused by OpenSSH's `RequiredRSASize` at many sites, and by NIST SP 800-131A."""


class SshKeyNotWhole(DesignRule):
    """The text of an SSH public key is cut short, is of another type than it says, or is too weak.

    A key that was cut when it was copied is accepted by no switch, and who holds it is locked out after the push. The
    text of a key repeats its type and the length of each of its parts (RFC 4253, 6.6), so that a missing end shows. RSA
    keys below 2048 bits are no longer strong enough (NIST SP 800-131A). Copy the whole line of the `.pub` file.
    """

    severity = Severity.WARNING
    bad = """
        management:
          users:
            ops:
              ssh_keys:
                - ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGRlZmdoaWprbG1ub3Bx ops  # <-
    """
    good = """
        management:
          users:
            ops:
              ssh_keys:
                - ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGRlZmdoaWprbG1ub3BxcnN0dXZ3eHl6e3x9fn+AgYKD ops
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag SSH keys of accounts that are cut, of another type than they say, or too short."""
        for path, management in list_stated_managements(design):
            for name, user in sorted(management.users.items()):
                for index, key in enumerate(user.ssh_keys):
                    if why := find_key_fault(key):
                        key_path = (*path, "users", name, "ssh_keys", index)
                        yield self.flag(
                            key_path, f"key {index + 1} of {name} {why}", "copy the whole line of the .pub file"
                        )


def find_key_fault(line: str) -> str:
    """Return what is wrong with the line of an SSH public key, as words after "the key"; "" if nothing is."""
    import base64  # only blueprints with accounts need it

    kind, text = line.split(" ")[:2]
    try:
        blob = base64.b64decode(text, validate=True)
    except ValueError:
        return f"is cut: {len(text)} characters are no whole base64 text"
    fields = _split_fields(blob)
    if fields is None:
        return f"is cut: {len(blob)} bytes end within a part of it"
    stated_kind = fields[0].decode("ascii", "replace") if fields else ""
    if stated_kind != kind:
        return f"says {kind}, but its text is of the type '{stated_kind[:40]}'"
    if kind == "ssh-ed25519" and [len(field) for field in fields[1:]] != [32]:
        return f"has {sum(map(len, fields[1:]))} bytes after its type; ssh-ed25519 has 32 (RFC 8709)"
    if kind == "ssh-rsa":
        # ssh-rsa: the type, the exponent, the modulus (RFC 4253, 6.6)
        bits = int.from_bytes(fields[2], "big").bit_length() if len(fields) == 3 else 0
        if bits < LEAST_RSA_BITS:
            return f"is an RSA key of {bits} bits; {LEAST_RSA_BITS} is the least"
    return ""


def _split_fields(blob: bytes) -> list[bytes] | None:
    """Return the fields of a key, each of which follows its length in four bytes (RFC 4251, 5, `string`); None if it is
    cut.
    """
    fields = []
    while blob:
        size = int.from_bytes(blob[:4], "big")
        if len(blob) < 4 + size or len(blob) < 4:
            return None
        fields.append(blob[4 : 4 + size])
        blob = blob[4 + size :]
    return fields
