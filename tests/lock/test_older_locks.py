"""A lock that an older version wrote builds what that version built: what it does not say is as it was then."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fabricgen.blueprint.beside.lock import Lock, format_lock, parse_lock
from fabricgen.blueprint.load import load_blueprint
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.build import build_design
from tests.conftest import BLUEPRINTS, EXAMPLES, SMALLER, example_cluster

LATER = ("managed leaves", "managed of", "cages", "downlinks", "hosts")
"""Kinds of entries that the first locks had not."""


def strip_later_entries(lock: Lock) -> Lock:
    """The lock as it was written before there were some kinds of entries."""
    held = {kind: names for kind, names in lock.held.items() if not kind.startswith(LATER)}
    return parse_lock(format_lock(replace(lock, held=held)).encode(), "x.lock.yaml")


def list_build_columns(cluster: Cluster) -> list[object]:
    """Everything that a build says of devices and links."""
    links, a = cluster.plan.links, cluster.addresses
    numbers = [a.asn, a.loopback, a.management, a.a_ip, a.b_ip, a.length, links.a_device, links.b_device]
    columns: list[object] = [column.tolist() for column in numbers]
    return [*columns, cluster.names, cluster.a_port.tolist(), cluster.b_port.tolist(), cluster.cable_ids]


@pytest.mark.tenth
@pytest.mark.parametrize("name", EXAMPLES)
def test_an_older_lock_builds_the_same(name: str) -> None:
    now = example_cluster(name)
    loaded = load_blueprint(str(BLUEPRINTS / f"{name}.yaml"), SMALLER.get(name, ()))
    then = build_cluster(build_design(replace(loaded, lock=strip_later_entries(now.lock))))
    assert list_build_columns(then) == list_build_columns(now)
    again = format_lock(then.lock).replace("managed leaves", "")
    assert again == format_lock(now.lock).replace("managed leaves", "")
