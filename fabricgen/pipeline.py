"""The pipeline: from a blueprint to the design, to the cluster, and to the parts of a build."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from fabricgen import __version__
from fabricgen.blueprint.load import LoadedBlueprint, load_blueprint
from fabricgen.design.build import build_design
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Severity, did_you_mean, fault

if TYPE_CHECKING:
    from fabricgen.catalog.loader import Catalog
    from fabricgen.cluster import Cluster
    from fabricgen.export.table import ExportContext, FrrLab
    from fabricgen.lock.found import Source
    from fabricgen.publish import Content, FileBundle

CONFIGS = "configs"
"""The part that is rendered from templates; all others are exports."""
ROWS_PER_SWITCH = 400
"""Rows of a table that take as long to write as the configuration of one switch."""


class BuildOptions(NamedTuple):
    """Options of a build: names of parts (empty: the usual ones), folder of overriding templates, unit prices by part.

    `redact_secrets` writes references in place of secrets; `allow_outside` permits secret files outside the folder of
    the blueprint.
    """

    parts: tuple[str, ...] = ()
    templates: Path | None = None
    prices: Mapping[str, float] = {}
    redact_secrets: bool = False
    allow_outside: bool = False


def compile_design(
    blueprint: str,
    sets: Sequence[str] = (),
    *,
    allow_outside: bool = False,
    settings: Path | None = None,
    unsaved: Mapping[str, bytes] | None = None,
    advise: bool = True,
    catalog: Catalog | None = None,
) -> Design:
    """Read, validate and size a blueprint; raises InputError where it cannot be used or cannot be wired.

    Without `advise` its hints name no changes that were tried and fit, which takes far longer than sizing. `catalog` is
    that of its folder, for those who compile many blueprints there.
    """
    loaded = load_blueprint(blueprint, sets, allow_outside=allow_outside, settings=settings, unsaved=unsaved)
    return build_design(loaded, advise=advise, catalog=catalog)


def compile_with_room(
    refusal: InputError, blueprint: str, sets: Sequence[str], *, allow_outside: bool, settings: Path | None
) -> Design | None:
    """Return the design of a blueprint that was refused for a lack of ports alone, as if there were enough ports.

    `refusal` is the error that `compile_design` raised. Return None if the blueprint has other faults as well.
    """
    from fabricgen.design.advice.hints import SHORTAGES
    from fabricgen.design.build import build_with_more_ports

    if any(diagnostic.code not in SHORTAGES for diagnostic in refusal.diagnostics):
        return None
    return build_with_more_ports(load_blueprint(blueprint, sets, allow_outside=allow_outside, settings=settings))


def compile_adopted(
    blueprint: str,
    files: Sequence[str],
    released: Sequence[str] = (),
    *,
    allow_outside: bool = False,
    sources: Sequence[Source] = (),
    told: Callable[[str], None] = print,
) -> Design:
    """As `compile_released`, with the names and numbers of a running fabric, in `files` and `sources`, adopted.

    `told` is told what of these cannot be kept.
    """
    from fabricgen.lock.adoption import adopt_lists

    return adopt_lists(compile_released(blueprint, released, allow_outside=allow_outside), files, sources, told)


def compile_released(
    blueprint: str, paths: Sequence[str], sets: Sequence[str] = (), *, allow_outside: bool = False
) -> Design:
    """As `compile_design`, with the holes of the lock below some paths, and sizes of tiers that they name, released.

    A hole is a number that the lock keeps for something that no longer exists. Without paths nothing is released.
    """
    from fabricgen.design.kept.release import EVERYTHING, names_holder, names_size, release_paths
    from fabricgen.design.kept.remembered import add_sizes

    loaded = load_blueprint(blueprint, sets, allow_outside=allow_outside)
    if not paths:
        return build_design(loaded)
    if loaded.lock.blueprint and any(names_size(path) for path in paths):
        loaded = replace(loaded, lock=add_sizes(build_design(loaded)))
    named = [path for path in paths if names_holder(loaded.lock, path)]
    if named:
        loaded = replace(loaded, lock=release_paths(loaded.lock, named, {}))
    other_paths = [path for path in paths if path not in named]
    if other_paths:
        before, loaded = loaded.lock, _release_places(loaded, other_paths)
        cluster = compile_cluster(build_design(loaded))
        unused = cluster.holes_of(loaded.lock)
        done = before != loaded.lock and not unused
        to_release = [
            path for path in other_paths if not path.startswith(("pods", "sites")) and not (path == EVERYTHING and done)
        ]
        loaded = replace(loaded, lock=release_paths(loaded.lock, to_release, unused))
    return build_design(loaded)


def _release_places(loaded: LoadedBlueprint, paths: Sequence[str]) -> LoadedBlueprint:
    """The blueprint with holes of pods, units and sites released; without that, wiring may be impossible."""
    from fabricgen.catalog.loader import Catalog
    from fabricgen.design.kept.release import EVERYTHING, find_holes, release_paths, select_place_holes
    from fabricgen.design.layout import lay_out

    layout = lay_out(loaded.blueprint, Catalog(loaded.folder / "catalog"), loaded.lock)
    unused = select_place_holes(find_holes(loaded.lock, layout.numbering.used, layout, {}))
    chosen = [path for path in paths if path == EVERYTHING or path.startswith(("pods", "sites"))]
    if EVERYTHING in chosen and not unused:
        chosen.remove(EVERYTHING)
    return replace(loaded, lock=release_paths(loaded.lock, chosen, unused)) if chosen else loaded


def list_all_parts() -> tuple[str, ...]:
    """Return the names of all parts, sorted, including those written only on request and those of plug-ins."""
    from fabricgen.plugins.outputs import list_output_names

    return tuple(sorted({*_list_own_parts(), *list_output_names()}))


def _list_own_parts() -> tuple[str, ...]:
    # the names of all parts that a build can have of this package, those made on request too
    from fabricgen.export.table import list_part_names
    from fabricgen.plugins.outputs import list_addon_names

    return *list_part_names(on_request=True), *list_addon_names(), CONFIGS


def list_usual_parts() -> tuple[str, ...]:
    """Return the names of the parts that a build without `--only` writes, sorted."""
    from fabricgen.export.table import list_part_names

    return tuple(sorted((*list_part_names(on_request=False), CONFIGS)))


def check_parts(names: Iterable[str]) -> frozenset[str]:
    """Return part names as a set.

    Raises InputError for one that does not exist (FG030), or that a plug-in has and another or fabricgen too (FG870).
    """
    from fabricgen.plugins.outputs import check_output, list_output_names

    chosen = frozenset(names)
    for name in sorted(chosen - set(list_all_parts())):
        raise fault("FG030", f"there is no part '{name}'", hint=did_you_mean(name, list_all_parts()))
    for name in sorted(chosen & list_output_names()):
        check_output(name, _list_own_parts())
    return chosen


def make_header(design: Design) -> dict[str, object]:
    """Return the header of a manifest: our version (`fabricgen`), and the name and digest of the blueprint."""
    return {
        "fabricgen": __version__,
        "blueprint": design.loaded.blueprint.name,
        "digest": design.loaded.digest,
    }


def build_bundles(
    cluster: Cluster,
    counts: Callable[[], Mapping[str, int]],
    options: BuildOptions,
    findings: Callable[[], Sequence[Diagnostic]] = tuple,
) -> list[FileBundle]:
    """The bundles of a build, part by part: each makes its files when asked. A table, or a switch, is one bundle.

    `counts` returns counts by severity, `findings` the findings, for parts that print them. Raises InputError where a
    switch has no templates or port table.
    """
    from fabricgen.export.table import ExportContext, list_part_names

    context = ExportContext(
        counts,
        options.prices,
        findings,
        partial(_render_few_configs, cluster),
        partial(_list_lanes, cluster),
        partial(_plan_frr_lab, cluster, options),
    )
    bundles: list[FileBundle] = []
    for name in sorted(check_parts(options.parts) or list_usual_parts()):
        if name == CONFIGS:
            bundles += _bundle_configs(cluster, options)
        elif name in list_part_names(on_request=True):
            bundles += _bundle_exports(name, cluster, context)
        else:
            bundles.append(_bundle_output(name, cluster))
    return bundles


def _bundle_output(name: str, cluster: Cluster) -> FileBundle:
    """A part that an add-on or another package makes, at a guess as much work as links.csv."""
    from fabricgen.plugins.outputs import make_output_files
    from fabricgen.publish import FileBundle

    make = partial(make_output_files, name, cluster)
    return FileBundle(name, name, make, cost=1 + len(cluster.plan.links) // ROWS_PER_SWITCH)


def _bundle_exports(name: str, cluster: Cluster, context: ExportContext) -> Iterator[FileBundle]:
    """An exported part as one bundle, or as one for each of its portions."""
    from fabricgen.export.table import HasPortions, HasRows, TellsFindings, load_part
    from fabricgen.publish import FileBundle

    module = load_part(name)
    if isinstance(module, HasPortions):
        for portion in module.portions(cluster):
            yield FileBundle(name, portion.key, portion.make, cost=1 + portion.rows // ROWS_PER_SWITCH)
    else:
        make = partial(_make_export, name, cluster, context)
        rows = module.rows(cluster) if isinstance(module, HasRows) else len(cluster.plan.links)
        prepare = context.findings if isinstance(module, TellsFindings) else None
        yield FileBundle(name, name, make, cost=1 + rows // ROWS_PER_SWITCH, prepare=prepare)


def _make_export(name: str, cluster: Cluster, context: ExportContext) -> Iterable[tuple[str, Content]]:
    from fabricgen.export.table import load_part

    return load_part(name).files(cluster, context)


def _bundle_configs(cluster: Cluster, options: BuildOptions) -> list[FileBundle]:
    # configurations of all switches; secrets are resolved, or references in their place
    from fabricgen.render.bundles import make_config_bundles
    from fabricgen.render.engine import make_render_options
    from fabricgen.render.secrets import SecretStore, redact_secret

    store = SecretStore(cluster.design.loaded.folder, allow_outside=options.allow_outside)
    resolver = redact_secret if options.redact_secrets else store
    settings = make_render_options(cluster, overrides=options.templates, resolver=resolver)
    return make_config_bundles(cluster, settings, CONFIGS)


def _render_few_configs(cluster: Cluster) -> list[tuple[str, bytes]]:
    from fabricgen.render.engine import render_few_configs

    return render_few_configs(cluster)


def _list_lanes(cluster: Cluster, rows: Sequence[int]) -> Mapping[tuple[str, str], tuple[str, str]]:
    from fabricgen.render.ports import find_port_lanes

    return find_port_lanes(cluster, rows)


def _plan_frr_lab(cluster: Cluster, options: BuildOptions) -> FrrLab:
    """What FRR runs of the configurations of a build, with references in place of secrets."""
    from fabricgen.lab.start import plan_frr_lab

    parts = options._replace(parts=("addresses", CONFIGS, "devices", "links"), redact_secrets=True)
    files = (file for bundle in build_bundles(cluster, dict, parts) for file in bundle.make())
    return plan_frr_lab({path: (text if isinstance(text, bytes) else b"".join(text)).decode() for path, text in files})


def find_hidden_safety(cluster: Cluster, templates: Path | None) -> tuple[Diagnostic, ...]:
    """Return findings about overriding templates that drop safety settings; none if `templates` is None.

    Raises InputError if a template fails.
    """
    if templates is None:
        return ()
    from fabricgen.render.engine import make_render_options
    from fabricgen.render.safety import find_lost_safety_lines

    return tuple(find_lost_safety_lines(cluster, make_render_options(cluster, overrides=templates)))


def collect_other_findings(
    cluster: Cluster,
    templates: Path | None,
    wanted: Callable[[str], bool] = lambda _: True,
    *,
    configured: bool = True,
) -> tuple[Diagnostic, ...]:
    """Return the findings that `lint` adds to those of its own rules.

    They are switch ports without names for configurations (warnings if `configured` is false), overriding templates
    that drop safety lines, and findings of plug-ins whose codes are wanted and that the project does not ignore.
    Raises InputError if a template or a plug-in (FG870) fails.
    """
    from fabricgen.lint.engine import LintSettings
    from fabricgen.plugins.rules import list_plug_in_findings

    project = LintSettings().combine_with(cluster.design.loaded.project.lint)
    of_plug_ins = list_plug_in_findings(cluster, lambda code: wanted(code) and project.wants(code))
    unnamed = _find_unnamed_ports(cluster) if configured else warn_of_face_names(cluster)
    return (
        *find_hidden_safety(cluster, templates),
        *(fault_found for fault_found in unnamed if wanted(fault_found.code)),
        *of_plug_ins,
    )


def warn_of_face_names(cluster: Cluster) -> tuple[Diagnostic, ...]:
    """Return warnings about switches whose ports are named in lists as on the face of the switch.

    That is so if nobody knows what the NOS calls them.
    """
    instead = "lists name its ports as on the face"
    return tuple(
        replace(diagnostic, severity=Severity.WARNING, message=f"{diagnostic.message}; {instead}")
        for diagnostic in _find_unnamed_ports(cluster)
    )


def _find_unnamed_ports(cluster: Cluster) -> tuple[Diagnostic, ...]:
    return cluster.design.loaded.locate_error(InputError(cluster.port_names.faults)).diagnostics


def check_names(design: Design) -> None:
    """Raise InputError where the blueprint names single things that are not there, or a leak shares the subnet of a
    leaf; links are expanded for the latter alone.
    """
    if design.loaded.names_single_things or any(leak.meeting for leak in design.leaks):
        from fabricgen.views.stated_names import check_stated_names

        check_stated_names(design)


def require_snippets_fit(cluster: Cluster) -> None:
    """Render a switch of each tier that has snippets, and each that has its own.

    Raises InputError (FG052) as a build would. Secrets are not looked up. Without snippets nothing is rendered.
    """
    from fabricgen.design.snippets import list_snippets

    if not any(True for _ in list_snippets(cluster.design.loaded.blueprint)):
        return
    from fabricgen.render.engine import Renderer, make_render_options

    renderer = Renderer(make_render_options(cluster))
    rendered: set[object] = set()
    for row in cluster.switch_rows():
        view = cluster.switch(row)
        key = (view.tier.key, tuple(snippet.path for snippet in view.snippets))
        if key in rendered or not view.snippets:
            continue
        rendered.add(key)
        try:
            for _ in renderer.files(view, cluster.design.catalog):
                pass
        except InputError as error:
            raise cluster.design.loaded.locate_error(error) from error


def compile_cluster(
    design: Design, phase: str | None = None, *, lab: str | None = None, judged: bool = False
) -> Cluster:
    """Expand a design into every device, link and address, or into those that are there at a phase or in a lab (`2su`).

    Raises InputError if a pool or rack is too small, for a phase that the blueprint does not name, and for a lab that
    cannot be cut out of the cluster (FG157). Unless `judged`, raises InputError as well if a figure is not what the
    blueprint expects of the whole (FG819, FG820).
    """
    from fabricgen.cluster import build_cluster
    from fabricgen.design.capacity.expected import require_expected

    if not judged:
        require_expected(design)
    if lab is not None:
        from fabricgen.phases.tables import build_lab

        cluster = build_lab(design, lab, phase)
    elif phase is None:
        cluster = build_cluster(design)
    else:
        from fabricgen.phases.tables import build_at_phase

        cluster = build_at_phase(design, phase)
    if not judged and design.loaded.blueprint.expect.needs_the_plan:
        from fabricgen.analyze.expected import require_expected as require_expected_of_plan

        require_expected_of_plan(cluster)
    return cluster
