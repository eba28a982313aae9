"""A server with an address of a switch is found wherever it is stated; one on an extra device is none."""

from __future__ import annotations

import pytest

from fabricgen.kernel.diagnostics import Diagnostic
from fabricgen.lint.engine import lint
from tests.conftest import example_cluster

LEAF = "compute-leaf-p1-su01-r1-01"


def found(name: str, *sets: str) -> list[Diagnostic]:
    cluster = example_cluster(name, *sets)
    return [d for d in lint(cluster.design, cluster).findings if d.code == "FG705"]


@pytest.mark.parametrize(
    ("setting", "holder"),
    [
        ("management.ntp=10.16.0.2", LEAF),
        ("management.aaa.servers=[10.32.0.9, 10.16.0.2]", LEAF),
        ("management.dns.servers=10.16.0.1", f"the management gateway of {LEAF}"),
        ("fabrics.compute.management.syslog.servers=10.0.0.1", "compute-spine-01"),
        ("management.ntp=10.64.0.0", "a port of compute-spine-01"),
        ("management.ztp.url=http://10.16.0.2:8080/fabric", LEAF),
        ("fabrics.compute.dhcp.servers=10.0.0.1", "compute-spine-01"),
    ],
)
def test_an_address_of_a_switch_is_found(setting: str, holder: str) -> None:
    (one,) = found("leaf-spine", setting)
    assert one.message.endswith(f" is the address of {holder}")
    assert one.span


def test_names_and_other_addresses_pass() -> None:
    assert not found("leaf-spine", "management.ntp=[ntp.example.net, 10.32.0.2, 'fd00::2']")


def test_an_extra_device_may_be_a_server() -> None:
    cluster = example_cluster("superpod-b200")
    row = next(i for i, name in enumerate(cluster.names) if name.startswith("mgmt"))
    address = cluster.addresses.list_device_addresses()[1][row]
    assert address
    assert not found("superpod-b200", f"management.ntp={address}")
