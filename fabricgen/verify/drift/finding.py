"""What `check --running` finds."""

from __future__ import annotations

from dataclasses import dataclass

from fabricgen.kernel.diagnostics import Severity


@dataclass(frozen=True, slots=True)
class Finding:
    """What is not as planned: `subject` of a device ("" for all of it), such as `port Ethernet0`, and what of it."""

    device: str
    subject: str
    text: str
    severity: Severity = Severity.ERROR


@dataclass(frozen=True, slots=True)
class Checked:
    """A device whose running configuration was compared; `notes` are words of lines that the plan does not speak of.

    `files` are those that were read, by their names in the folder.
    """

    device: str
    files: tuple[str, ...]
    findings: tuple[Finding, ...]
    notes: tuple[str, ...] = ()


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
    """Of what was missing or unknown."""

    def findings(self) -> list[Finding]:
        """All findings, by device."""
        return [finding for device in self.checked for finding in device.findings] + list(self.beside)
