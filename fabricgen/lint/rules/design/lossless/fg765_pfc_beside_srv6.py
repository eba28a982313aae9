"""FG765: PFC pauses a fabric whose NICs choose the paths."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.design.qos import resolve_qos
from fabricgen.design.srv6 import uses_srv6
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.lossless import find_qos_path


class PfcBesideSrv6(DesignRule):
    """A fabric with `underlay: srv6` is lossless: PFC pauses it, while its NICs look for paths by loss and marks.

    A NIC that spreads the packets of a queue pair over hundreds of paths leaves one that loses packets, and takes less
    of one that marks them (OCP, Multipath Reliable Connection 1.0; Araujo et al., arXiv:2605.04333, run it with PFC
    off). A pause hides both from it: the path is neither lost nor marked, but late, and what is paused behind it are
    paths that had room.

    State `qos: {profile: roce-lossy}` in the fabric, which marks and does not pause, with `trim` where switches can.
    """

    severity = Severity.WARNING
    bad = """
        fabrics:
          compute:
            ip: v6
            routing: {underlay: srv6}
            qos: {profile: roce-lossless}  # <-
    """
    good = """
        fabrics:
          compute:
            ip: v6
            routing: {underlay: srv6}
            qos: {profile: roce-lossy}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag fabrics with SRv6 paths that PFC pauses."""
        for fabric in design.fabrics:
            if uses_srv6(design, fabric) and resolve_qos(design, fabric).lossless:
                path = find_qos_path(design, fabric, "profile")
                message = f"{fabric.name} has SRv6 paths that NICs choose by loss and marks, and PFC pauses them"
                yield self.flag(path, message, "state `qos: {profile: roce-lossy}` in the fabric")
