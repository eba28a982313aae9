"""The operating system's name of a NIC port is not known."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class InterfaceUnknown(Fault):
    """Network settings of hosts are asked for, and what a node's operating system calls a port is not known or not
    usable.

    Linux names interfaces after their place on the PCI bus (systemd.net-naming-scheme), which depends on the
    chassis. State the name under `names: interfaces:`, as `ip link` shows it on one node of that kind.
    """

    id = "FG041"
    title = "the operating system's name of a NIC port is not known"
    in_words = True
    bad = """
        fabricgen build example.yaml -o out --only netplan, with nodes whose profile has no interface names
    """
    good = """
        names: {interfaces: {generic-server: {eth1: enp1s0f0np0}}}
    """
