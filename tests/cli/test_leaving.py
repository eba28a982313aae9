"""The process ends without freeing what it holds; nothing that is written, registered or measured gets lost by that."""

from __future__ import annotations

import subprocess
import sys

END = "from fabricgen.cli.main import main; main(sys.argv[1:])"


def ended(*command: str) -> subprocess.CompletedProcess[bytes]:
    """What a Python process wrote, and how it ended."""
    return subprocess.run([sys.executable, *command], capture_output=True, check=False, timeout=300)


def test_all_is_written_before_the_end() -> None:
    done = ended("-m", "fabricgen", "schema")
    assert done.returncode == 0
    assert done.stdout.endswith(b"}\n")
    assert len(done.stdout) > 2**16  # more than a pipe holds at once


def test_the_code_is_that_of_the_command_and_what_is_registered_is_done() -> None:
    done = ended("-c", f"import atexit, sys; atexit.register(print, 'registered'); {END}", "no-such-command")
    assert done.returncode == 2
    assert done.stdout == b"registered\n"
    assert b"there is no command 'no-such-command'" in done.stderr


def test_a_profiler_still_reports() -> None:
    done = ended("-m", "cProfile", "-s", "tottime", "-m", "fabricgen", "--version")
    assert done.returncode == 0
    assert b"function calls" in done.stdout
