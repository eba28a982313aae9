"""FG741: an interface has a name that the kernel gives to whatever it finds first."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule

KERNEL = re.compile(r"(eth|ib)[0-9]+")
"""Matches the names that the kernel gives to interfaces before udev renames them."""


class NameOfTheKernel(DesignRule):
    """`names.interfaces` says that a port is called eth0, ib1 or the like.

    The kernel numbers interfaces in the order in which it finds them, which differs from boot to boot, and rails cross
    with it. Nor can udev give a port such a name by its MAC: another may have it at that moment, and one of both stays
    as it is (systemd.link, Name=). State names that follow from the place of the card, or names of your own and an
    `inventory` with MACs.
    """

    counts_ports = False
    severity = Severity.WARNING
    bad = """
        names: {interfaces: {dgx-b200: {
          OSFP4P2: eth0}}}  # <-
    """
    good = """
        names: {interfaces: {dgx-b200: {OSFP4P2: enp24s0np0}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag stated names of interfaces that the kernel gives to whatever it finds first."""
        for profile, names in design.loaded.blueprint.names.interfaces.items():
            for port, name in names.items():
                if KERNEL.fullmatch(name):
                    message = f"{port} of {profile} is {name}, which the kernel calls whatever port it finds first"
                    yield self.flag(("names", "interfaces", profile, port), message)
