"""Rendering of the configurations of all switches: templates contain the text, and a module per NOS
gives the values.
"""

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

    `overrides` is a folder whose templates (`sonic/frr.conf.j2`) replace the built-in ones of the same path; all
    templates then run in a sandbox. `managements` and `spans` have the management settings and the long-haul spans by
    fabric, with their secrets filled in. `secrets` are the values that replace references; if there are any, the error
    of a template that fails does not repeat values. `passwords` has those of BGP sessions by reference.
    """

    overrides: Path | None = None
    managements: Mapping[str, Management] = field(default_factory=dict)
    spans: Mapping[str, tuple[SpanIntent, ...]] = field(default_factory=dict)
    secrets: frozenset[bytes] = frozenset()
    passwords: Mapping[str, str] = field(default_factory=dict)


def make_render_options(
    cluster: Cluster, *, overrides: Path | None = None, resolver: SecretResolver = redact_secret
) -> RenderOptions:
    """Check that all switches can be rendered, and resolve secrets.

    Raises InputError for a tier whose NOS has no templates, for two subjects of the same name, and for a secret that
    cannot be resolved.
    """
    require_known_nos(cluster)
    list_subjects(cluster)
    secrets = set[bytes]()

    def remembered(reference: str, kind: SecretKind, path: Place) -> str:
        """Resolve a secret, and remember it as one that files contain."""
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
    """Return what is rendered, by the name of its folder, in the order of rendering: switches and whole fabrics.

    Raises InputError if a fabric that gets files has the same name as a switch that does.
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
    """Return a function that yields (path, content) of the files of a subject; texts that subjects share are rendered
    once.

    Raises InputError (FG018, FG026) if the port names of a NOS are unknown for one of its switches.
    """
    if unnamed := cluster.port_names.faults:
        raise cluster.design.loaded.locate_error(InputError(unnamed))
    renderer = Renderer(options)
    switch_files = renderer.make_switch_renderer(cluster, [row for row in subjects if isinstance(row, int)])

    def render_subject(row: Subject) -> Iterator[tuple[str, bytes]]:
        """Yield the files of a switch (its row) or a whole fabric (its name); errors get their place in the
        blueprint.
        """
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
    """Whether the user's trees can be merged into the text of a file: False if `with_trees` raises one of
    SNIPPET_ERRORS.

    `judge` is the catalogue by which the result is checked as well, None for no check.
    """
    try:
        nos.with_trees(file, text, trees, judge)
    except SNIPPET_ERRORS:
        return False
    return True


class Renderer:
    """Renders templates, and caches the texts that several switches share."""

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
        """Return a function that yields (path, content) of the files of a switch, given its row in the device table.

        With templates of the user's, each switch is rendered separately: such a template may branch on values that the
        built-in ones only print, so that the text of one switch says nothing about another.
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

        Raises InputError if the catalogue lacks data that the NOS needs, for an overriding template that fails, and for
        a snippet that cannot be placed.
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
        """Yield (path, text) of each file; `once` renders the tables that switches share."""
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
        """Return the text of a file with the user's trees merged in; raises InputError if they cannot be merged."""
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
        """Return the catalogue by which to check a user's trees.

        Returns None if the same trees were checked in this file of another switch of the tier: switches of a tier are
        alike.
        """
        key = (view.tier.key, file, *(snippet.path for snippet in trees))
        new = key not in self._judged
        self._judged.add(key)
        return catalog if new else None

    def fill_in_secrets(self, view: SwitchView) -> SwitchView:
        """Return the switch with its resolved secrets; those of the fabric are filled in once for all its switches."""
        fabric = view.fabric
        if view.exits.peers:
            view = replace(view, exits=fill_in_passwords(view.exits, self._passwords))
        if fabric.name not in self._managements:
            return view
        if fabric.name not in self._intents:
            spans = self._spans.get(fabric.name, fabric.spans)
            self._intents[fabric.name] = fabric._replace(management=self._managements[fabric.name], spans=spans)
        return replace(view, fabric=self._intents[fabric.name])

    def render_text(self, name: str, values: Mapping[str, Any]) -> str:
        """Render the template at a path with values."""
        if self._user_templates is None:
            return self._environment.get_template(name).render(values)
        from fabricgen.render.overrides import render_guarded

        return render_guarded(self._user_templates, name, values, tells=self._tells)

    def render_once(self, name: str, values: Mapping[str, Any], last: bool) -> str:
        """Render a template with values that switches share the first time, and return the same text from then on.

        Templates call it. `last` is passed on to the template: whether its table is the last one of the file. Values
        are recognised by identity, so they are kept: no other object can get the same id.
        """
        key = (name, id(values), last)
        if key not in self._kept:
            self._kept[key] = values, self.render_text(name, {**values, "last": last})
        return self._kept[key][1]


def require_known_nos(cluster: Cluster) -> None:
    """Raise InputError, at each tier concerned, for a NOS that has no templates or whose port names are unknown."""
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
    """Whether a NOS has templates for the switches of a fabric of `protocol`: for `infiniband`, templates of whole
    fabrics.

    A NOS of other switches must also claim, in the catalogue, the intents that all Ethernet switches need.
    """
    if protocol == "infiniband":
        return has_templates(nos, whole_fabric=True)
    return has_templates(nos, whole_fabric=False) and bool(catalog.naming(nos).configuration.claims)


def _suggest_rendered(catalog: Catalog, switch: SwitchProfile, protocol: str) -> str:
    """Return a hint for a switch whose NOS has no templates: run another NOS on it, or build all parts but
    configurations.

    `protocol` is that of its fabric, such as `infiniband`.
    """
    rendered = known_nos(whole_fabric=protocol == "infiniband")
    alternatives = [nos for nos in catalog.list_usable_nos(switch) if nos in rendered]
    instead = f"run {' or '.join(alternatives)} on it, or " if alternatives else ""
    return f"{instead}build the other parts: --only devices,links,cables,addresses,bom"


def _make_sandbox(overrides: Path) -> BudgetedEnvironment:
    """Return the environment of a user's templates; its module is imported only if there are some."""
    from fabricgen.render.overrides import sandboxed_environment

    return sandboxed_environment(overrides)


MOST_BYTES = 2_000_000
MOST_SWITCHES = 1000
"""Switches whose configurations are sure to be larger."""


def render_few_configs(cluster: Cluster) -> list[tuple[str, bytes]]:
    """Return (path, content) of every configuration, with references in place of secrets.

    Empty if they are larger than `MOST_BYTES` together, or if one cannot be rendered.
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
