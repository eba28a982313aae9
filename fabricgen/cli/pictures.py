"""Pictures of a blueprint, with what lint and `plan` say of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fabricgen.blueprint.load import LoadedBlueprint
from fabricgen.bom.prices import PriceList, read_price_list
from fabricgen.cli.findings import refuse_impossible, refuse_unbuildable
from fabricgen.cli.output import tell_idle_prices
from fabricgen.cluster import Cluster
from fabricgen.export.view.page import make_page
from fabricgen.export.view.source import PageExtras
from fabricgen.export.view.verification import read_verification
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
    """Another blueprint, built folder, or git revision of either, that it is compared with."""
    verify: str | None = None
    """The file of a report of `verify`."""
    price_file: Path | None = None


def draw_page(drawing: Drawing) -> str:
    """Return the page of a blueprint; raises InputError where it cannot be used or cannot be wired."""
    return make_page(*_prepare_drawing(drawing))


def draw_picture(drawing: Drawing, form: str) -> bytes:
    """Return the fabric view as `svg` or `pdf`; raises InputError as `draw_page`, and where no PDF can be printed."""
    from fabricgen.cli.printing import print_pdf
    from fabricgen.export.view.picture import draw_fabric_picture

    cluster = _compile(drawing)
    refuse_unbuildable(cluster)
    svg = draw_fabric_picture(cluster)
    return print_pdf(svg, cluster.design.loaded.blueprint.name) if form == "pdf" else svg.encode()


def draw_watched_page(drawing: Drawing, version: int) -> tuple[str, LoadedBlueprint]:
    """As `draw_page`, a page that asks for later versions, and the blueprint as it was read."""
    cluster, beside = _prepare_drawing(drawing)
    return make_page(cluster, beside, version), cluster.design.loaded


def _compile(drawing: Drawing) -> Cluster:
    return compile_cluster(
        compile_design(drawing.blueprint, drawing.sets, allow_outside=drawing.allow_outside), drawing.phase
    )


def _prepare_drawing(drawing: Drawing) -> tuple[Cluster, PageExtras]:
    # the cluster of a drawing, and what is shown beside it: findings, changes, some configurations, and what `verify`
    # says
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
    """Return what changes from the side that it is compared with, if any."""
    if drawing.against is None:
        return None
    from fabricgen.cli.sides import PlanOptions, compare_with_cluster
    from fabricgen.diff.picture import make_picture

    options = PlanOptions(new_sets=drawing.sets, allow_outside=drawing.allow_outside)
    return make_picture(compare_with_cluster(drawing.against, drawing.blueprint, cluster, options))
