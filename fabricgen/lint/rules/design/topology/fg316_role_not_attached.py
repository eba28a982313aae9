"""FG316: no fabric attaches some ports of nodes or extra devices."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.attach import list_unattached
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.documented import ToDo
from fabricgen.lint.rule import DesignRule

SEVERAL = 2
"""If this many roles of a device are attached, the blueprint is taken to describe all networks of the device."""


class RoleNotAttached(DesignRule):
    """Several roles of a device's ports have a fabric, and another has none: no cable is planned for those ports.

    A server without its BMC's cable cannot be reached when it hangs, and one without its storage ports waits for
    files. Blueprints of one network alone leave the others out on purpose and are not judged; `show` lists what has
    no cable in any blueprint.

    Add a fabric that attaches the role (`attach`), or waive this where the ports are cabled by others. Nodes that
    `skip` a fabric on purpose are not judged by it.
    """

    counts_ports = False
    severity = Severity.INFO
    to_do = ToDo.DO_ELSEWHERE
    bad = """
        scalable_unit:
          nodes:
            node: 4 x dgx-b200  # <-
        fabrics:
          storage: {protocol: roce, carried_by: compute}
    """
    good = """
        fabrics:
          storage: {protocol: roce, carried_by: compute}
          inband: {protocol: ethernet, carried_by: compute}
          oob: {protocol: ethernet, attach: bmc, tiers: {leaf: {switch: sn2201}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag devices some of whose roles are attached by no fabric, if `SEVERAL` others are attached."""
        for device in list_unattached(design):
            missing = [role for role in device.missing if role not in device.skipped]
            if missing and len(device.attached) >= SEVERAL:
                roles = ", ".join(f"'{role}'" for role in missing)
                hint = f"say `attach: {missing[0]}` in a fabric for them, or waive this if others cable them"
                yield self.flag(device.path, f"no fabric attaches the {roles} ports of {device.profile.id}", hint)
