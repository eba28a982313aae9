"""A token masked in what a server answers, as it is, in part, percent-encoded, in hexadecimal or in base64."""

from __future__ import annotations

from base64 import b64encode, urlsafe_b64encode
from urllib.parse import quote

MASK = b"***"
RUN = 12
"""Characters of a token, or of a spelling of it, in a row that are masked; of a shorter token all of it."""


class TokenMask:
    """Puts MASK in place of every run of a token's characters, in capitals or not."""

    def __init__(self, token: str) -> None:
        """`token` is ASCII."""
        self._runs = {
            spelled[start : start + RUN]
            for spelled in _spell_token(token.encode())
            for start in range(max(1, len(spelled) - RUN + 1))
        }

    def without_token(self, content: bytes) -> bytes:
        """The content, masked."""
        lower = content.lower()
        shown = [run for run in self._runs if run in lower]
        if not shown:
            return content
        hidden = bytearray(len(content))
        for run in shown:
            start = lower.find(run)
            while start >= 0:
                hidden[start : start + len(run)] = b"\1" * len(run)
                start = lower.find(run, start + 1)
        masked = bytearray()
        for position, byte in enumerate(content):
            if not hidden[position]:
                masked.append(byte)
            elif not position or not hidden[position - 1]:
                masked += MASK
        return bytes(masked)


def _spell_token(token: bytes) -> set[bytes]:
    """A token in small letters: itself, percent-encoded (where it must be; all of it), in hexadecimal, and in base64
    at each of its three alignments.

    Of base64, characters that also depend on what stands before or behind the token are left out.
    """
    found = {token, token.hex().encode(), quote(token, safe="").encode(), ("%" + token.hex("%")).encode()}
    for before in range(3):
        padded = bytes(before) + token
        for encode in (b64encode, urlsafe_b64encode):
            first, last = (before * 8 + 5) // 6, len(padded) * 8 // 6
            found.add(encode(padded)[first:last])
    return {spelled.lower() for spelled in found if spelled}
