"""`push` against a NetBox and a Nautobot that run, where NETBOX_URL and NETBOX_TOKEN, or NAUTOBOT_URL and
NAUTOBOT_TOKEN, name one that may be written to.

Neither can be started here: the first start fills a new database for a quarter of an hour, and NetBox 4.5 and later
want Python 3.12. Stand-ins take their place (netbox_server.py, nautobot_server.py).
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from tests.conftest import BLUEPRINTS

pytestmark = [pytest.mark.slow, pytest.mark.daemon]

NOTHING = "0 to make, 0 to change, 0 to delete, 0 in the way\n"


def needs(name: str) -> Any:
    """Marks a test of a server, or one that is left out without it."""
    reason = f"set {name}_URL and {name}_TOKEN to a server that may be written to"
    return pytest.mark.skipif(f"{name}_URL" not in os.environ, reason=reason)


SERVERS = [pytest.param(name, marks=needs(name.upper())) for name in ("netbox", "nautobot")]


def ask(query: str, **variables: str) -> dict[str, Any]:
    """What Nautobot answers to a query of GraphQL."""
    headers = {"Authorization": f"Token {os.environ['NAUTOBOT_TOKEN']}", "Content-Type": "application/json"}
    body = json.dumps({"query": query, "variables": variables}).encode()
    with urlopen(Request(f"{os.environ['NAUTOBOT_URL']}/api/graphql/", body, headers), timeout=300) as answer:
        answered = json.load(answer)
    assert "errors" not in answered
    return dict(answered["data"])


@pytest.mark.parametrize("name", SERVERS)
def test_a_running_server_takes_the_plan_and_what_was_found(name: str, fabricgen: Any, tmp_path: Path) -> None:
    url, blueprint = os.environ[f"{name.upper()}_URL"], BLUEPRINTS / "leaf-spine.yaml"

    def push(*options: str) -> Any:
        where = ("--url", url, "--plain-http", "--token", f"env:{name.upper()}_TOKEN")
        return fabricgen("push", name, blueprint, *where, *options)

    assert push("--apply", "--delete").code == 0
    assert push("--delete").out == NOTHING
    assert fabricgen("emulate", blueprint, "-o", tmp_path / "paper", "--faults", "2").code == 0
    report = str(tmp_path / "report.json")
    assert fabricgen("verify", blueprint, tmp_path / "paper" / "dumps", "-o", report).code == 1
    assert push("--apply", "--verify", report).code == 0
    assert push("--verify", report).out.endswith(NOTHING)


@needs("NAUTOBOT")
def test_config_managers_questions_are_answered(fabricgen: Any) -> None:
    """What it asks for a configuration, as far as Nautobot without its apps knows the fields
    (dsx-ai-factory/nv-config-manager, August 2026: query_config_data_by_device_id_v2.graphql).
    """
    where = ("--url", os.environ["NAUTOBOT_URL"], "--plain-http", "--token", "env:NAUTOBOT_TOKEN")
    assert fabricgen("push", "nautobot", BLUEPRINTS / "leaf-spine.yaml", *where, "--apply").code == 0
    [device] = ask(
        """query { devices(name: "compute-leaf-p1-su01-r1-01") {
            role { name } platform { name } device_type { model manufacturer { name } } config_context
            location { name location_type { name } }
            interfaces { name type enabled mgmt_only ip_addresses { address parent { prefix parent { prefix } } }
                connected_interface { name device { name role { name } } ip_addresses { address } } } } }"""
    )["devices"]
    assert device["role"] == {"name": "compute leaf"}
    assert device["location"]["location_type"] == {"name": "Site"}
    assert device["config_context"]["bgp"] == {"asn": 4200000001}
    ports = {port["name"]: port for port in device["interfaces"]}
    far = ports["Ethernet0"]["connected_interface"]
    assert (far["device"], far["name"]) == ({"name": "p1-su01-n001", "role": {"name": "node"}}, "eth1")
    assert ports["Loopback0"]["ip_addresses"][0]["parent"]["prefix"] == "10.0.0.0/12"
    assert ports["eth0"]["mgmt_only"]
