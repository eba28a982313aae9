"""What lint found: code, words and line, and the devices that each finding is about."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Any

from fabricgen.cluster import Cluster
from fabricgen.export.view.source import PageSource
from fabricgen.kernel.diagnostics import Diagnostic, Path, Span
from fabricgen.wiring.tables import SWITCH, DeviceClass

MOST_NAMED = 200
"""Devices that are marked for one finding by their names in its words."""


def block(source: PageSource) -> list[dict[str, Any]]:
    """Findings in lint's order; `classes` and `devices` are those that they are about."""
    rows = {name: row for row, name in enumerate(source.cluster.names)} if source.beside.findings else {}
    return [
        {
            "code": found.code,
            "severity": found.severity.label,
            "message": found.message,
            "hint": found.hint,
            "place": place_of(found.span) if found.span else "",
            **_about(source.cluster, found, rows),
        }
        for found in source.beside.findings
    ]


def place_of(span: Span) -> str:
    """FILE:LINE:COLUMN without the folder of the file, which differs from machine to machine."""
    return f"{PurePath(span.file).name}:{span.line}:{span.column}"


def _about(cluster: Cluster, found: Diagnostic, rows: dict[str, int]) -> dict[str, list[int]]:
    """Devices that the words name; else the classes of the tier, fabric or nodes that the place in the blueprint is."""
    words = re.findall(r"[\w.-]+", found.message)
    named = list(dict.fromkeys(rows[word] for word in words if word in rows))[:MOST_NAMED]
    classes = cluster.plan.devices.classes
    return {
        "devices": named,
        "classes": [] if named else [i for i, cls in enumerate(classes) if _is_about(cls, found.path)],
    }


def _is_about(cls: DeviceClass, path: Path) -> bool:
    if path[: len(cls.path)] == cls.path:
        return True
    if cls.kind != SWITCH or path[:2] != ("fabrics", cls.fabric):
        return False
    return len(path) < 4 or path[2] != "tiers" or path[3] == cls.tier
