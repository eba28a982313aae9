"""Checksums of what was built for devices, as `sha256sum -c` reads them: the digests of the manifest, written anew."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from fabricgen.kernel.diagnostics import did_you_mean, fault
from fabricgen.publish.manifest import is_left_beside
from fabricgen.publish.reading import NO_BUILD, open_built

DEVICE_PARTS = ("configs", "hosts")
"""Folders of a build that have a folder for each device."""


def list_checksums(folder: Path, device: str = "") -> Iterator[str]:
    """Yield a line `SHA256  PATH` (GNU coreutils, sha256sum) for each file of the devices of a built folder, by path.

    Paths are below the built folder; those of one device are below its own, as they would be copied to it. A file that
    the user edited is listed as it was built. Raises InputError (FG028) if the folder holds no build, or a build
    without files of devices or of that device.
    """
    built = open_built(folder)
    files = built.entries or {}
    paths = sorted(p for p in files if p.split("/")[0] in DEVICE_PARTS and p.count("/") > 1)
    devices = {path.split("/")[1] for path in paths}
    if not devices:
        raise fault(NO_BUILD, f"{folder} holds no files of devices", hint="build its part `configs` or `hosts`")
    if device and device not in devices:
        raise fault(NO_BUILD, f"{folder} has no files of '{device}'", hint=did_you_mean(device, sorted(devices)))
    for path in paths:
        part, owner, name = path.split("/", 2)
        if device in ("", owner) and not is_left_beside(path, files):
            yield f"{built.find_digest(path)}  {name if device else f'{part}/{owner}/{name}'}"
