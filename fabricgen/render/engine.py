"""Configurations of all switches: templates hold the text, a module per NOS the values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from fabricgen.blueprint.sections.management import Management
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import SwitchProfile
from fabricgen.cluster import Cluster
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Severity, fault
from fabricgen.kernel.diagnostics import Path as Place
from fabricgen.kernel.templates import load_templates
from fabricgen.render.nos_protocol import TakesTrees, has_templates, known_nos, load_writer
from fabricgen.render.secrets import (
    SecretKind,
    SecretResolver,
    redact_secret,
    resolve_exit_passwords,
    resolve_managements,
    resolve_span_keys,
)
from fabricgen.render.shapes import SwitchShapes
from fabricgen.render.skeletons import Skeletons, TableRenderer
from fabricgen.render.trees import find_first_fault, require_printed
from fabricgen.views.exits import fill_in_passwords
from fabricgen.views.fabric import FabricView
from fabricgen.views.intent import FabricIntent, SpanIntent
from fabricgen.views.switch import PlacedSnippet, SwitchView

if TYPE_CHECKING:
    import jinja2

    from fabricgen.render.budget import BudgetedEnvironment


Subject: TypeAlias = int | str
"""What has configuration files: a switch, by its row in the device table, or a whole fabric, by its name."""


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """Options of rendering.

    `overrides` is a folder whose templates (`sonic/frr.conf.j2`) replace the built-in ones of the same path; templates
    then run sandboxed. `managements` are by fabric. `secrets` are those that stand there in place of their
    references: where there are any, a template that fails does not say of which value. `passwords` of sessions are by
    their references.
    """

    overrides: Path | None = None
    managements: Mapping[str, Management] = field(default_factory=dict)
    spans: Mapping[str, tuple[SpanIntent, ...]] = field(default_factory=dict)
    secrets: frozenset[bytes] = frozenset()
    passwords: Mapping[str, str] = field(default_factory=dict)


def make_render_options(
    cluster: Cluster, *, overrides: Path | None = None, resolver: SecretResolver = redact_secret
) -> RenderOptions:
    """Check that everything can be rendered, and resolve secrets.

    Raises InputError for a tier whose NOS has no templates, for two subjects of one name, and for a secret that cannot
    be resolved.
    """
    require_known_nos(cluster)
    list_subjects(cluster)
    secrets = set[bytes]()

    def remembered(reference: str, kind: SecretKind, path: Place) -> str:
        secrets.add((secret := resolver(reference, kind, path)).encode())
        return secret

    settings, keys = resolve_managements(cluster, remembered), resolve_span_keys(cluster, remembered)
    passwords = resolve_exit_passwords(cluster.design, remembered)
    secrets_in_files = frozenset() if resolver is redact_secret else frozenset(secrets)
    return RenderOptions(overrides, settings, keys, secrets_in_files, passwords)


def render_configs(cluster: Cluster, *, options: RenderOptions | None = None) -> Iterator[tuple[str, bytes]]:
    """Yield (path in the output folder, content) of every configuration: of switches in the order of the device table,
    then of whole fabrics.

    Raises InputError as `make_render_options` does without `options`, and for an overriding template that fails.
    """
    options = options or make_render_options(cluster)
    return render_rows(cluster, list(list_subjects(cluster).values()), options)


def list_subjects(cluster: Cluster) -> dict[str, Subject]:
    """The subjects by the name of their folder, in the order in which they are rendered.

    Raises InputError where a fabric that takes files is named like a switch that does.
    """
    subjects: dict[str, Subject] = {cluster.names[row]: row for row in cluster.switch_rows()}
    for name in cluster.whole_fabrics():
        if name in subjects:
            why = f"fabric {name} and the switch of that name would write configurations to one folder"
            hint = "rename one of them"
            raise cluster.design.loaded.locate_error(fault("FG035", why, path=("fabrics", name), hint=hint))
        subjects[name] = name
    return subjects


def render_rows(cluster: Cluster, rows: Sequence[Subject], options: RenderOptions) -> Iterator[tuple[str, bytes]]:
    """Yield the files of switches, by their rows in the device table, and of whole fabrics."""
    render_subject = make_subject_renderer(cluster, rows, options)
    for row in rows:
        yield from render_subject(row)


def make_subject_renderer(
    cluster: Cluster, subjects: Iterable[Subject], options: RenderOptions
) -> Callable[[Subject], Iterator[tuple[str, bytes]]]:
    """A function from a subject to its files: (path, content); what subjects share is rendered once.

    Raises InputError (FG018, FG026) where nobody knows what a NOS calls the ports of its switches.
    """
    if unnamed := cluster.port_names.faults:
        raise cluster.design.loaded.locate_error(InputError(unnamed))
    renderer = Renderer(options)
    switch_files = renderer.make_switch_renderer(cluster, [row for row in subjects if isinstance(row, int)])

    def render_subject(row: Subject) -> Iterator[tuple[str, bytes]]:
        # the files of a switch (its row) or of a whole fabric (its NOS); errors are told at their place in the
        # blueprint
        try:
            if isinstance(row, str):
                yield from renderer.files(cluster.whole_fabric(row), cluster.design.catalog)
            else:
                yield from switch_files(row)
        except InputError as error:
            raise cluster.design.loaded.locate_error(error) from error

    return render_subject


SNIPPET_ERRORS = (AttributeError, InputError, LookupError, TypeError, ValueError)
"""What merging a snippet into a file may raise if overriding templates rendered the file."""


def _can_merge(nos: TakesTrees, file: str, text: str, trees: tuple[PlacedSnippet, ...], judge: Catalog | None) -> bool:
    # whether the user's trees can be laid over the text of a file
    try:
        nos.with_trees(file, text, trees, judge)
    except SNIPPET_ERRORS:
        return False
    return True


class Renderer:
    """Renders templates, and caches texts that several switches share."""

    def __init__(self, options: RenderOptions) -> None:
        self._user_templates = _make_sandbox(options.overrides) if options.overrides else None
        self._environment: jinja2.Environment = self._user_templates or load_templates()
        self._managements, self._spans = options.managements, options.spans
        self._tells, self._passwords = not options.secrets, options.passwords
        self._intents: dict[str, FabricIntent] = {}
        self._judged: set[tuple[Any, ...]] = set()
        self._kept: dict[tuple[str, int, bool], tuple[Mapping[str, Any], str]] = {}

    def make_switch_renderer(
        self, cluster: Cluster, rows: Sequence[int]
    ) -> Callable[[int], Iterable[tuple[str, bytes]]]:
        """A function from a row of the device table to the files of the switch: (path, content).

        With a user's own templates every switch is rendered separately: such a template may branch on values that
        ours only print, so the text of one switch says nothing about another.
        """
        catalog = cluster.design.catalog
        shapes = SwitchShapes(cluster.views)
        if self._user_templates or not shapes.plain:
            return lambda row: self.files(cluster.switch(row), catalog)
        return Skeletons(
            cluster,
            shapes,
            rows,
            render_whole=lambda view: self.files(view, catalog),
            render=lambda view, once: self._render_texts(view, catalog, once),
            render_table=self.render_once,
        ).files

    def files(self, view: SwitchView | FabricView, catalog: Catalog) -> Iterator[tuple[str, bytes]]:
        """Yield (path in the output folder, content) of the files of one switch or whole fabric.

        Raises InputError where the catalogue lacks what its NOS needs, for an overriding template that fails, and for a
        snippet that does not fit.
        """
        texts: list[str] = []
        for path, text in self._render_texts(view, catalog, self.render_once):
            texts.append(text)
            yield path, text.encode()
        if isinstance(view, SwitchView):
            require_printed(view, texts)

    def _render_texts(
        self, view: SwitchView | FabricView, catalog: Catalog, once: TableRenderer
    ) -> Iterator[tuple[str, str]]:
        """(path, text) of each file; `once` renders the tables that switches share."""
        nos: Any = load_writer(view.nos)
        resolved = self.fill_in_secrets(view) if isinstance(view, SwitchView) else view
        trees = tuple(s for s in view.snippets if s.tree) if isinstance(view, SwitchView) else ()
        values = {**nos.values(resolved, catalog), "once": once}
        for template, file in nos.files(view):
            text = self.render_text(f"{view.nos}/{template}", values)
            if trees and isinstance(nos, TakesTrees):
                text = self._merge_trees(nos, file, text, trees, self._take_judge_once(resolved, trees, file, catalog))
            yield f"configs/{view.name}/{file}", text

    def _merge_trees(
        self, nos: TakesTrees, file: str, text: str, trees: tuple[PlacedSnippet, ...], judge: Catalog | None
    ) -> str:
        """A file with the user's trees laid over it; what a user's own templates made of it may not be as expected."""
        try:
            return nos.with_trees(file, text, trees, judge)
        except SNIPPET_ERRORS as error:
            if not self._user_templates or (isinstance(error, InputError) and self._tells):
                raise
            names = ", ".join(f"'{snippet.name}'" for snippet in trees)
            why = f"snippet {names} cannot be laid over what the overriding templates make of {file}"
            hint = "build with --redact-secrets to see why" if isinstance(error, InputError) else ""
            faulty = find_first_fault(trees, lambda snippets: not _can_merge(nos, file, text, snippets, judge))
            raise fault("FG052", why, path=faulty.path, hint=hint) from None

    def _take_judge_once(
        self, view: Any, trees: tuple[PlacedSnippet, ...], file: str, catalog: Catalog
    ) -> Catalog | None:
        """The catalogue to check a user's trees against; None where another switch of the tier has had the same trees
        checked for this file, since switches of a tier are alike.
        """
        key = (view.tier.key, file, *(snippet.path for snippet in trees))
        new = key not in self._judged
        self._judged.add(key)
        return catalog if new else None

    def fill_in_secrets(self, switch: SwitchView) -> SwitchView:
        """Return the switch with its resolved secrets; what concerns the fabric is made once and shared."""
        fabric = switch.fabric
        if switch.exits.peers:
            switch = replace(switch, exits=fill_in_passwords(switch.exits, self._passwords))
        if fabric.name not in self._managements:
            return switch
        if fabric.name not in self._intents:
            spans = self._spans.get(fabric.name, fabric.spans)
            self._intents[fabric.name] = fabric._replace(management=self._managements[fabric.name], spans=spans)
        return replace(switch, fabric=self._intents[fabric.name])

    def render_text(self, name: str, values: Mapping[str, Any]) -> str:
        """The text that a template, by its path, makes of values."""
        if self._user_templates is None:
            return self._environment.get_template(name).render(values)
        from fabricgen.render.overrides import render_guarded

        return render_guarded(self._user_templates, name, values, tells=self._tells)

    def render_once(self, name: str, values: Mapping[str, Any], last: bool) -> str:
        """Render a template from values that switches share, the first time, and repeat the text from then on.

        For templates: the values are recognised as the same object, which is kept so that no other takes its place.
        """
        key = (name, id(values), last)
        if key not in self._kept:
            self._kept[key] = values, self.render_text(name, {**values, "last": last})
        return self._kept[key][1]


def require_known_nos(cluster: Cluster) -> None:
    """Raise InputError, at each tier concerned, where a tier of switches runs a NOS without templates, or nobody knows
    what it calls the ports.
    """
    faults = [
        Diagnostic(
            "FG027",
            Severity.ERROR,
            f"there are no configuration templates for NOS '{tier.nos}', which {fabric.name} {tier.name} runs"
            if not has_templates(tier.nos, whole_fabric=fabric.protocol == "infiniband")
            else f"NOS '{tier.nos}', which {fabric.name} {tier.name} runs, claims nothing that it could be asked for "
            f"(`claims` in platforms/{tier.nos}.yaml)",
            tier.path,
            _suggest_rendered(cluster.design.catalog, tier.profile, fabric.protocol),
        )
        for fabric in cluster.design.fabrics
        for tier in fabric.tiers
        if not _is_configured(cluster.design.catalog, tier.nos, fabric.protocol)
    ]
    faults += cluster.port_names.faults if not faults else ()
    if faults:
        raise cluster.design.loaded.locate_error(InputError(faults))


def _is_configured(catalog: Catalog, nos: str, protocol: str) -> bool:
    """Whether a NOS has templates, and claims what switches of Ethernet are asked for."""
    if protocol == "infiniband":
        return has_templates(nos, whole_fabric=True)
    return has_templates(nos, whole_fabric=False) and bool(catalog.naming(nos).configuration.claims)


def _suggest_rendered(catalog: Catalog, switch: SwitchProfile, protocol: str) -> str:
    """What to do about a NOS without templates: run another on the switch, or build all but configurations."""
    rendered = known_nos(whole_fabric=protocol == "infiniband")
    alternatives = [nos for nos in catalog.list_usable_nos(switch) if nos in rendered]
    instead = f"run {' or '.join(alternatives)} on it, or " if alternatives else ""
    return f"{instead}build the other parts: --only devices,links,cables,addresses,bom"


def _make_sandbox(overrides: Path) -> BudgetedEnvironment:
    from fabricgen.render.overrides import sandboxed_environment

    return sandboxed_environment(overrides)


MOST_BYTES = 2_000_000
MOST_SWITCHES = 1000
"""Switches whose configurations are sure to be larger."""


def render_few_configs(cluster: Cluster) -> list[tuple[str, bytes]]:
    """(path, content) of every configuration, with references in place of secrets.

    Empty where they are larger than `MOST_BYTES` together, or where one cannot be rendered.
    """
    configs, size = list[tuple[str, bytes]](), 0
    if len(cluster.switch_rows()) > MOST_SWITCHES:
        return configs
    try:
        for path, content in render_configs(cluster):
            size += len(content)
            if size > MOST_BYTES:
                return []
            configs.append((path, content))
    except InputError:
        return []
    return configs
