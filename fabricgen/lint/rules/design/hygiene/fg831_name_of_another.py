"""FG831: a device has the usual name of another one."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class NameOfAnother(DesignRule):
    """`names.devices` gives a device the name that another one has by its place, and that one some other name.

    Usual names tell where a device stands: `leaf-su02` is of unit 2. Who reads the name goes to the wrong rack, and
    what `config_of`, `address_of` or `floor.devices` says of it is of the device that has it now, not of the one that
    had it when it was written. Boxes that were exchanged are put back, or `verify` says which cables to move.

    Take a name that no place has.
    """

    counts_ports = False
    severity = Severity.WARNING
    bad = """
        names:
          devices:
            compute-spine-01: compute-spine-02  # <-
            compute-spine-02: compute-spine-01  # <-
    """
    good = """
        names: {devices: {compute-spine-01: hall-1-spine-a, compute-spine-02: hall-1-spine-b}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag given names that are the usual name of another device which has been given a name too."""
        names = design.loaded.blueprint.names.devices
        for usual, name in names.items():
            if name != usual and name in names:
                message = (
                    f"{name} is now the device at the place of {usual}, and that of {name} is called {names[name]}"
                )
                yield self.flag(("names", "devices", usual), message, "take a name that no place has")
