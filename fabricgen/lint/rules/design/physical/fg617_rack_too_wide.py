"""FG617: a rack does not fit its place on the floor."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class RackTooWide(DesignRule):
    """Racks of a type are wider or deeper than the space that the floor has for each.

    Racks stand side by side at `rack_pitch_m`, and `rack_depth_m` is the depth between two aisles. Racks of 800 mm
    at a pitch of 600 mm make a row a third longer than planned, and all cables along it too short.

    Raise the pitch or the depth, or use another rack.
    """

    severity = Severity.WARNING
    bad = """
        floor:
          network_rack: eia-48u-800  # <-
    """
    good = """
        floor:
          network_rack: eia-48u-800
          rack_pitch_m: 0.8
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare the width and depth of node racks and network racks with their places on the floor."""
        floor, layout = design.loaded.blueprint.floor, design.layout
        racks = {
            **{(*kind.racks_path, "type"): kind.node_rack for kind in layout.kinds},
            ("floor", "network_rack"): layout.network_rack,
        }
        for path, rack in racks.items():
            for key, size, space, adjective in (
                ("rack_pitch_m", rack.width_m, floor.rack_pitch_m, "wide"),
                ("rack_depth_m", rack.depth_m, floor.rack_depth_m, "deep"),
            ):
                if size > space + 1e-9:
                    message = f"{rack.id} is {size:g} m {adjective}; its place is {space:g} m"
                    yield self.flag(path, message, f"set `floor: {{{key}: {size:g}}}`")
