"""Configurations of all switches: templates hold the text, a module per NOS the values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from fabricgen.blueprint.management import Management
from fabricgen.catalog.loader import Catalog
from fabricgen.cluster import Cluster
from fabricgen.intent import FabricIntent
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Severity, did_you_mean
from fabricgen.kernel.discovery import load, module_names
from fabricgen.kernel.templates import built_in_templates
from fabricgen.render.nos_protocol import NOS_PACKAGE, Nos, TakesTrees
from fabricgen.render.secrets import Look, managements, redacted
from fabricgen.switch_view import SwitchView

if TYPE_CHECKING:
    import jinja2

WORKERS_FROM = 1500
"""Switches from which worker processes pay; below, starting them costs more than they save."""


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """What rendering is told beside the cluster.

    `overrides` is a folder whose templates (`sonic/frr.conf.j2`) replace the built-in ones of the same path; templates
    then run sandboxed. `managements` are by fabric, with secrets in place of their references.
    """

    overrides: Path | None = None
    managements: Mapping[str, Management] = field(default_factory=dict)


def render_options(cluster: Cluster, *, overrides: Path | None = None, look: Look = redacted) -> RenderOptions:
    """Check that everything can be rendered, and look secrets up.

    Raises InputError for a tier whose NOS has no templates, and for a secret that cannot be had.
    """
    require_known_nos(cluster)
    return RenderOptions(overrides, managements(cluster, look))


def render_configs(
    cluster: Cluster, *, jobs: int = 1, options: RenderOptions | None = None
) -> Iterator[tuple[str, bytes]]:
    """Yield (path in the output folder, content) of every configuration, in the order of the device table.

    The bytes are the same whatever `jobs`. Raises InputError as `render_options` does without `options`, and for an
    overriding template that fails.
    """
    options = options or render_options(cluster)
    rows = cluster.switch_rows()
    if jobs > 1 and len(rows) >= WORKERS_FROM:
        from fabricgen.render.workers import render_in_workers

        return render_in_workers(cluster, rows, jobs, options)
    return render_rows(cluster, rows, options)


def render_rows(cluster: Cluster, rows: list[int], options: RenderOptions) -> Iterator[tuple[str, bytes]]:
    """Yield the files of switches, by their rows in the device table, in this process."""
    renderer = Renderer(options)
    for row in rows:
        yield from renderer.files(cluster.switch(row), cluster.design.catalog)


class Renderer:
    """Templates and what was rendered of them that holds for more than one switch."""

    def __init__(self, options: RenderOptions) -> None:
        self._guarded = options.overrides is not None
        self._environment = _environment_for(options.overrides)
        self._managements = options.managements
        self._intents: dict[str, FabricIntent] = {}
        self._kept: dict[tuple[str, int, bool], tuple[Mapping[str, Any], str]] = {}

    def files(self, switch: SwitchView, catalog: Catalog) -> Iterator[tuple[str, bytes]]:
        """Yield (path in the output folder, content) of the files of one switch.

        Raises InputError where the catalogue lacks what its NOS needs, for an overriding template that fails, and for a
        snippet that does not fit.
        """
        nos = cast(Nos, load(NOS_PACKAGE, switch.tier.nos))
        trees = tuple(snippet for snippet in switch.snippets if snippet.tree)
        values = {**nos.values(self._with_secrets(switch), catalog), "once": self.once}
        for template, file in nos.files(switch):
            text = self.text(f"{switch.tier.nos}/{template}", values)
            if trees and isinstance(nos, TakesTrees):
                text = nos.with_trees(file, text, trees)
            yield f"configs/{switch.name}/{file}", text.encode()

    def _with_secrets(self, switch: SwitchView) -> SwitchView:
        """A switch with secrets looked up; all switches of a fabric have the same intent."""
        fabric = switch.fabric
        if fabric.name not in self._managements:
            return switch
        if fabric.name not in self._intents:
            self._intents[fabric.name] = replace(fabric, management=self._managements[fabric.name])
        return replace(switch, fabric=self._intents[fabric.name])

    def text(self, name: str, values: Mapping[str, Any]) -> str:
        """Render a template."""
        if not self._guarded:
            return self._environment.get_template(name).render(values)
        from fabricgen.render.overrides import render_guarded

        return render_guarded(self._environment, name, values)

    def once(self, name: str, values: Mapping[str, Any], last: bool) -> str:
        """Render a template from values that switches share, the first time, and repeat the text from then on.

        For templates: the values are recognised as the same object, which is kept so that no other takes its place.
        """
        key = (name, id(values), last)
        if key not in self._kept:
            self._kept[key] = values, self.text(name, {**values, "last": last})
        return self._kept[key][1]


def require_known_nos(cluster: Cluster) -> None:
    """Raise InputError, at each tier concerned, where a tier of switches runs a NOS without templates."""
    known = module_names(NOS_PACKAGE)
    faults = [
        Diagnostic(
            "FG027",
            Severity.ERROR,
            f"there are no configuration templates for NOS '{tier.nos}', which {fabric.name} {tier.name} runs",
            tier.path,
            did_you_mean(tier.nos, known),
        )
        for fabric in cluster.design.fabrics
        if fabric.protocol != "infiniband"
        for tier in fabric.tiers
        if tier.nos not in known
    ]
    if faults:
        raise cluster.design.loaded.located(InputError(faults))


def _environment_for(overrides: Path | None) -> jinja2.Environment:
    if overrides is None:
        return built_in_templates()
    from fabricgen.render.overrides import sandboxed_environment

    return sandboxed_environment(overrides)
