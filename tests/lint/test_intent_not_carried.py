"""What a NOS cannot carry is said where it is asked, and only for chips and numbers that it holds for."""

from __future__ import annotations

import pytest

from fabricgen.lint.engine import lint
from tests.conftest import example_design

DYNAMIC = ("routing.load_balance=dynamic",)


def keys(count: int) -> tuple[str, ...]:
    return (f"management.users.ops.ssh_keys=[{', '.join(f'ssh-rsa AAA{n}' for n in range(count))}]",)


def resolvers(count: int) -> tuple[str, ...]:
    return (f"management.dns.servers=[{', '.join(f'10.16.0.{n}' for n in range(1, count + 1))}]",)


def snmp_user(name: str) -> tuple[str, ...]:
    return (f"management.snmp.users.{name}={{auth: 'env:FABRICGEN_A', privacy: 'env:FABRICGEN_P'}}",)


@pytest.mark.parametrize(
    ("name", "sets", "said"),
    [
        ("nic-modes", keys(3), ["eos of compute leaf, compute spine does not support many-ssh-keys"]),
        ("nic-modes", keys(2), []),
        ("nic-modes", resolvers(4), []),
        ("leaf-spine", resolvers(4), ["sonic of compute leaf, compute spine does not support many-resolvers"]),
        ("leaf-spine", resolvers(3), []),
        (
            "leaf-spine",
            ("management.dns={domain: lab.example}",),
            ["sonic of compute leaf, compute spine does not support domain-alone"],
        ),
        (
            "leaf-spine",
            ("management.tls={certificate: a.crt, key: a.key}",),
            ["sonic of compute leaf, compute spine does not support tls-file-names"],
        ),
        (
            "leaf-spine",
            ("management.tls={certificate: a.v2.cer, key: a.key}",),
            ["sonic of compute leaf, compute spine does not support tls-file-names"],
        ),
        ("leaf-spine", ("management.tls={certificate: a.cer, key: a.key}",), []),
        ("leaf-spine", snmp_user("poll"), []),
        ("leaf-spine", snmp_user("nms"), ["sonic of compute leaf, compute spine does not support short-snmp-users"]),
        ("nic-modes", snmp_user("n"), []),
        ("nic-modes", DYNAMIC, []),
        ("modular-spine", DYNAMIC, ["eos of compute spine does not support dynamic-load-balance"]),
    ],
)
def test_what_is_not_carried_is_said(name: str, sets: tuple[str, ...], said: list[str]) -> None:
    found = [d for d in lint(example_design(name, *sets)).findings if d.code == "FG703"]
    assert [d.message for d in found] == said
    assert all(d.hint for d in found)
