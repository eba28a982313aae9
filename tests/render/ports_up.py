"""Ports of namespaces that come up some time after they are set up."""

from __future__ import annotations

import subprocess

from fabricgen.lab.fabric import wait_until


def wait_until_up(space: str, port: str) -> None:
    """Wait until a port of a namespace has its carrier: Kea opens no socket on one that has none, and tries once."""

    def is_up() -> bool:
        command = ["ip", "-n", space, "-br", "link", "show", "dev", port]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[1] == "UP"

    wait_until(is_up, f"{port} of {space} is up")
