"""What tests of publishing share: two builds, a target for each mechanism, and a way to look at what landed."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

from fabricgen.kernel.diagnostics import InputError
from fabricgen.publish import Content, FileBundle, PublishReport, publish_folder
from fabricgen.publish.archive import publish_archive

File: TypeAlias = tuple[str, str, Content]
HEADER = {"version": "0.1.0", "blueprint": "sha256:42"}
A: list[File] = [
    ("links", "links.csv", b"a,b\n1,2\n"),
    ("configs", "configs/leaf-1/config_db.json", b"{}"),
    ("configs", "configs/leaf-1/frr.conf", b"router bgp\n"),
    ("configs", "configs/leaf-2/config_db.json", b"{}"),
    ("bom", "bom.csv", b""),
]
B: list[File] = [
    ("links", "links.csv", b"a,b\n1,3\n"),
    ("configs", "configs/leaf-1/config_db.json", b"{}"),
    ("configs", "configs/leaf-3/é.cfg", b"hostname\n"),
    ("bom", "bom.csv", b"part\n"),
]


def bundles_of(files: Iterable[File]) -> Iterator[FileBundle]:
    """A bundle for each file."""
    for part, path, content in files:
        yield FileBundle(part, path, functools.partial(_made, path, content))


def _made(path: str, content: Content) -> list[tuple[str, Content]]:
    return [(path, content)]


def publish(
    target: Path, files: Iterable[File], parts: frozenset[str] | None = None, *, force: bool = False
) -> PublishReport:
    return publish_folder(target, bundles_of(files), header=HEADER, parts=parts, force=force)


def pack(target: Path, files: Iterable[File]) -> PublishReport:
    return publish_archive(target, bundles_of(files), header=HEADER)


def tree(root: Path) -> dict[str, bytes | str | None]:
    """Everything below `root`: content of files, destination of links, None for empty folders."""
    found: dict[str, bytes | str | None] = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_symlink():
            found[name] = str(path.readlink())
        elif path.is_file():
            found[name] = path.read_bytes()
        elif not any(path.iterdir()):
            found[name] = None
    return found


def expected(files: list[File], extra: dict[str, bytes | str | None] | None = None) -> dict[str, object]:
    manifest = {
        **HEADER,
        "files": {path: {"part": part, "sha256": hashlib.sha256(data).hexdigest()} for part, path, data in files},
    }
    text = json.dumps(manifest, sort_keys=True, indent=1) + "\n"
    return {**{path: data for _, path, data in files}, "manifest.json": text.encode(), **(extra or {})}


def failing(files: list[File], error: BaseException) -> Iterator[File]:
    yield from files
    raise error


def refusal(run: Callable[[], object]) -> tuple[str, str]:
    with pytest.raises(InputError) as caught:
        run()
    return caught.value.diagnostics[0].code, caught.value.diagnostics[0].message


def only_entry(folder: Path, name: str) -> bool:
    return [path.name for path in folder.iterdir()] == [name]
