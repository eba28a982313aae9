"""Why the hall is not as planned, in as few actions as explain it."""

from fabricgen.verify.diagnosis.diagnosing import diagnose

__all__ = ["diagnose"]
