"""What `check --running` finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fabricgen.kernel.diagnostics import Severity


@dataclass(frozen=True, slots=True)
class Finding:
    """What is not as planned: `subject` of a device ("" for all of it), such as `port Ethernet0`, and what of it.

    `path` leads to the statement that differs: table, row and field, or the sections of a line and itself; () where
    no statement is the cause, such as a device of another NOS.
    """

    device: str
    subject: str
    text: str
    severity: Severity = Severity.ERROR
    path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Checked:
    """A device whose running configuration was compared.

    `files` are those that were read, by their names in the folder; `ignored` those of it in no form that is read.
    `neutral` and `foreign` count differences by name, `waived` by the place of the waiver.
    """

    device: str
    files: tuple[str, ...]
    findings: tuple[Finding, ...]
    neutral: Mapping[str, int] = field(default_factory=dict)
    foreign: Mapping[str, int] = field(default_factory=dict)
    waived: Mapping[str, int] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Drift:
    """All devices that were compared, and what of the plan or of the folder was not.

    `missing` are planned and have no configuration in the folder; `unknown` are files of no device of the plan, with
    the host name that stands in them; `ignored` are no running configurations.
    """

    checked: tuple[Checked, ...]
    missing: tuple[str, ...]
    unknown: tuple[tuple[str, str], ...]
    ignored: tuple[str, ...]
    beside: tuple[Finding, ...] = ()
    """Of what was missing or unknown, and of waivers."""

    def findings(self) -> list[Finding]:
        """All findings, by device."""
        return [finding for device in self.checked for finding in device.findings] + list(self.beside)
