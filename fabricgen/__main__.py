"""Run fabricgen, as `python -m fabricgen` or as the script of that name.

Little is imported here: Ctrl-C while the rest is imported ends as it does later.
"""

from __future__ import annotations

import os


def main() -> None:
    """Run a command and exit with its code, with 130 where the user interrupts it at any time."""
    try:
        from fabricgen.cli.main import main as run_command

        run_command()
    except KeyboardInterrupt:
        os.write(2, b"fabricgen: interrupted; no file is left half-written\n")
        os._exit(130)  # not by way of what was half imported


if __name__ == "__main__":
    main()
