"""Ansible's way to a switch of the tests: a mount namespace whose /etc is the switch's, called by its address.

A switch of the lab is a network namespace, whose name stands in its `netns-of-lab`; ETC is its /etc, since vtysh needs
the machine's own.
"""

from __future__ import annotations

import os
from pathlib import Path
from shlex import quote

from ansible.plugins.connection.local import Connection as Local

DOCUMENTATION = """
name: hall
short_description: a switch of the tests
description: Runs commands where /etc is that of a switch, and the programs of the hall come first.
extends_documentation_fragment: [connection_pipelining]
"""


class Connection(Local):
    """Commands for localhost run as they are, those for others in their namespaces."""

    transport = "hall"

    def exec_command(self, cmd, in_data=None, sudoable=True):
        address = self._play_context.remote_addr
        if address not in ("localhost", "127.0.0.1"):
            etc = Path(os.environ["HALL"]) / address / "etc"
            path = f"{Path(__file__).parent.parent / 'bin'}:{os.environ['PATH']}"
            space = etc / "netns-of-lab"
            if space.exists():
                within = f"ip netns exec {space.read_text()} env ETC={quote(str(etc))} PATH={quote(path)} {cmd}"
                return super().exec_command(within, in_data=in_data, sudoable=sudoable)
            inside = f"mount --bind {quote(str(etc))} /etc && PATH={quote(path)} {cmd}"
            cmd = f"unshare --user --map-root-user --mount sh -c {quote(inside)}"
        return super().exec_command(cmd, in_data=in_data, sudoable=sudoable)
