"""For programs: every difference with its path, and what was not compared (docs/day2.md)."""

from __future__ import annotations

import json

from fabricgen.verify.drift.finding import Drift, DriftFinding


def report(drift: Drift) -> str:
    """Return one object: devices with their findings and counts, and what is missing, unknown or passed over."""
    value = {
        "devices": {
            device.device: {
                "files": list(device.files),
                "findings": [_describe_finding(finding) for finding in device.findings],
                "neutral": dict(sorted(device.neutral.items())),
                "foreign": dict(sorted(device.foreign.items())),
                "waived": dict(sorted(device.waived.items())),
            }
            for device in drift.checked
        },
        "missing": list(drift.missing),
        "unknown": [{"file": file, "hostname": name} for file, name in drift.unknown],
        "ignored": list(drift.ignored),
    }
    return json.dumps(value, indent=2)


def _describe_finding(finding: DriftFinding) -> dict[str, str | list[str]]:
    return {
        "severity": finding.severity.label,
        "subject": finding.subject,
        "path": list(finding.path),
        "text": finding.text,
    }
