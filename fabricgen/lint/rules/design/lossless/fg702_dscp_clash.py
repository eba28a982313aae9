"""FG702: RoCE data and congestion notifications share a DSCP or class."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.blueprint.sections.qos import choose_setting
from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.model import Design
from fabricgen.design.qos import find_qos
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.lossless import find_qos_path, merge_fabrics


class DscpClash(DesignRule):
    """RoCE data and congestion notification packets (CNP) have the same DSCP or traffic class.

    Notifications must overtake the queue that they report; with the same DSCP or class they wait in it, and senders
    slow down too late. Use different values; DSCP 26 and 48, classes 3 and 6 are customary.

    The same holds of what is left of trimmed packets (`trim`), which must not wait where whole ones found no room, and
    is known by its DSCP at the next switch: 11 and class 4 are customary.
    """

    counts_ports = False
    severity = Severity.ERROR
    bad = """
        qos: {roce_dscp: 26,
          cnp_dscp: 26}  # <-
    """
    good = """
        qos: {roce_dscp: 26, cnp_dscp: 48}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the effective values of each lossless fabric."""
        return merge_fabrics(self._check_fabrics(design))

    def _check_fabrics(self, design: Design) -> Iterator[Diagnostic]:
        """One finding a fabric and value; `check` merges those with one place."""
        blueprint = design.loaded.blueprint
        for fabric in design.fabrics:
            fabric_qos, cluster_qos = blueprint.fabrics[fabric.name].qos, blueprint.qos
            if fabric.protocol != "roce" and not find_qos(design, fabric).marks:
                continue
            for field, names, usual in _ALIKE:
                values = [
                    choose_setting(fabric_qos, cluster_qos, name, default)
                    for name, default in zip(names, usual, strict=True)
                ]
                if values[0] == values[1]:
                    stated = any(getattr(fabric_qos, name) is not None for name in names)
                    name = (
                        names[1] if getattr(fabric_qos if stated else cluster_qos, names[1]) is not None else names[0]
                    )
                    path = (*fabric.path, "qos", name) if stated else ("qos", name)
                    message = f"{fabric.name}: RoCE data and congestion notifications both have {field} {values[0]}"
                    yield self.flag(path, message, f"use {usual[0]} for data and {usual[1]} for notifications")
            yield from self._check_trimmed(design, fabric)

    def _check_trimmed(self, design: Design, fabric: FabricDesign) -> Iterator[Diagnostic]:
        """What trimming leaves, beside both others."""
        qos = find_qos(design, fabric)
        if qos.trim is None or not qos.marks:
            return
        for field, own, data, cnp, usual in (
            ("DSCP", qos.trim.dscp, qos.roce_dscp, qos.cnp_dscp, ("dscp", 11, 12, 13)),
            ("traffic class", qos.trim.traffic_class, qos.roce_class, qos.cnp_class, ("traffic_class", 4, 5, 2)),
        ):
            if own in (data, cnp):
                other = "RoCE data" if own == data else "congestion notifications"
                message = f"{fabric.name}: {other} and what is left of trimmed packets both have {field} {own}"
                free = next(number for number in usual[1:] if number not in (data, cnp))
                yield self.flag(find_qos_path(design, fabric, "trim"), message, f"use `{usual[0]}: {free}` for `trim`")


_ALIKE = (("DSCP", ("roce_dscp", "cnp_dscp"), (26, 48)), ("traffic class", ("roce_class", "cnp_class"), (3, 6)))
