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
from collections.abc import Iterator
from typing import Any

from fabricgen.blueprint.sections.management import Image
from fabricgen.cluster import Cluster
from fabricgen.export.boot.order import BootStep, list_boot_steps
from fabricgen.export.boot.server import BootServer
from fabricgen.export.table import ExportContext, File, make_csv_file
from fabricgen.kernel.diagnostics import fault
from fabricgen.kernel.templates import load_templates
from fabricgen.reports.table import Table

ON_REQUEST = True

FOLDER = "/var/tmp/fabricgen"  # noqa: S108 - on a switch that nobody else is logged in to yet
"""Where SONiC's files lie until they are installed."""


def files(cluster: Cluster, context: ExportContext) -> Iterator[File]:  # noqa: ARG001 - one signature for all parts
    """Yield ztp/DEVICE/... for each switch with a NOS that boots so, ztp/images.sha256 and ztp/boot-order.csv.

    Raises InputError: FG170 where no server is known or DHCP cannot tell it, FG171 for an image of no such switch or
    NOS.
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
            server.list_options(row)
            if template is None:
                continue
            yield f"ztp/{name}/{boot.script}", template.render(_make_template_values(name, url, image)).encode()
            if boot.file != boot.script:  # a list of what to do, in which the script is a step
                yield (
                    f"ztp/{name}/{boot.file}",
                    (json.dumps(_make_ztp_sections(server, row, url), indent=2) + "\n").encode(),
                )
    if boots_any:
        yield _make_boot_order(cluster)
    if sums:
        yield "ztp/images.sha256", "".join(f"{sums[file]}  {file}\n" for file in sorted(sums)).encode()


def _make_boot_order(cluster: Cluster) -> File:
    """ztp/boot-order.csv: a row a switch, by step; `after` has names with spaces between."""
    rows = [(*boot[:-1], " ".join(boot.after)) for boot in list_boot_steps(cluster)]
    return make_csv_file(Table("ztp/boot-order", dict(zip(BootStep._fields, zip(*rows, strict=True), strict=True))))


def _make_template_values(name: str, url: str, image: Image | None) -> dict[str, Any]:
    """What the templates of scripts take: texts as literals of Python, which JSON's are, and the name for a comment."""
    literals = {key: json.dumps(text) for key, text in (("device", name), ("url", url), ("folder", FOLDER))}
    image_texts = image and {"file": image.file, "version": image.version or "", "sha256": image.sha256 or ""}
    image_literals = image_texts and {key: json.dumps(text) for key, text in image_texts.items()}
    return {**literals, "name": name, "image": image_literals, "releases": bool(image and image.version)}


def _make_ztp_sections(server: BootServer, row: int, url: str) -> dict[str, Any]:
    """A ztp.json: the image, the files, config_db.json, and FRR's configuration where SONiC does not make it."""
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
