"""A fake NetBox, what a first push left there, and the command that pushes to it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

import pytest

from tests.conftest import BLUEPRINTS
from tests.push.netbox_server import TOKEN, FakeNetBox, fake_netbox

collect_ignore = [] if {"NETBOX_URL", "NAUTOBOT_URL"} & {*os.environ} else ["test_live_servers.py"]
"""Tests of servers that somebody runs are none where nobody names one: CI allows no test that is skipped."""

SMALL = "pods.p1.su=1"
Push = Callable[..., Any]


@pytest.fixture(scope="session")
def filled() -> dict[str, Any]:
    """What NetBox holds after a first push; filled by the first test that needs it."""
    return {}


@pytest.fixture
def netbox() -> Iterator[FakeNetBox]:
    with fake_netbox() as found:
        yield found


@pytest.fixture
def push(netbox: FakeNetBox, fabricgen: Any, monkeypatch: pytest.MonkeyPatch) -> Push:
    """The command, which shows the token nowhere."""
    monkeypatch.setenv("NETBOX_TOKEN", TOKEN)

    def run(*options: str, size: str = SMALL, url: str = "", token: str = "env:NETBOX_TOKEN") -> Any:
        where = ("--url", url or netbox.url, "--plain-http", "--token", token)
        ran = fabricgen("push", "netbox", BLUEPRINTS / "leaf-spine.yaml", *where, "--set", size, *options)
        assert TOKEN not in ran.out + ran.err
        return ran

    return run


@pytest.fixture
def pushed(netbox: FakeNetBox, push: Push, filled: dict[str, Any]) -> FakeNetBox:
    """A NetBox that was pushed to."""
    if not filled:
        assert push("--apply").code == 0
        filled.update(deepcopy(netbox.held))
    netbox.held.update(deepcopy(filled))
    netbox.writes.clear()
    return netbox
