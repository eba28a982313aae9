"""Pictures of a blueprint, with what lint and `plan` say of it: pages, SVG, and PDF printed by Chromium."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from fabricgen.blueprint.load import LoadedBlueprint
from fabricgen.bom.prices import PriceList, read_price_list
from fabricgen.cli.output import refuse_impossible, refuse_unbuildable, tell_idle_prices
from fabricgen.cluster import Cluster
from fabricgen.export.view.page import make_page
from fabricgen.export.view.source import PageExtras
from fabricgen.export.view.verification import read_verification
from fabricgen.kernel.diagnostics import fault
from fabricgen.lint.engine import lint
from fabricgen.pipeline import collect_other_findings, compile_cluster, compile_design
from fabricgen.render.engine import render_few_configs


@dataclass(frozen=True, slots=True)
class Drawing:
    """What is to be drawn: a blueprint with settings, at a phase."""

    blueprint: str
    sets: tuple[str, ...] = ()
    allow_outside: bool = False
    phase: str | None = None
    against: str | None = None
    """The blueprint, built folder, or git revision of either, that it is compared with."""
    verify: str | None = None
    """The file of a report of `verify`."""
    price_file: Path | None = None


def draw_page(drawing: Drawing) -> str:
    """Return the page of a blueprint. Raises InputError if it cannot be used or cannot be wired."""
    return make_page(*_prepare_drawing(drawing))


def draw_picture(drawing: Drawing, form: str) -> bytes:
    """Return the fabric view as `svg` or `pdf`. Raises InputError like `draw_page`, and if no PDF can be printed."""
    from fabricgen.export.view.picture import draw_fabric_picture

    cluster = _compile(drawing)
    refuse_unbuildable(cluster)
    svg = draw_fabric_picture(cluster)
    return print_pdf(svg, cluster.design.loaded.blueprint.name) if form == "pdf" else svg.encode()


def draw_watched_page(drawing: Drawing, version: int) -> tuple[str, LoadedBlueprint]:
    """Return a page like that of `draw_page`, which asks for later versions, and the blueprint as it was read."""
    cluster, beside = _prepare_drawing(drawing)
    return make_page(cluster, beside, version), cluster.design.loaded


def _compile(drawing: Drawing) -> Cluster:
    """Compile the blueprint that a drawing shows."""
    return compile_cluster(
        compile_design(drawing.blueprint, drawing.sets, allow_outside=drawing.allow_outside), drawing.phase
    )


def _prepare_drawing(drawing: Drawing) -> tuple[Cluster, PageExtras]:
    """Return the cluster of a drawing, and what is shown beside it: findings, changes, some configurations, the report
    of `verify`, and prices. Raises InputError for a cluster that cannot be plugged together.
    """
    cluster = _compile(drawing)
    result = lint(cluster.design, cluster, other_findings=collect_other_findings(cluster, None))
    refuse_impossible(result)
    verification = read_verification(drawing.verify, cluster) if drawing.verify is not None else None
    offers = read_price_list(drawing.price_file) if drawing.price_file else PriceList()
    tell_idle_prices(drawing.price_file, cluster)
    return cluster, PageExtras(
        result.findings,
        _compare_drawing(drawing, cluster),
        render_few_configs(cluster),
        verification,
        offers.unit_prices,
        offers.currency,
    )


def _compare_drawing(drawing: Drawing, cluster: Cluster) -> dict[str, Any] | None:
    """Return what changes from the side that the drawing is compared with; None without such a side."""
    if drawing.against is None:
        return None
    from fabricgen.cli.sides import PlanOptions, compare_with_cluster
    from fabricgen.diff.picture import make_picture

    options = PlanOptions(new_sets=drawing.sets, allow_outside=drawing.allow_outside)
    return make_picture(compare_with_cluster(drawing.against, drawing.blueprint, cluster, options))


# PDF files, printed by the Chromium of the machine: no library of ours knows its fonts as well.

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
"""The places of a PDF that say when it was made; no output of ours has the time of day."""


def find_browser() -> str:
    """Return the path of an installed Chromium; "" if there is none."""
    return next(filter(None, map(shutil.which, BROWSERS)), "")


def print_pdf(svg: str, title: str) -> bytes:
    """Return an SVG picture as a PDF of one page of its size. Raises InputError (FG058) without Chromium, or if it
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
    """Return an HTML page of the size of a picture, with the picture alone."""
    size = re.match(r'<svg[^>]*? viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    assert size  # noqa: S101 - every picture of ours says its size
    width, height = size.groups()
    sheet = f"@page {{size: {width}px {height}px; margin: 0}} body {{margin: 0}}"
    style = f"{sheet} svg {{display: block; width: {width}px; height: {height}px}}"
    return f"<!DOCTYPE html><meta charset=utf-8><title>{escape(title)}</title><style>{style}</style>{svg}"
