"""Run fabricgen, as `python -m fabricgen` or as the script of that name.

Little is imported here: Ctrl-C while the rest is imported ends as it does later. So do SIGTERM, as CI sends it to a job
that is cancelled, and SIGHUP of a terminal that is closed: what is written for a while is taken away.
"""

from __future__ import annotations

import gc
import os
import signal


def main() -> None:
    """Run a command and exit with its code, with 130 where the user interrupts it at any time."""
    try:
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)  # Windows has no SIGHUP
            if number is not None and signal.getsignal(number) == signal.SIG_DFL:  # nohup has it ignored
                signal.signal(number, signal.default_int_handler)
        gc.set_threshold(200_000, 20, 50)  # classes and columns stay to the end: looking through them is 7 % of `show`
        from fabricgen.cli.main import main as run_command

        run_command()
    except KeyboardInterrupt:
        os.write(2, b"fabricgen: interrupted; no file is left half-written\n")
        os._exit(130)  # not by way of what was half imported


if __name__ == "__main__":
    main()
