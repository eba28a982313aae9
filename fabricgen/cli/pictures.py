"""Pictures of a blueprint, with what lint and `plan` say of it."""

from __future__ import annotations

from fabricgen.cli.findings import refuse_impossible
from fabricgen.export.view.page import page_of
from fabricgen.export.view.source import Beside
from fabricgen.lint.engine import lint
from fabricgen.pipeline import compile_cluster, compile_design
from fabricgen.render.few import few_configs


def page_at(blueprint: str, sets: tuple[str, ...], allow_outside: bool, phase: str | None) -> str:
    """The page of a blueprint; raises InputError where it cannot be used or cannot be wired."""
    cluster = compile_cluster(compile_design(blueprint, sets, allow_outside=allow_outside), phase)
    result = lint(cluster.design, cluster)
    refuse_impossible(result)
    return page_of(cluster, Beside(findings=result.findings, configs=few_configs(cluster)))
