"""Judge what a build wrote: `python -m benchmarks.verify FOLDER|ARCHIVE [LISTING]` prints JSON.

Every file must have the digest that the manifest says, and none may be missing or too many. A digest for each part
tells whether two outputs hold the same bytes, be they folder or archive. LISTING, where given, is a file to write:
[path, bytes] of every file.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

MANIFEST = "manifest.json"
_PIECE = 1 << 20


def members(output: Path) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield (path, open file) of everything in a folder or archive."""
    if output.is_dir():
        for path in sorted(output.rglob("*")):
            if path.is_file():
                with path.open("rb") as file:
                    yield path.relative_to(output).as_posix(), file
    elif output.name.endswith(".zip"):
        with zipfile.ZipFile(output) as archive:
            for name in archive.namelist():
                with archive.open(name) as file:
                    yield name, file
    elif output.name.endswith(".zst"):
        import zstandard

        with output.open("rb") as raw, zstandard.ZstdDecompressor().stream_reader(raw) as stream:
            yield from _of_tar(stream)
    else:
        with output.open("rb") as raw:
            yield from _of_tar(raw)


def _of_tar(stream: Any) -> Iterator[tuple[str, IO[bytes]]]:
    with tarfile.open(fileobj=stream, mode="r|") as archive:
        for info in archive:
            file = archive.extractfile(info)
            if file is not None:
                yield info.name, file
            archive.members.clear()  # type: ignore[attr-defined] # or it remembers every member


def judged(output: Path) -> tuple[dict[str, Any], list[tuple[str, int]]]:
    """What a build wrote, as `main` prints it, and [path, bytes] of its files."""
    digests: dict[str, str] = {}
    listing: list[tuple[str, int]] = []
    kept = {MANIFEST: b"{}", "summary.json": b"{}"}
    for path, file in members(output):
        sha, size, pieces = hashlib.sha256(), 0, []
        while piece := file.read(_PIECE):
            sha.update(piece)
            size += len(piece)
            if path in kept:
                pieces.append(piece)
        if path in kept:
            kept[path] = b"".join(pieces)
        digests[path] = sha.hexdigest() if path not in digests else "there twice"
        listing.append((path, size))
    manifest = json.loads(kept[MANIFEST])
    return {
        "parts": _by_part(manifest, digests),
        "problems": _problems(manifest, digests),
        "files": len(listing),
        "bytes": sum(size for _, size in listing),
        "size": output.stat().st_size if output.is_file() else sum(size for _, size in listing),
        "summary": json.loads(kept["summary.json"]),
    }, listing


def _problems(manifest: dict[str, Any], digests: dict[str, str]) -> list[str]:
    told = {path: entry["sha256"] for path, entry in manifest.get("files", {}).items()}
    found = {path: digest for path, digest in digests.items() if path != MANIFEST}
    problems = [] if MANIFEST in digests else ["no manifest"]
    problems += [f"missing: {path}" for path in sorted(told.keys() - found.keys())]
    problems += [f"not in the manifest: {path}" for path in sorted(found.keys() - told.keys())]
    problems += [f"other content: {path}" for path in sorted(told.keys() & found.keys()) if told[path] != found[path]]
    return problems[:10]


def _by_part(manifest: dict[str, Any], digests: dict[str, str]) -> dict[str, str]:
    """One digest over paths and contents of every part, as they are and not as the manifest has them."""
    parts: dict[str, Any] = {}
    for path, entry in sorted(manifest.get("files", {}).items()):
        sha = parts.setdefault(entry["part"], hashlib.sha256())
        sha.update(f"{path}\0{digests.get(path)}\n".encode())
    return {name: sha.hexdigest() for name, sha in parts.items()}


def main() -> None:
    """Judge the output that the command line names."""
    found, listing = judged(Path(sys.argv[1]))
    if len(sys.argv) > 2:
        Path(sys.argv[2]).write_text(json.dumps(listing), encoding="utf-8")
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
