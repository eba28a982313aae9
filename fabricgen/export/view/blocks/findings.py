"""What lint found: code, words and line of each finding, and the devices that it is about."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Any

from fabricgen.cluster import Cluster
from fabricgen.export.view.source import PageSource
from fabricgen.kernel.diagnostics import Diagnostic, Path, Span
from fabricgen.wiring.tables import SWITCH, DeviceClass

MOST_NAMED = 200
"""The most devices that are marked for one finding because its words name them."""


def block(source: PageSource) -> list[dict[str, Any]]:
    """Return the findings in lint's order; `classes` and `devices` are those that a finding is about."""
    rows = {name: row for row, name in enumerate(source.cluster.names)} if source.beside.findings else {}
    return [
        {
            "code": finding.code,
            "severity": finding.severity.label,
            "message": finding.message,
            "hint": finding.hint,
            "place": format_place(finding.span) if finding.span else "",
            **_list_subjects(source.cluster, finding, rows),
        }
        for finding in source.beside.findings
    ]


def format_place(span: Span) -> str:
    """Return FILE:LINE:COLUMN without the folder of the file, which differs from machine to machine."""
    return f"{PurePath(span.file).name}:{span.line}:{span.column}"


def _list_subjects(cluster: Cluster, finding: Diagnostic, rows: dict[str, int]) -> dict[str, list[int]]:
    """Return what a finding is about: `devices` that its message names, as rows; if it names none, `classes`.

    These are the device classes at the finding's place in the blueprint, as indexes. `rows` has the row of each device
    by name.
    """
    words = re.findall(r"[\w.-]+", finding.message)
    named_devices = list(dict.fromkeys(rows[word] for word in words if word in rows))[:MOST_NAMED]
    classes = cluster.plan.devices.classes
    return {
        "devices": named_devices,
        "classes": [] if named_devices else [i for i, cls in enumerate(classes) if _is_about(cls, finding.path)],
    }


def _is_about(cls: DeviceClass, path: Path) -> bool:
    """Whether a place in the blueprint is that of a device class, or contains it: its tier, its fabric or its nodes."""
    if path[: len(cls.path)] == cls.path:
        return True
    if cls.kind != SWITCH or path[:2] != ("fabrics", cls.fabric):
        return False
    return len(path) < 4 or path[2] != "tiers" or path[3] == cls.tier
