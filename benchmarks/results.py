"""Results as JSON and as a Markdown page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchmarks.cases import FOLDER, PASS
from benchmarks.rounds import Row
from benchmarks.sizes import SIZES
from benchmarks.stages import START
from benchmarks.targets import FAMILY, Peer, Target, floor_ratios


def as_json(
    about: Mapping[str, str], targets: Sequence[Target], rows: Sequence[Row], peers: Sequence[Peer]
) -> dict[str, Any]:
    """Everything that was measured."""
    return {
        "about": dict(about),
        "targets": [_target_json(target) for target in targets],
        "sizes": {name: _size_json(name) for name in dict.fromkeys(row.size for row in rows if row.size)},
        "cases": [_row_json(row) for row in rows],
        "peers": [_peer_json(peer) for peer in peers],
    }


def _target_json(target: Target) -> dict[str, Any]:
    return {
        "what": target.what,
        "unit": target.unit,
        "limit": target.limit,
        "at_least": target.at_least,
        "found": [_rounded(value) for value in target.found],
        "met": target.met,
        "problem": target.problem,
    }


def _size_json(name: str) -> dict[str, int]:
    size = SIZES[name]
    return {"gpus": size.gpus, "switches": size.switches, "links": size.links}


def _row_json(row: Row) -> dict[str, Any]:
    return {
        "size": row.size,
        "case": row.name,
        "files": row.output.get("files"),
        "bytes": row.output.get("bytes"),
        "written": row.output.get("size"),
        "runs": [run.as_json() for run in row.runs],
        "floors": [[run.as_json() for run in floors] for floors in row.floors],
        "problems": row.problems,
    }


def _peer_json(peer: Peer) -> dict[str, Any]:
    return {
        "peer": peer.name,
        "version": peer.version,
        "devices": peer.devices,
        "links": peer.links,
        "theirs": peer.theirs.as_json(),
        "writes": peer.writes,
        "ours": peer.ours.as_json(),
        "times": _rounded(peer.times),
        "problem": peer.problem,
    }


def page(results: Mapping[str, Any], rows: Sequence[Row], command: str) -> str:
    """The Markdown page: targets, then everything."""
    about = results["about"]
    lines = [
        "# speed",
        "",
        f"`{command}`, {about['date']}: {about['runs']} x each as a whole process.",
        machine_line(about),
        *([about["note"]] if about["note"] else []),
        "",
        *target_lines(results["targets"]),
        "",
        *peer_lines(results["peers"]),
        *_growth_lines(rows),
        *_all_lines(rows),
    ]
    return "\n".join(lines) + "\n"


def machine_line(about: Mapping[str, str]) -> str:
    """What it was measured on."""
    machine = (about[key] for key in ("model", "memory", "system", "file system", "python"))
    libraries = f"fabricgen {about['fabricgen']}, {about['libraries']}"
    return f"{about['processors']} x {', '.join(machine)}; {libraries}."


def target_lines(targets: Sequence[Mapping[str, Any]]) -> list[str]:
    """A table of the targets: the best and the worst run, and whether all of them met it."""
    lines = ["| target | limit | best run | worst run | |", "|---|---:|---:|---:|---|"]
    for target in targets:
        found = sorted(target["found"], reverse=target["at_least"])
        best, worst = (f"{found[at]:.3g}" if found else "" for at in (0, -1))
        limit = f"{'at least ' if target['at_least'] else ''}{target['limit']:g} {target['unit']}"
        verdict = "met" if target["met"] else "**missed**"
        lines.append(f"| {target['what']} | {limit} | {best} | {worst} | {target['problem'] or verdict} |")
    return lines


def peer_lines(peers: Sequence[Mapping[str, Any]]) -> list[str]:
    """A table of peers; none where they were not measured."""
    if not peers:
        return []
    lines = [
        "| peer | devices | links | its CPU, s | its memory, MB | we write | ours, s | ours, MB | times | |",
        "|---|---:|---:|---:|---:|---|---:|---:|---:|---|",
    ]
    for peer in peers:
        theirs, ours = (
            [f"{side['user_s'] + side['system_s']:.2f}", f"{max(side['tree_mb'], side['process_mb']):.0f}"]
            for side in (peer["theirs"], peer["ours"])
        )
        head = f"| {peer['peer']} {peer['version']} | {peer['devices']:,} | {peer['links']:,} | "
        cells = [*theirs, peer["writes"], *ours, f"{peer['times']:.0f}", peer["problem"]]
        lines.append(head + " | ".join(cells) + " |")
    return [*lines, ""]


def _growth_lines(rows: Sequence[Row]) -> Iterator[str]:
    """What a link costs in the family of blueprints that differ in size only."""
    few, many = ({row.name: row for row in rows if row.size == size} for size in FAMILY)
    if not few or not many:
        return
    small, large = (SIZES[size].links for size in FAMILY)
    yield f"## Growth from {small:,} to {large:,} links"
    yield ""
    sizes = f"{FAMILY[0]} | {FAMILY[1]} | times"
    yield f"| | CPU / link, us: {sizes} | peak / link, bytes: {sizes} |"
    yield "|---|" + "---:|" * 6
    for name in few:
        if name in many and not many[name].problems:
            cpu = (_least_cpu(few[name]) / small * 1e6, _least_cpu(many[name]) / large * 1e6)
            peak = (_peak_mb(few[name]) / small * 1e6, _peak_mb(many[name]) / large * 1e6)
            cells = (cell for a, b in (cpu, peak) for cell in (f"{a:,.1f}", f"{b:,.1f}", f"{b / a:.2f}"))
            yield f"| {name} | " + " | ".join(cells) + " |"
    yield ""


def _peak_mb(row: Row) -> float:
    return max(run.peak_mb for run in row.runs)


def _all_lines(rows: Sequence[Row]) -> Iterator[str]:
    base = next((_least_cpu(row) for row in rows if row.name == PASS), None)
    for size in dict.fromkeys(row.size for row in rows):
        told = _size_json(size) if size else {}
        figures = f"{told['gpus']:,} GPUs, {told['switches']:,} switches, {told['links']:,} links" if told else "start"
        yield f"## {size} {figures}".replace("##  s", "## S")
        yield ""
        last = "CPU / link, us | CPU / whole build" if size else f"CPU / {PASS}"
        yield f"| | wall, s | worst | user, s | system, s | tree, MB | process, MB | files | MB | / floor | {last} | |"
        yield "|---|" + "---:|" * (11 if size else 10) + "---|"
        mine = [row for row in rows if row.size == size]
        whole = next((_least_cpu(row) for row in mine if row.name == FOLDER), None)
        for row in mine:
            yield _row_line(row, [told["links"] / 1e6, whole] if told else [base])
        yield ""


def _least_cpu(row: Row) -> float:
    return min(run.cpu_s for run in row.runs)


def _row_line(row: Row, bases: Sequence[float | None]) -> str:
    best = min(row.runs, key=lambda run: run.cpu_s)
    ratios = floor_ratios(row)
    cells = [
        f"{min(run.wall_s for run in row.runs):.3f}",
        f"{max(run.wall_s for run in row.runs):.3f}",
        f"{best.user_s:.3f}",
        f"{best.system_s:.3f}",
        f"{max(run.tree_mb for run in row.runs):.0f}",
        f"{max(run.process_mb for run in row.runs):.0f}",
        f"{row.output['files']:,}" if row.output else "",
        f"{row.output['size'] / 1e6:,.1f}" if row.output else "",
        f"{max(ratios):.2f}" if ratios else "",
        *(f"{best.cpu_s / base:.3g}" if base else "" for base in bases),
        "; ".join(row.problems),
    ]
    return f"| {row.name} | " + " | ".join(cells) + " |"


def _rounded(value: float) -> float:
    return float(f"{value:.4g}")


def cpu(stage: Mapping[str, Any]) -> float:
    """Processor seconds of a stage."""
    return float(stage["user_s"] + stage["system_s"])


def profile_lines(sizes: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """A table: processor seconds of every stage at each size, how much of it in the kernel, and growth over links."""
    first, last = (list(sizes)[at] for at in (0, -1))
    heads = [f"{name}, s | kernel, s | MB" for name in sizes]
    growth = f"{last} / {first}, a link"
    lines = ["| stage | " + " | ".join(heads) + f" | {growth} |", "|---|" + "---:|" * (3 * len(sizes) + 1)]
    names = list(dict.fromkeys(stage["stage"] for size in sizes.values() for stage in size["stages"]))
    by_size = {name: {stage["stage"]: stage for stage in size["stages"]} for name, size in sizes.items()}
    links = sizes[last]["links"] / sizes[first]["links"]
    for name in names:
        if any(cpu(stages[name]) >= 0.0005 for stages in by_size.values() if name in stages):
            lines.append(_line(name, [stages.get(name) for stages in by_size.values()], links))
    return [*lines, _line("together", [_sum(size["stages"]) for size in sizes.values()], links)]


def _line(name: str, stages: Sequence[Mapping[str, Any] | None], links: float) -> str:
    cells: list[str] = []
    for stage in stages:
        cells += list(_cells(stage)) if stage else ["", "", ""]
    few, many = stages[0], stages[-1]
    grown = f"{cpu(many) / cpu(few) / links:.2f}" if few and many and cpu(few) >= 0.01 and name != START else ""
    return f"| {name} | " + " | ".join([*cells, grown]) + " |"


def _cells(stage: Mapping[str, Any]) -> Iterator[str]:
    yield f"{cpu(stage):.3f}"
    yield f"{stage['system_s']:.3f}"
    yield f"{stage['bytes'] / 1e6:,.1f}" if stage["bytes"] else ""


def _sum(stages: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    return {key: sum(stage[key] for stage in stages) for key in ("user_s", "system_s", "bytes")}
