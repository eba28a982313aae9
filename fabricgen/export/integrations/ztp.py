"""ztp/DEVICE/: what a switch runs at its first boot to fetch its image and configuration, checked; on request.

The output folder of the build is what the server serves: configurations lie in configs/, their checksums in
manifest.json, which every switch reads, so that a half-copied build is not installed.

- SONiC: ztp.json, whose sections run in the order of their names (sonic-net/sonic-ztp, commit 036c8eaa, plugins
  `firmware` and `configdb-json`, which keeps platform, HwSKU and MAC of the machine; ZTPSections.py: `args` and
  `ignore-section-data` of a plug-in of one's own). The script `install` does the rest, in the order of README-sonic.md.
- EOS: a script in Python, named by its first line (Arista EOS user manual, Initial Switch Access, "Zero Touch
  Provisioning"; aristanetworks/cloudvision-ztpaas-utils); /mnt/flash/startup-config and boot-config are its result.
- Cumulus Linux: a script with CUMULUS-AUTOPROVISIONING in a comment (Cumulus Linux 5.11 user guide, "Zero Touch
  Provisioning": the image by `onie-install -fa -i`, if the release in /etc/lsb-release is another; NVUE's `nv config`).

- Junos takes a configuration from configs/ as it is, and has nothing here.

boot-order.csv says in which steps they can boot, since a request crosses switches that have to run.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from fabricgen.blueprint.sections.management import Image
from fabricgen.cluster import Cluster
from fabricgen.export.boot import BootServer
from fabricgen.export.table import ExportContext, File, make_csv_file
from fabricgen.kernel.diagnostics import fault
from fabricgen.kernel.templates import load_templates
from fabricgen.reports.table import Table
from fabricgen.wiring.tables import SWITCH, ManagementPort

FOLDER = "/var/tmp/fabricgen"  # noqa: S108 - on a switch that nobody else is logged in to yet
"""The folder in which SONiC's files lie until they are installed."""


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:  # noqa: ARG001 - one signature for all parts
    """Yield ztp/DEVICE/... for each switch whose NOS boots by ZTP, ztp/images.sha256 and ztp/boot-order.csv.

    Raises InputError: FG170 if no server is known or DHCP cannot name it, FG171 for an image of no such switch or NOS.
    """
    server = BootServer(cluster)
    server.check_images()
    sums: dict[str, str] = {}
    boots_any = False
    for cls in cluster.plan.devices.classes:
        boot = server.find_class_boot(cls)
        if boot is None or not cls.count:
            continue
        url, boots_any = server.find_url(cls.fabric), True
        if not url:
            message = f"where {cls.fabric}'s switches fetch their configurations is not known"
            hint = 'state `management: {ztp: {url: "http://10.32.0.9"}}`, or `dhcp` of the management fabric'
            raise cluster.design.loaded.locate_error(fault("FG170", message, path=("fabrics", cls.fabric), hint=hint))
        template = load_templates().get_template(f"ztp/{boot.script}.j2") if boot.script else None
        for row in range(cls.first, cls.first + cls.count):
            name, image = cluster.names[row], server.find_image(row)
            if image and image.sha256:
                sums[image.file] = image.sha256
            # raises FG170 if DHCP cannot tell this switch where it boots from
            server.list_options(row)
            if template is None:
                continue
            yield f"ztp/{name}/{boot.script}", template.render(_make_template_values(name, url, image)).encode()
            if boot.file != boot.script:  # a list of what to do, in which the script is a step
                sections = json.dumps(_make_ztp_sections(server, row, url), indent=2) + "\n"
                yield f"ztp/{name}/{boot.file}", sections.encode()
    if boots_any:
        # a row a switch, by step; `after` has names with spaces between
        order = [(*boot[:-1], " ".join(boot.after)) for boot in list_boot_steps(cluster)]
        columns = dict(zip(BootStep._fields, zip(*order, strict=True), strict=True))
        yield make_csv_file(Table("ztp/boot-order", columns))
    if sums:
        yield "ztp/images.sha256", "".join(f"{sums[file]}  {file}\n" for file in sorted(sums)).encode()


def _make_template_values(name: str, url: str, image: Image | None) -> dict[str, Any]:
    """Return the values of script templates: texts as Python literals, which those of JSON are, and the name for a
    comment.
    """
    literals = {key: json.dumps(text) for key, text in (("device", name), ("url", url), ("folder", FOLDER))}
    image_texts = image and {"file": image.file, "version": image.version or "", "sha256": image.sha256 or ""}
    image_literals = image_texts and {key: json.dumps(text) for key, text in image_texts.items()}
    return {**literals, "name": name, "image": image_literals, "releases": bool(image and image.version)}


def _make_ztp_sections(server: BootServer, row: int, url: str) -> dict[str, Any]:
    """Return a ztp.json: the image, the files, config_db.json, and FRR's configuration unless SONiC makes it."""
    image, name = server.find_image(row), server.name_device(row)

    def make_step(stage: str) -> dict[str, Any]:
        return {"plugin": {"url": f"{url}/ztp/{name}/install", "args": stage, "ignore-section-data": True}}

    version = {"version": image.version} if image and image.version else {}
    firmware = {"01-firmware": {"install": {"url": f"{url}/{image.file}", **version}}} if image else {}
    load = {"url": {"source": f"file://{FOLDER}/config_db.json"}, "save-config": True}
    return {
        "ztp": {
            **firmware,
            "02-fetch": {**make_step("fetch"), "halt-on-failure": True},
            "03-configdb-json": {**load, "halt-on-failure": True},
            "04-routing": make_step("routing"),
            "restart-ztp-on-failure": True,
        }
    }


# The order in which switches can boot: each asks over the switch that its management port is plugged into.

BY_HAND_NO_PORT = "by hand: it carries the management network and has no port on it"
BY_HAND_NO_WAY = "by hand: no way of its NOS to boot over the network is known here"
BY_ZTP = "ztp"


class BootStep(NamedTuple):
    """When one switch boots: steps count from 1, and the switches of one step boot side by side.

    `how` is `ztp`, or why somebody loads the configuration by hand. `after` are the names of the switches that have to
    boot in earlier steps: those that its request crosses first, or those above it in the management network.
    """

    step: int
    device: str
    fabric: str
    tier: str
    how: str
    after: tuple[str, ...]


def list_boot_steps(cluster: Cluster) -> list[BootStep]:
    """Return every switch of a cluster with the step in which it boots, by step and then as in devices.csv.

    A relay answers only when its switch runs, and passes requests on upwards: so the management network boots first,
    from above, and the switches behind it after it.
    """
    devices, names, server = cluster.plan.devices, cluster.names, BootServer(cluster)
    waits_for = _find_switches_before(cluster)
    steps: dict[int, int] = {}

    def count_steps(row: int) -> int:
        # the step of a switch: one after the last of the switches that it waits for
        if row not in steps:
            steps[row] = 1 + max((count_steps(earlier_row) for earlier_row in waits_for[row]), default=0)
        return steps[row]

    boot_steps = []
    management_fabrics = {fabric.name for fabric in cluster.design.fabrics if fabric.manages}
    for cls in devices.classes:
        if cls.kind != SWITCH:
            continue
        boots_by_network = server.find_class_boot(cls) is not None
        how = BY_HAND_NO_PORT if cls.fabric in management_fabrics else BY_ZTP if boots_by_network else BY_HAND_NO_WAY
        for row in range(cls.first, cls.first + cls.count):
            earlier_switches = tuple(names[earlier_row] for earlier_row in sorted(waits_for[row]))
            boot_steps.append(BootStep(count_steps(row), names[row], cls.fabric, cls.tier, how, earlier_switches))
    return sorted(boot_steps, key=lambda boot: boot.step)


def _find_switches_before(cluster: Cluster) -> defaultdict[int, set[int]]:
    """Return, by row of a switch, the rows of the switches that have to boot before it.

    They are those that its request crosses next; for a switch of a management network, those above it.
    """
    links, devices = cluster.plan.links, cluster.plan.devices
    managing = {fabric.name for fabric in cluster.design.fabrics if fabric.manages}
    waits_for: defaultdict[int, set[int]] = defaultdict(set)
    for number, segment in enumerate(links.segments):
        is_management = isinstance(segment.a, ManagementPort)
        if not is_management and segment.fabric not in managing:
            continue
        rows = np.flatnonzero(links.segment == number)
        for lower, upper in zip(links.a_device[rows].tolist(), links.b_device[rows].tolist(), strict=True):
            classes = [devices.classes[int(devices.device_class[row])] for row in (lower, upper)]
            # peers of one tier do not wait for each other, nor do leaves for the way out over switches that they manage
            upwards = classes[0].key != classes[1].key and classes[1].fabric in managing
            if all(cls.kind == SWITCH for cls in classes) and (is_management or upwards):
                waits_for[lower].add(upper)
    return waits_for
