"""What a NOS cannot carry is said where it is asked, and only for chips and numbers that it holds for."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from fabricgen.lint.engine import lint
from tests.conftest import Ran, example_design

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


BLUEPRINT = """\
fabricgen: 1
name: plain
scalable_unit: {nodes: 4 x generic-server}
pods: {p1: {su: 2}}
nos: eos
fabrics:
  compute:
    protocol: roce
    hosts: bridged
    bond: node
    dhcp: {servers: 10.99.0.9}
    tiers:
      leaf: {switch: 7060dx5-32, per: su}
      spine: {switch: 7060dx5-64s, count: 4}
tenants: {blue: {nodes: [p1/su-1]}}
config_of: {compute-leaf-p1-su01-01: {maintenance: true}}
qos: {watchdog: {poll_ms: 100}}
"""


def with_claims(folder: Path, claims: list[str]) -> Path:
    """A blueprint beside a catalogue whose EOS claims these intents alone."""
    naming = YAML(typ="safe").load(Path("fabricgen/catalog/platforms/eos.yaml"))
    naming["configuration"] |= {"claims": claims, "lacks": []}
    (folder / "catalog/platforms").mkdir(parents=True)
    YAML().dump(naming, folder / "catalog/platforms/eos.yaml")
    (folder / "plain.yaml").write_text(BLUEPRINT, encoding="utf-8")
    return folder / "plain.yaml"


def test_what_a_nos_does_not_claim_is_an_error_where_it_is_asked(tmp_path: Path, fabricgen: Callable[..., Ran]) -> None:
    claims = ["numbered-bgp", "bridged-hosts", "lossless", "vrf-subinterfaces", "maintenance"]
    ran = fabricgen("lint", with_claims(tmp_path, claims))
    assert ran.code == 1
    refused = re.findall(r"plain.yaml:(\d+):\d+: error\[FG703\]: eos of (.*) does not support (\S+)", ran.out + ran.err)
    assert refused == [
        ("10", "compute leaf", "bonds"),
        ("11", "compute leaf", "dhcp-relay"),
        ("15", "compute leaf, compute spine", "vrfs"),
        ("17", "compute leaf, compute spine", "watchdog-poll"),
    ]


def test_what_is_asked_of_one_switch_is_refused_as_well(tmp_path: Path, fabricgen: Callable[..., Ran]) -> None:
    blueprint = with_claims(tmp_path, ["numbered-bgp"])
    for command in (("build", blueprint, "-o", tmp_path / "out"), ("lint", blueprint, "--fast")):
        ran = fabricgen(*command)
        assert ran.code == 2
        said = "plain.yaml:16:52: error[FG053]: eos of compute-leaf-p1-su01-01 does not support maintenance"
        assert said in ran.out + ran.err


def test_a_nos_that_claims_nothing_gets_no_configurations(tmp_path: Path, fabricgen: Callable[..., Ran]) -> None:
    ran = fabricgen("build", with_claims(tmp_path, []), "-o", tmp_path / "out")
    assert (ran.code, "error[FG027]: NOS 'eos', which compute leaf runs, claims nothing" in ran.err) == (2, True)
    assert not (tmp_path / "out").exists()
