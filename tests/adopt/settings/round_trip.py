"""Round trips: the settings of an example are taken from its page, and inferred from its configurations."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from fabricgen.adopt.configurations import read_switch
from fabricgen.adopt.settings.draft import ReadSwitch
from fabricgen.adopt.settings.infer import InferredSettings, infer_settings
from fabricgen.adopt.settings.numbers import COLUMNS
from fabricgen.adopt.words import write_page
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.pipeline import compile_adopted, compile_design
from fabricgen.render.engine import render_configs
from tests.conftest import BLUEPRINTS

GOLDEN = Path(__file__).parents[2] / "golden"

OF_CLUSTER = (
    *("routing", "ip", "pools", "qos", "nos", "management", "tenants", "leaks", "snippets", "config_of", "address_of"),
    "lint",
)
OF_FABRIC = (
    *("ip", "hosts", "address_per", "bond", "lacp_fallback", "dhcp", "router_advertisements", "access", "vrf", "vlan"),
    *("exits", "routing", "pools", "qos", "management", "nos", "snippets"),
)
OF_TIER = ("pair", "snippets")
"""What configurations tell, and wiring does not: taken from a page before it is inferred."""

Files = Mapping[str, Mapping[str, str]]


class Trip(NamedTuple):
    """A page that came back: what was inferred, and the files of each switch before and after."""

    inferred: InferredSettings
    before: Files
    after: Files

    @property
    def changed(self) -> list[str]:
        """The switches whose files are not the same bytes."""
        before, after = hide_secrets(self.before), hide_secrets(self.after)
        return sorted(name for name in before if before[name] != after.get(name))


def find_path(name: str) -> str:
    """The page of an example, or of a folder of golden files."""
    golden = GOLDEN / name.removeprefix("golden/") / "blueprint.yaml"
    return str(golden if name.startswith("golden/") else BLUEPRINTS / f"{name}.yaml")


def build(path: str, sets: tuple[str, ...] = (), page: Mapping[str, Any] | None = None) -> Cluster:
    unsaved = {path: write_page(page).encode()} if page is not None else None
    return build_cluster(compile_design(path, sets, unsaved=unsaved, advise=False))


def render(cluster: Cluster) -> dict[str, dict[str, str]]:
    """The files of switches by device and name; none of those with a subnet manager."""
    names, files = {cluster.names[row] for row in cluster.switch_rows()}, dict[str, dict[str, str]]()
    for path, content in render_configs(cluster):
        _, device, name = path.split("/")
        if device in names:
            files.setdefault(device, {})[name] = content.decode()
    return files


def read_page(cluster: Cluster) -> dict[str, Any]:
    page: dict[str, Any] = cluster.design.loaded.source.data
    return page


def strip_page(page: Mapping[str, Any]) -> dict[str, Any]:
    """A page without what configurations tell."""
    stripped = {key: value for key, value in page.items() if key not in OF_CLUSTER}
    fabrics = {}
    for name, fabric in page["fabrics"].items():
        fabrics[name] = {key: value for key, value in fabric.items() if key not in OF_FABRIC}
        if "tiers" in fabric:
            tiers = fabric["tiers"].items()
            fabrics[name]["tiers"] = {t: {k: v for k, v in tier.items() if k not in OF_TIER} for t, tier in tiers}
    return {**stripped, "fabrics": fabrics}


def list_nos(cluster: Cluster) -> dict[str, str]:
    devices = cluster.plan.devices
    classes = {row: devices.classes[devices.device_class[row]] for row in cluster.switch_rows()}
    return {cluster.names[row]: cls.nos for row, cls in classes.items()}


def read_all(nos: Mapping[str, str], files: Files) -> dict[str, ReadSwitch]:
    read = {}
    for name, of_switch in files.items():
        switch = read_switch(nos[name], of_switch)
        assert isinstance(switch, ReadSwitch), switch
        read[name] = switch
    return read


@cache
def make_trip(name: str, *sets: str) -> Trip:
    path = find_path(name)
    cluster = build(path, sets)
    before = render(cluster)
    inferred = infer_settings(read_all(list_nos(cluster), before), strip_page(read_page(cluster)), path)
    return Trip(inferred, before, render(build_inferred(inferred, path)))


def build_inferred(inferred: InferredSettings, path: str) -> Cluster:
    """The cluster of a page that was inferred, with the numbers of its list in the lock."""
    if not inferred.lock:
        return build(path, page=inferred.page)
    with TemporaryDirectory() as folder:
        page, rows = Path(folder, "page.yaml"), Path(folder, "numbers.csv")
        page.write_text(write_page(inferred.page), encoding="utf-8")
        with rows.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(inferred.lock)
        return build_cluster(compile_adopted(str(page), [str(rows)]))


def hide_secrets(files: Files) -> Files:
    """Files with one word for every secret, which a page names as it likes."""
    return {
        device: {name: re.sub(r"<env:FABRICGEN_\w+>", "<secret>", text) for name, text in of_device.items()}
        for device, of_device in files.items()
    }
