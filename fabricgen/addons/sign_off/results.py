"""Readers for what perftest, nccl-tests, ping and traceroute print.

Sources: github.com/linux-rdma/perftest, src/perftest_parameters.h (RESULT_FMT, RESULT_FMT_G: the heads of tables) and
perftest_resources.c (a MB is 2^20 bytes); github.com/NVIDIA/nccl-tests, src/common.cu and doc/PERFORMANCE.md; iputils,
ping/ping_common.c; traceroute.sourceforge.net.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from fabricgen.api import ClusterView

SUFFIXES = (".txt", ".trace")
MIB = 2**20
LEAST_BYTES = 2**28
"""Least size of messages of a collective that are judged: small ones are limited by latency."""

_NUMBER = r"\d+(?:\.\d+)?(?:e[+-]?\d+)?"
_BANDWIDTH_HEAD = re.compile(r"#bytes\s+#iterations\s+.*BW average\s*\[(MB|MiB|Gb)/sec\].*")
_BANDWIDTH_ROW = re.compile(rf"^\s*(\d+)\s+\d+\s+{_NUMBER}\s+({_NUMBER})\s", re.MULTILINE)
_PACKETS = re.compile(r"(\d+) packets transmitted, (\d+)(?: packets)? received")
_HOP = re.compile(r"^\s*\d+\s+(\S+)")
_ERRORS = re.compile(
    r"error|fail|couldn't|unable|cannot|refused|timed? ?out|no route|unreachable|unknown|not found", re.I
)


class Reading(NamedTuple):
    """What a file of a run says: a figure, or why there is none; for a collective the bytes of the message."""

    value: float | None
    trouble: str = ""
    size: int = 0


def read_bandwidth(text: str) -> Reading:
    """Return the average bandwidth of the largest message in the table of `ib_write_bw`, Gb/s; of both directions with
    `-b`.
    """
    # the text before the first head, then a unit and a table for each head; the last table counts
    *_, unit, table = ["", *_BANDWIDTH_HEAD.split(text)]
    if not unit:
        return Reading(None, _find_error(text, "no table of ib_write_bw"))
    rows = [(int(size), float(average)) for size, average in _BANDWIDTH_ROW.findall(table)]
    if not rows:
        return Reading(None, _find_error(table, "the table of ib_write_bw has no row"))
    _, average = max(rows)
    return Reading(average if unit == "Gb" else average * MIB * 8 / 1e9)


def read_collective(text: str) -> Reading:
    """Return the bus bandwidth of the largest message in a table of nccl-tests, GB/s.

    It is the better one of out of place and in place.
    """
    best, wrong = Reading(None), ""
    for fields in map(str.split, text.splitlines()):
        # size, count, type, redop, and maybe root, then time, algbw, busbw and #wrong twice
        if len(fields) < 12 or not (fields[0].isdigit() and fields[1].isdigit()):
            continue
        size, figures = int(fields[0]), fields[-8:]
        bandwidths = [float(figure) for figure in (figures[2], figures[6]) if re.fullmatch(_NUMBER, figure)]
        # older tables have the largest rounding error in the column of #wrong
        if any(re.fullmatch(_NUMBER, count) and float(count) >= 1 for count in (figures[3], figures[7])):
            wrong = f"wrong values in messages of {size:,} bytes"
        if bandwidths and size >= best.size:
            best = Reading(max(bandwidths), size=size)
    if wrong or best.value is None:
        return Reading(None, wrong or _find_error(text, "no table of nccl-tests"))
    if best.size < LEAST_BYTES:
        return Reading(None, f"its largest message has {best.size:,} bytes, and {LEAST_BYTES:,} are needed to judge it")
    return best


def read_ping(text: str) -> Reading:
    """Return the share of packets that came back in percent, from the summary of `ping`."""
    counts = _PACKETS.search(text)
    if not counts or not int(counts[1]):
        return Reading(None, _find_error(text, "no summary of ping"))
    return Reading(round(100 * int(counts[2]) / int(counts[1]), 3))


def read_trace(text: str) -> tuple[str, ...]:
    """Return the addresses of switches in the order of `traceroute -n -q 1`; `*` for one that did not answer."""
    return tuple(hop[1] for line in text.splitlines() if (hop := _HOP.match(line)))


READERS = {"ping": read_ping, "ib_write_bw": read_bandwidth, "all_reduce_perf": read_collective}


def _find_error(text: str, otherwise: str) -> str:
    """Return what is missing (`otherwise`), followed by the first line that reports an error, if there is one."""
    error = next((line.strip() for line in text.splitlines() if _ERRORS.search(line)), "")
    return f"{otherwise}: {error[:120]}" if error else otherwise


MOST_BYTES = 4 * MIB
"""Bytes that are read of a file: tables of these tools have some kilobytes."""


def read_files(view: ClusterView, paths: Iterable[str]) -> dict[str, str]:
    """Return the text of files by name; of folders, the files of runs (`.txt`, `.trace`). The last file of a name wins.

    Raises InputError (FG179) if a file cannot be read, or if there is none.
    """
    texts: dict[str, str] = {}
    for name in paths:
        path = Path(name)
        try:
            # a folder may be that of the plan, whose results lie in one of its own
            inside = path / "results" if (path / "results").is_dir() else path
            files = sorted(file for file in inside.iterdir() if file.suffix in SUFFIXES) if path.is_dir() else [path]
            for file in files:
                with file.open("rb") as stream:
                    texts[file.name] = stream.read(MOST_BYTES).decode("utf-8", "replace")
        except OSError as error:
            raise view.refuse("FG179", f"cannot read {error.filename or name}: {error.strerror}") from error
    if not texts:
        raise view.refuse("FG179", f"no results in {', '.join(paths)}", hint="a folder has RUN.txt and RUN.trace")
    return texts
