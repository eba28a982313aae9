"""What a build cannot be faster than: `python -m benchmarks.floor LISTING TARGET` writes files of the same sizes.

LISTING is JSON, a list of [path, bytes]. Into a new folder TARGET, by the fewest system calls there are; with
`--one`, one file TARGET as large as all of them together. Nothing waits for the disk, as new outputs do not.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

_PIECE = 1 << 20
"""Bytes that one call writes at most: noise, made once."""


def write_files(listing: list[tuple[str, int]], target: str) -> None:
    """Write files of given sizes into a new folder."""
    noise = memoryview(os.urandom(_PIECE))
    made = set()
    for path, size in listing:
        file = f"{target}/{path}"
        folder = file.rpartition("/")[0]
        if folder not in made:
            Path(folder).mkdir(parents=True, exist_ok=True)
            made.add(folder)
        _write(file, size, noise)


def write_one(size: int, target: str) -> None:
    """Write one file of a size in bytes."""
    _write(target, size, memoryview(os.urandom(_PIECE)))


def _write(file: str, size: int, noise: memoryview) -> None:
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    left = size
    while left > 0:
        left -= os.write(handle, noise[: min(left, _PIECE)])
    os.close(handle)


def main() -> None:
    """Write what the command line says."""
    one = sys.argv[1] == "--one"
    listing_file, target = sys.argv[1 + one :]
    listing = [(path, size) for path, size in json.loads(Path(listing_file).read_bytes())]
    if one:
        write_one(sum(size for _, size in listing), target)
    else:
        write_files(listing, target)


if __name__ == "__main__":
    main()
