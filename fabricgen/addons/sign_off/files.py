"""The folder of a plan: its runs, rounds and coverage as tables, and the scripts that start them; and its results.

The scripts start runs under Slurm, MPI or ssh. Results are what perftest, nccl-tests, ping and traceroute print.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import NamedTuple

from fabricgen.addons.sign_off.network import Port
from fabricgen.addons.sign_off.runs import COLLECTIVE, PING, QUEUE_PAIRS, UPLINKS, Plan, Run
from fabricgen.api import ClusterView, write_csv

SCRIPTS = Path(__file__).parent / "scripts"
FIRST_TCP_PORT = 18515
"""Port on which perftest listens by default; further servers of a node in a round count up from it."""
_FIRST_SOURCE_PORT = 0xC000
"""A flow label of 14 bits is added to this port (Linux, include/rdma/ib_verbs.h: rdma_flow_label_to_udp_sport)."""


def write_plan(plan: Plan) -> dict[str, bytes]:
    """Return the files of a plan, by path."""
    files = {path.name: path.read_bytes() for path in sorted(SCRIPTS.iterdir()) if path.is_file()}
    runs_by_round = Counter(run.round for run in plan.runs)
    numbers = range(1, len(plan.round_kinds) + 1)
    rounds: dict[str, Sequence[str | int | float]] = {
        "round": numbers,
        "what": plan.round_kinds,
        "runs": [runs_by_round[number] for number in numbers],
        "seconds": [plan.time_round(kind) for kind in plan.round_kinds],
    }
    rows = [_describe_run(plan, run) for run in plan.runs]
    hosts = sorted({host for run in plan.runs for host in run.hosts})
    # by port, its number among those of its node, from 0
    ranks, counts = _count_ranks(plan), defaultdict[str, "count[int]"](count)
    ports = {port: next(counts[port.host]) for network in plan.networks for port in network.ports}
    return files | {
        "runs.csv": write_csv({name: [row[name] for row in rows] for name in rows[0]}),
        "rounds.csv": write_csv(rounds),
        "coverage.csv": _write_coverage(plan),
        "tasks.tsv": _join_rows(row for run in plan.runs for row in _list_tasks(plan, run, ports)),
        "collectives.tsv": _join_rows(
            (run.round, run.name, sum(ranks[node] for node in run.nodes), ranks[run.nodes[0]], ",".join(run.nodes))
            for run in plan.runs
            if run.kind == COLLECTIVE
        ),
        "hosts.txt": "".join(f"{host} slots={ranks.get(host, 1)}\n" for host in hosts).encode(),
        "nodes.txt": "".join(f"{host}\n" for host in hosts).encode(),
        "devices.txt": _write_devices(ports),
    }


def _count_ranks(plan: Plan) -> Counter[str]:
    """Return the number of accelerators of each node, which have a rank each; empty if there are no collectives."""
    if COLLECTIVE not in plan.round_kinds:
        return Counter()
    endpoints = plan.view.endpoints
    return Counter(node for node, _ in set(zip(endpoints.node.tolist(), endpoints.accelerator.tolist(), strict=True)))


def _describe_run(plan: Plan, run: Run) -> dict[str, str | int | float]:
    """Return the row of runs.csv for a run; the fields of sender and receiver are empty for a collective."""
    devices, sender = plan.view.devices, run.ends[0] if run.ends else None
    return {
        "run": run.name,
        "round": run.round,
        "what": run.kind,
        "tool": run.tool,
        "fabric": run.fabric,
        "pod": devices.pod[sender.device] if sender else "",
        "su": int(devices.su[sender.device]) if sender else "",
        "rack": devices.rack[sender.device] if sender else "",
        "rail": (sender and sender.rail) or "",
        "plane": (sender and sender.plane) or "",
        **{
            f"{side}_{key}": getattr(port, key) if port else ""
            for side, port in zip(("from", "to"), run.ends or (None, None), strict=True)
            for key in ("host", "port", "address")
        },
        "nodes": len(run.hosts),
        "queue_pairs": QUEUE_PAIRS.get(run.kind, ""),
        "flow_label": run.label or "",
        "least": run.least,
        "most": run.most,
        "unit": run.unit,
        "links": " ".join(plan.view.links.name[row] for port in run.ends for row in port.links),
        "one_of": " ".join(str(len(choice)) for choice in plan.list_choices(run)[2:]),
        "remark": run.remark,
    }


def _write_coverage(plan: Plan) -> bytes:
    coverage, links = plan.count_coverage(), plan.view.links
    rows = range(len(links))
    return write_csv(
        {
            "link": links.name.tolist(),
            "fabric": links.fabric.tolist(),
            "runs": [int(coverage.loaded.get(row, 0)) for row in rows],
            "flows": [round(coverage.passes.get(row, 0.0), 2) for row in rows],
            "missed": [coverage.missed.get(row, 1.0) for row in rows],
            "why_not": [coverage.untested.get(row, "") for row in rows],
        }
    )


def _list_tasks(plan: Plan, run: Run, numbers: dict[Port, int]) -> Iterator[tuple[object, ...]]:
    """Yield what nodes do for a run, as rows of tasks.tsv.

    A row is (round, node, role, run, tool, own address, port, far address, far node, number of a TCP or UDP port,
    seconds, options).
    """
    if not run.ends:
        return
    source, target = run.ends

    def make_row(role: str, tool: str, own_port: Port, far_port: Port, number: int, options: str) -> tuple[object, ...]:
        end_fields = (own_port.address or "-", own_port.port, far_port.address or "-", far_port.host)
        return (run.round, own_port.host, role, run.name, tool, *end_fields, number, plan.seconds, options)

    if run.kind == PING:
        yield make_row("client", "ping", source, target, 0, "-")
        return
    both_ways = "" if run.kind == UPLINKS else " -b"
    label = f" --flow_label={run.label}" if run.label else ""
    options = f"-s 1048576 -q {QUEUE_PAIRS[run.kind]}{both_ways}{label}"
    tcp_port = FIRST_TCP_PORT + numbers[target]
    yield make_row("server", run.tool, target, source, tcp_port, options)
    if run.label:
        # switches only: the NIC at the end treats packets to that port as RDMA, and does not answer
        switches = len(plan.list_choices(run)) - 1
        yield make_row("trace", "traceroute", source, target, _FIRST_SOURCE_PORT + run.label, f"-m {switches}")
    yield make_row("client", run.tool, source, target, tcp_port, options)


def _write_devices(numbers: dict[Port, int]) -> bytes:
    """Return RDMA devices by port, for ports without an address, as the driver may count them; to be
    corrected by hand.
    """
    head = "# port, RDMA device: of ports without an address, in the order in which drivers should count them\n"
    devices = (f"{port.port} mlx5_{number}\n" for port, number in numbers.items() if not port.address)
    return "".join([head, *dict.fromkeys(devices)]).encode()


def _join_rows(rows: Iterable[Iterable[object]]) -> bytes:
    return "".join("\t".join(map(str, row)) + "\n" for row in rows).encode()


# Readers for what tools print.
# Sources: github.com/linux-rdma/perftest, src/perftest_parameters.h (RESULT_FMT, RESULT_FMT_G: the heads of tables) and
# perftest_resources.c (a MB is 2^20 bytes); github.com/NVIDIA/nccl-tests, src/common.cu and doc/PERFORMANCE.md;
# iputils, ping/ping_common.c; traceroute.sourceforge.net.

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
    """What a file of a run says: a figure in the run's unit, or None and what is wrong (`trouble`).

    `size` is, for a collective, the bytes of the message that the figure is of.
    """

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
