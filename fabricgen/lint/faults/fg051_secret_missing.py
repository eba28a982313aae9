"""A secret is not there when it is needed."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class SecretMissing(Fault):
    """A build needs a secret whose variable is not set, whose file cannot be read, or that cannot be written to a
    configuration.

    Blueprints say where a secret is kept, never what it is, so that it stays out of git (CWE-312). Set the variable
    or write the file where the build runs; `--redact-secrets` builds with references in their place, for review.
    """

    id = "FG051"
    title = "a secret is not there when it is needed"
    in_words = True
    bad = """
        management: {aaa: {servers: 10.0.0.1, key: "env:FABRICGEN_TACACS"}}, built where FABRICGEN_TACACS is not set
    """
    good = """
        FABRICGEN_TACACS=... fabricgen build example.yaml -o out
    """
