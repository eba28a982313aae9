"""Print a picture to PDF by the Chromium of the machine: no library of ours knows its fonts as well."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from html import escape
from pathlib import Path

from fabricgen.kernel.diagnostics import fault

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--no-pdf-header-footer",
)
TIMEOUT_S = 120
DATE = re.compile(rb"/(CreationDate|ModDate) \(D:\d{14}")
"""When a PDF was made: the clock, which no output of ours says."""


def find_browser() -> str:
    """Return the path of an installed Chromium; "" for none."""
    return next(filter(None, map(shutil.which, BROWSERS)), "")


def print_pdf(svg: str, title: str) -> bytes:
    """Return an SVG picture as a PDF of one page of its size; raises InputError (FG058) without Chromium, or if that
    fails.
    """
    chromium = find_browser()
    if not chromium:
        hint = "install it, e.g. `apt-get install chromium`, or take `--format svg`"
        raise fault("FG058", f"a PDF is printed by Chromium, which is not installed ({', '.join(BROWSERS)})", hint=hint)
    with tempfile.TemporaryDirectory(prefix="fabricgen-pdf-") as name:
        page, printed = Path(name, "picture.html"), Path(name, "picture.pdf")
        page.write_text(_wrap_picture(svg, title), encoding="utf-8")
        flags = [*FLAGS, *(["--no-sandbox"] if os.geteuid() == 0 else []), f"--user-data-dir={Path(name, 'profile')}"]
        command = [chromium, *flags, f"--print-to-pdf={printed}", page.as_uri()]
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=TIMEOUT_S)  # noqa: S603 - no shell
            content = printed.read_bytes()
        except (OSError, subprocess.SubprocessError) as error:
            hint = "take `--format svg`, and print that"
            raise fault("FG058", f"{chromium} prints no PDF: {type(error).__name__}", hint=hint) from error
    return DATE.sub(rb"/\1 (D:19800101000000", content)


def _wrap_picture(svg: str, title: str) -> str:
    """Return a page of the size of a picture, with nothing else."""
    size = re.match(r'<svg[^>]*? viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    assert size  # noqa: S101 - every picture of ours says its size
    width, height = size.groups()
    sheet = f"@page {{size: {width}px {height}px; margin: 0}} body {{margin: 0}}"
    style = f"{sheet} svg {{display: block; width: {width}px; height: {height}px}}"
    return f"<!DOCTYPE html><meta charset=utf-8><title>{escape(title)}</title><style>{style}</style>{svg}"
