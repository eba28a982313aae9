"""Progress: on a terminal, for long builds, and without a thread, which would keep workers from being forked."""

from __future__ import annotations

import io
import sys
import threading

import pytest

from fabricgen.cli.commands import build as progress
from fabricgen.publish import FileBundle, ignore_bundle

BUNDLES = [FileBundle("links", "links", list), *(FileBundle("configs", f"leaf-{i}", list) for i in range(40))]


class Terminal(io.StringIO):
    """A terminal that keeps what is written to it."""

    def isatty(self) -> bool:
        return True


def test_a_terminal_sees_how_far_a_long_build_is(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress, "SHOWN_FROM", 10)
    monkeypatch.setattr(progress, "_PAUSE_S", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    threads = threading.active_count()
    with progress.show_progress(BUNDLES) as told:
        for bundle in BUNDLES[:21]:
            told(bundle)
        assert threading.active_count() == threads
    shown = terminal.getvalue()
    assert "other parts" in shown
    assert "1/1" in shown
    assert "20/40" in shown
    assert "switches/s" in shown


def test_small_builds_and_pipes_see_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with progress.show_progress(BUNDLES) as told:
        assert told is ignore_bundle
    monkeypatch.setattr(progress, "SHOWN_FROM", 10)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with progress.show_progress(BUNDLES) as told:
        assert told is ignore_bundle
