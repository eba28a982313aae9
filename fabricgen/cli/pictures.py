"""Pictures of a blueprint, with what lint and `plan` say of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fabricgen.blueprint.load import LoadedBlueprint
from fabricgen.cli.findings import refuse_impossible, refuse_unbuildable
from fabricgen.cluster import Cluster
from fabricgen.export.view.page import make_page
from fabricgen.export.view.source import Beside
from fabricgen.export.view.verification import read_verification
from fabricgen.lint.engine import lint
from fabricgen.pipeline import compile_cluster, compile_design, other_findings
from fabricgen.render.engine import render_few_configs


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be drawn: a blueprint with settings, at a phase."""

    blueprint: str
    sets: tuple[str, ...] = ()
    allow_outside: bool = False
    phase: str | None = None
    against: str | None = None
    """Another blueprint, built folder, or git revision of either, that it is compared with."""
    verify: str | None = None
    """The file of a report of `verify`."""


def page_at(asked: Asked) -> str:
    """The page of a blueprint; raises InputError where it cannot be used or cannot be wired."""
    return make_page(*_drawn(asked))


def picture_at(asked: Asked, form: str) -> bytes:
    """The fabric view as a picture, `svg` or `pdf`; raises InputError as `page_at`, and where no PDF can be printed."""
    from fabricgen.cli.printing import as_pdf
    from fabricgen.export.view.picture import draw_fabric_picture

    cluster = _compiled(asked)
    refuse_unbuildable(cluster)
    svg = draw_fabric_picture(cluster)
    return as_pdf(svg, cluster.design.loaded.blueprint.name) if form == "pdf" else svg.encode()


def watched_page(asked: Asked, version: int) -> tuple[str, LoadedBlueprint]:
    """As `page_at`, a page that asks for later versions, and the blueprint as it was read."""
    cluster, beside = _drawn(asked)
    return make_page(cluster, beside, version), cluster.design.loaded


def _compiled(asked: Asked) -> Cluster:
    return compile_cluster(compile_design(asked.blueprint, asked.sets, allow_outside=asked.allow_outside), asked.phase)


def _drawn(asked: Asked) -> tuple[Cluster, Beside]:
    cluster = _compiled(asked)
    result = lint(cluster.design, cluster, other_findings=other_findings(cluster, None))
    refuse_impossible(result)
    found = read_verification(asked.verify, cluster) if asked.verify is not None else None
    return cluster, Beside(result.findings, _changes(asked, cluster), render_few_configs(cluster), found)


def _changes(asked: Asked, cluster: Cluster) -> dict[str, Any] | None:
    """What changes from the side that it is compared with, if any."""
    if asked.against is None:
        return None
    from fabricgen.cli.sides import PlanOptions, change_to
    from fabricgen.diff.reports.picture import picture

    options = PlanOptions(new_sets=asked.sets, allow_outside=asked.allow_outside)
    return picture(change_to(asked.against, asked.blueprint, cluster, options))
