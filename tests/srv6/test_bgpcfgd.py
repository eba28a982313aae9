"""The tables of switches, told to the managers of SONiC's own bgpcfgd, where SONIC_BUILDIMAGE names a checkout of it.

A folder with src/sonic-bgpcfgd/bgpcfgd/ of sonic-net/sonic-buildimage is enough, of August 2026 or later: uA came then
(pull request 27903). What stands around the managers on a switch is stood in for: Redis, netaddr, the log and FRR.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import syslog
from ipaddress import IPv6Network, ip_network
from types import ModuleType
from typing import Any

import pytest

from fabricgen.nos.sonic.routing_daemon import make_frr_text
from tests.srv6.fabrics import FOUR_PLANES, LINKS, PARALLEL, build

CHECKOUT = os.environ["SONIC_BUILDIMAGE"]
BUILDS = {
    "uN": (),
    "links side by side": PARALLEL,
    "uA": (*PARALLEL, *LINKS),
    "f4816": ("fabrics.compute.routing.srv6.format=f4816", "pools.srv6=5f00:0:7::/48"),
    "static": ("fabrics.compute.routing={underlay: static}",),
}
Tables = dict[str, dict[str, dict[str, str]]]

pytestmark = pytest.mark.slow


class Network:
    """A prefix as netaddr has it: bgpcfgd asks for its version alone."""

    def __init__(self, text: str) -> None:
        self.version = ip_network(text, strict=False).version


class Changes:
    """What bgpcfgd would give to vtysh."""

    def __init__(self) -> None:
        self.blocks: list[list[str]] = []

    def push_list(self, lines: list[str]) -> None:
        self.blocks.append(lines)


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What bgpcfgd logs as worse than a notice; the modules that its managers need are there."""
    redis = ModuleType("swsscommon.swsscommon")
    redis.SET_COMMAND, redis.DEL_COMMAND = "SET", "DEL"  # type: ignore[attr-defined]
    redis.CFG_DEVICE_METADATA_TABLE_NAME = "DEVICE_METADATA"  # type: ignore[attr-defined]
    package, addresses, messages = ModuleType("swsscommon"), ModuleType("netaddr"), list[str]()
    package.swsscommon = redis  # type: ignore[attr-defined]
    addresses.IPNetwork = Network  # type: ignore[attr-defined]
    for error in ("NotRegisteredError", "AddrFormatError", "AddrConversionError"):
        setattr(addresses, error, ValueError)
    for module in (package, redis, addresses):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.syspath_prepend(f"{CHECKOUT}/src/sonic-bgpcfgd")
    monkeypatch.setattr(
        syslog, "syslog", lambda level, text: messages.append(text) if level < syslog.LOG_NOTICE else None
    )
    return messages


def tell(tables: Tables, order: list[str]) -> list[list[str]]:
    """What the managers give to FRR of tables that come in an order, as Redis promises none."""
    changes: Any = Changes()
    common = {"directory": load("directory", "Directory")(), "cfg_mgr": changes, "constants": {}}
    managers = {
        "STATIC_ROUTE": load("managers_static_rt", "StaticRouteMgr"),
        "SRV6_MY_LOCATORS": load("managers_srv6", "SRv6Mgr"),
        "SRV6_MY_SIDS": load("managers_srv6", "SRv6Mgr"),
    }
    running = {name: manager(common, "CONFIG_DB", name) for name, manager in managers.items()}
    for name in order:
        for key, row in tables.get(name, {}).items():
            running[name].handler(key, "SET", row)
    assert not any(manager.set_queue for manager in running.values())
    return list(changes.blocks)


def load(module: str, name: str) -> Any:
    return getattr(importlib.import_module(f"bgpcfgd.{module}"), name)


def write_sid(key: str, row: dict[str, str]) -> str:
    locator, _, prefix = key.partition("|")
    link = f" interface {row['interface']} nexthop {row['adj']}" if row["action"] == "uA" else ""
    return f"sid {prefix} locator {locator} behavior {row['action']}{link}"


@pytest.mark.parametrize("sets", BUILDS.values(), ids=BUILDS)
def test_bgpcfgd_makes_of_each_switch_what_is_meant(sets: tuple[str, ...], log: list[str]) -> None:
    files = build(FOUR_PLANES, *sets)
    for path in (path for path in files if path.endswith("/config_db.json")):
        tables: Tables = json.loads(files[path])
        orders = ["SRV6_MY_LOCATORS", "SRV6_MY_SIDS", "STATIC_ROUTE"]
        blocks = tell(tables, orders)
        assert not log, path
        # an identifier that comes before its locator waits for that, with a warning
        assert sorted(tell(tables, orders[::-1])) == sorted(blocks)
        assert all("does not exist yet" in message for message in log), path
        log.clear()
        routes = {line for block in blocks for line in block if line.startswith("ipv6 route")}
        assert routes == set(make_frr_text(tables).splitlines())
        head = ["segment-routing", "srv6"]
        wanted = [[*head, "static-sids", write_sid(*item)] for item in tables.get("SRV6_MY_SIDS", {}).items()]
        for name, row in tables.get("SRV6_MY_LOCATORS", {}).items():
            prefix = IPv6Network(f"{row['prefix']}/{int(row['block_len']) + int(row['node_len'])}")
            lengths = f"block-len {row['block_len']} node-len 16 func-bits 16"
            wanted.append([*head, "locators", f"locator {name}", f"prefix {prefix} {lengths}", "behavior usid"])
        assert sorted(block for block in blocks if block[0] == "segment-routing") == sorted(wanted)
        assert bool(wanted) == ("static" not in str(sets))
