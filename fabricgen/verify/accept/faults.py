"""Refusals of what cannot be accepted, located at the id that asks for it."""

from __future__ import annotations

from fabricgen.kernel.diagnostics import InputError, Span, fault

CANNOT = "FG076"


def refused(asked: str, message: str, hint: str = "") -> InputError:
    """The error (FG076) of an id of `--accept`."""
    return fault(CANNOT, message, hint=hint, span=Span(f"--accept {asked}", 1, 1))
