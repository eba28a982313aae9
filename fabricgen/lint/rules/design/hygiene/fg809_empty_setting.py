"""FG809: a group of settings has no effect."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.blueprint.base import Model
from fabricgen.blueprint.sections.management import Management
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Edit, Path, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.addressing import list_stated_managements

_NEEDED = {
    "dns": ("no servers and no domain", ("servers", "domain")),
    "syslog": ("no servers", ("servers",)),
    "snmp": ("no users", ("users",)),
    "banner": ("no text", ("login", "motd")),
}
"""For each group of management settings, (what it lacks if it has no effect, the keys of which it needs one)."""

_WRITTEN = ("snmp", "banner")
"""Groups for which some NOS writes lines even if they are empty; a person decides whether to remove those."""


class EmptySetting(DesignRule):
    """A group of settings lacks what it needs to have any effect: logs without servers, SNMPv3 without users.

    Its author believes that logs arrive, or that monitoring has access; but switches send nothing, or answer nobody
    (SNMPv3 gives no access without a user, RFC 3414, 2.1). State what is missing, or remove the group. In a fabric,
    an empty group that removes the setting of the cluster is intended.
    """

    counts_ports = False
    severity = Severity.WARNING
    bad = """
        management:
          snmp: {contact: noc@example.net}  # <-
          dns: {}  # <-
    """
    good = """
        management:
          dns: {domain: fabric.example.net, servers: 10.32.0.5}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag groups of management settings, and entries of single devices, that change nothing."""
        blueprint = design.loaded.blueprint
        for base, management in list_stated_managements(design):
            inherited = blueprint.management if base[0] == "fabrics" else Management.model_construct()
            yield from self._check_management(base, management, inherited)
        entries: list[tuple[Path, str, Model]] = [
            *((("address_of", name), name, entry) for name, entry in sorted(blueprint.address_of.items())),
            *((("config_of", name), name, entry) for name, entry in sorted(blueprint.config_of.items())),
            *(
                (("config_of", name, "ports", port), f"{name} {port}", settings)
                for name, entry in sorted(blueprint.config_of.items())
                for port, settings in sorted(entry.ports.items())
            ),
        ]
        for path, name, entry in entries:
            if not any(getattr(entry, field) for field in type(entry).model_fields):
                yield self._flag_empty(path, f"the entry of {name} is empty")

    def _check_management(self, base: Path, management: Management, inherited: Management) -> Iterator[Diagnostic]:
        """Flag groups of settings that lack what they need; a group that empties an inherited group is meant."""
        for name, (lacking, keys) in _NEEDED.items():
            group = getattr(management, name)
            if group is None or any(getattr(group, key) for key in keys) or getattr(inherited, name):
                continue
            path, message = (*base, name), f"{name} has {lacking}"
            hint = f"state `{'` or `'.join(keys)}`, or remove it"
            if group.model_fields_set or name in _WRITTEN:
                yield self.flag(path, message, hint)
            else:
                yield self._flag_empty(path, message, hint)

    def _flag_empty(self, path: Path, message: str, hint: str = "remove it, or fill it in") -> Diagnostic:
        """Return the finding on an empty entry, whose fix removes it."""
        return self.flag(path, message, hint, [Edit("remove", path)])
