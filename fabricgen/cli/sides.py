"""The sides of a comparison: a blueprint, a built folder or a bill, each also in a git revision."""

from __future__ import annotations

import errno
import hashlib
import os
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from fabricgen.cli.built_archives import BuiltPlaces, refuse_for_a_build, rename_in_messages
from fabricgen.cli.netbox import PREFIX as NETBOX
from fabricgen.cli.netbox import open_netbox
from fabricgen.cli.options import refuse_idle
from fabricgen.cli.output import read_prices, refuse_unbuildable, tell_idle_prices
from fabricgen.cluster import Cluster
from fabricgen.diff.affected import find_affected_switches
from fabricgen.diff.bill import BOM_FILE, RACKS_FILE, SUFFIXES, Bill, read_bom, read_built_bom
from fabricgen.diff.compare import ClusterChange, Side, compare_sides, pause_collector
from fabricgen.diff.configs import Configs, compare_configs
from fabricgen.diff.folder import DRAWN, read_lists, sum_power_counted_twice
from fabricgen.diff.git_tree import PREFIX, GitTree, open_tree
from fabricgen.diff.listing import COLUMNS, NUMBERS, Column, Listing, Lists, index_rows, make_column
from fabricgen.diff.renaming import RenamedConfigs, find_renamed_devices
from fabricgen.diff.sizing_figures import read_sizing_figures
from fabricgen.diff.texts import split_column
from fabricgen.export.files import addresses, bom, cables, devices, links, patches, racks
from fabricgen.export.table import ExportContext
from fabricgen.kernel.diagnostics import Span, fault
from fabricgen.kernel.text_input import MAX_BYTES, read_regular
from fabricgen.kernel.units import format_number
from fabricgen.lint.engine import list_impossible_findings
from fabricgen.numbering.lazy_columns import EncodedColumn, Strings
from fabricgen.pipeline import compile_cluster, compile_released
from fabricgen.publish.manifest import MANIFEST, ManifestEntry, is_left_beside
from fabricgen.publish.reading import PENDING, Built, Surroundings, explain_unreadable, open_built, refuse_unfinished
from fabricgen.reports.table import Table

if TYPE_CHECKING:
    from fabricgen.render.engine import Subject

_LISTS = (
    *("devices.csv", "links.csv", "cables.csv", "addresses.csv", "bom.csv", "patches.csv", "racks.csv"),
    *(MANIFEST, *PENDING),
)
"""The files that are read of a built folder in a revision, beside its configurations."""

_NOTED = 5
"""How many edited configurations of a side are named; further ones are counted."""


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """Options of `plan`: settings for either side, a file of unit prices, the user's templates, and whether to
    render every configuration.
    """

    old_sets: tuple[str, ...] = ()
    new_sets: tuple[str, ...] = ()
    allow_outside: bool = False
    price_file: Path | None = None
    templates: Path | None = None
    every_config: bool = False
    released: tuple[str, ...] = ()
    """Paths in the lock of the new side that are released, as by `lock --release`."""
    phases: tuple[str | None, str | None] = (None, None)
    """The phase of the old and of the new side; None for the whole cluster."""
    token: str | None = None
    """The token of a NetBox, as env:NAME."""
    plain_http: bool = False
    """Whether the token may go over plain http."""

    @property
    def prices(self) -> dict[str, float]:
        """Unit prices by part. Raises InputError (FG001, FG031) like `read_prices`."""
        return read_prices(self.price_file)


class _SideSettings(NamedTuple):
    """The options of one side that apply to a blueprint: `--set`, `--release` and a phase."""

    sets: tuple[str, ...]
    released: tuple[str, ...]
    phase: str | None


@dataclass(frozen=True, slots=True)
class _OpenedSide:
    """A side that was opened: `configs` is None if it has no configurations, `cluster` None for a built folder."""

    side: Side
    configs: Configs | None
    cluster: Cluster | None = None
    notes: tuple[str, ...] = ()


def compare_sources(old: str, new: str, options: PlanOptions) -> ClusterChange:
    """Open both sides and return how they differ, configurations included.

    Raises InputError for a side that cannot be used, and for a new one that `build` refuses; locations in a revision
    are shown as `git:REV:path:line:col`.
    """
    with ExitStack() as stack:
        stack.enter_context(pause_collector())
        shown: dict[str, str] = {}
        stack.enter_context(rename_in_messages(shown))
        settings = _SideSettings(options.new_sets, options.released, options.phases[1])
        if old.startswith(NETBOX):
            return _compare_with_netbox(old, _open_new_side(new, settings, options, stack, shown), options)
        was = _open_side(old, _SideSettings(options.old_sets, (), options.phases[0]), options, stack, shown)
        if was.cluster and list_impossible_findings(was.cluster):
            was = replace(was, notes=(*was.notes, f"{was.side.name} cannot be built; `fabricgen lint` says why"))
        now = _open_new_side(new, settings, options, stack, shown)
        rendered = was.cluster is not None or now.cluster is not None
        refuse_idle("templates", used=rendered, why="both sides are built folders")
        tell_idle_prices(options.price_file, *filter(None, (was.cluster, now.cluster)))
        renamed = find_renamed_devices(was.cluster, now.cluster) if was.cluster and now.cluster else {}
        change = compare_sides(was.side, now.side, options.prices, renamed)
        change = replace(change, notes=(*change.notes, *was.notes, *now.notes))
        if was.configs is None or now.configs is None:
            lacking = was if was.configs is None else now
            note = f"{lacking.side.name} has no configs, so these are not compared"
            return replace(change, notes=(*change.notes, note))
        affected_switches = None
        if was.cluster and now.cluster:
            affected_switches = find_affected_switches(was.cluster, now.cluster, change.devices, change.links)
        before = RenamedConfigs(was.configs, change.renamed)
        configs = compare_configs(before, now.configs, affected_switches, every=options.every_config)
        built = [(side.side.name, side.configs) for side in (was, now) if isinstance(side.configs, _BuiltConfigs)]
        edited = [note for name, side_configs in built for note in side_configs.list_notes(name)]
        return replace(change, configs=configs, notes=(*change.notes, *edited))


def _compare_with_netbox(url: str, now: _OpenedSide, options: PlanOptions) -> ClusterChange:
    """Return how a plan differs from what a NetBox holds of it. Raises InputError (FG164) if NetBox does not answer."""
    from fabricgen.push.held import Held

    if now.cluster is None:
        raise click.UsageError(f"{now.side.name} is compared with a NetBox as a blueprint, not as a built folder")
    if options.old_sets or options.phases[0]:
        raise click.UsageError("--set-old and --phase-old are of a blueprint, and OLD is a NetBox")
    if options.every_config:
        raise click.UsageError("a NetBox has no configurations for --configs, --stages, --rollback or changed-config")
    netbox = open_netbox(url, options.token, plain_http=options.plain_http)
    held = Held(netbox, now.cluster, now.side.lists)
    change = compare_sides(Side(url, held.make_lists()), now.side, renamed=held.renamed)
    notes = ("NetBox has no configurations and no bill of materials", *held.notes)
    return replace(change, optics=held.compare_optics(), notes=notes)


def read_raw_configs(
    source: str, devices: Collection[str], options: PlanOptions, stack: ExitStack
) -> Iterable[tuple[str, bytes]]:
    """Return (path, content) of the old side's configurations of some devices, with their secrets; () if it has none.

    Raises InputError like `compare_sources`, FG051 for a secret that cannot be resolved, FG054 for an edited file.
    """
    opened = _open_side(source, _SideSettings(options.old_sets, (), options.phases[0]), options, stack, {})
    if isinstance(opened.configs, _ClusterConfigs | _BuiltConfigs):
        return opened.configs.read_with_secrets(devices, allow_outside=options.allow_outside)
    return ()


def compare_with_cluster(old: str, new: str, cluster: Cluster, options: PlanOptions) -> ClusterChange:
    """Return how a compiled cluster, which was called `new`, differs from a side; configurations are not compared.

    Raises InputError like `compare_sources`.
    """
    with ExitStack() as stack:
        stack.enter_context(pause_collector())
        shown: dict[str, str] = {}
        stack.enter_context(rename_in_messages(shown))
        was = _open_side(old, _SideSettings(options.old_sets, (), options.phases[0]), options, stack, shown)
        now = Side(new, make_lists(cluster, options.prices), read_sizing_figures(cluster), options.new_sets)
        renamed = find_renamed_devices(was.cluster, cluster) if was.cluster else {}
        change = compare_sides(was.side, now, options.prices, renamed)
        return replace(change, notes=(*change.notes, *was.notes))


def _open_side(
    source: str, settings: _SideSettings, options: PlanOptions, stack: ExitStack, shown: dict[str, str]
) -> _OpenedSide:
    """Open a blueprint, a built folder or an archive of one, or a blueprint or built folder in a revision.

    Temporary copies go when `stack` closes; `shown` gets their paths, and the names that messages have for them. Raises
    UsageError for a NetBox, and for settings beside a build; InputError for what cannot be read or compiled.
    """
    if source.startswith(NETBOX):
        raise click.UsageError(f"{source} can be OLD of `plan` alone, with a blueprint as NEW")
    open_source = _open_in_revision if source.startswith(PREFIX) else _open_on_disk
    return open_source(source, settings, options, stack, shown)


def _open_in_revision(
    source: str, settings: _SideSettings, options: PlanOptions, stack: ExitStack, shown: dict[str, str]
) -> _OpenedSide:
    """Open `git:REV:path`, a blueprint or a built folder. Raises UsageError and InputError like `_open_side`."""
    tree = open_tree(source)
    temporary = os.path.realpath(stack.enter_context(tempfile.TemporaryDirectory(prefix="fabricgen-git-")))
    shown[f"{temporary}/"] = tree.shown
    if tree.is_folder:
        refuse_for_a_build(source, set=settings.sets, phase=settings.phase, release=settings.released)
        return _open_git_folder(source, tree, Path(temporary))
    blueprint = tree.write(Path(temporary), largest=MAX_BYTES, whole=options.allow_outside)
    return _open_blueprint(source, str(blueprint), settings, options, temporary, tree.commit)


def _open_on_disk(
    source: str, settings: _SideSettings, options: PlanOptions, stack: ExitStack, shown: dict[str, str]
) -> _OpenedSide:
    """Open a blueprint, a built folder or an archive of one. Raises UsageError and InputError like `_open_side`."""
    path = Path(BuiltPlaces(stack, shown).folder_of(source))
    if not path.is_dir():
        return _open_blueprint(source, source, settings, options)
    refuse_for_a_build(source, set=settings.sets, phase=settings.phase, release=settings.released)
    built = open_built(path)
    unknown = f"{source} has no {MANIFEST}, so whether its files are as they were built is not known"
    notes = (unknown,) if built.entries is None else ()
    return _OpenedSide(Side(source, read_lists(built)), _read_folder_configs(built), notes=notes)


def _open_blueprint(
    name: str, blueprint: str, settings: _SideSettings, options: PlanOptions, root: str = "", commit: str = ""
) -> _OpenedSide:
    """Compile the blueprint at a path as the side `name`; `root` is the folder into which the revision `commit` was
    written, and both are "" for a blueprint on disk. Raises InputError like `compile_side`.
    """
    cluster = compile_side(blueprint, settings.sets, options.allow_outside, root, settings.released, settings.phase)
    side = Side(name, make_lists(cluster, options.prices), read_sizing_figures(cluster), settings.sets, commit)
    return _OpenedSide(side, _ClusterConfigs(cluster, options.templates), cluster)


def _open_new_side(
    source: str, settings: _SideSettings, options: PlanOptions, stack: ExitStack, shown: dict[str, str]
) -> _OpenedSide:
    """Open the new side. Raises InputError if it is a blueprint that `build` refuses."""
    opened = _open_side(source, settings, options, stack, shown)
    if opened.cluster:
        refuse_unbuildable(opened.cluster)
    return opened


def compile_side(
    blueprint: str,
    sets: tuple[str, ...],
    allow_outside: bool,
    root: str,
    released: tuple[str, ...] = (),
    phase: str | None = None,
) -> Cluster:
    """Compile a blueprint. One of a revision, which is laid out in the folder `root` ("" for none), may read only files
    of that revision; raises InputError (FG045) for others.
    """
    design = compile_released(blueprint, released, sets, allow_outside=allow_outside)
    tables = [row.span for rows in design.loaded.guids.values() for row in rows[:1]]
    tables += [row.cells["device"] for row in design.loaded.inventory[:1]]
    for span in (*design.loaded.source.spans.values(), *tables) if root and allow_outside else ():
        file = os.path.realpath(span.file)
        if not span.file.startswith("--set") and not Path(file).is_relative_to(root):
            message = "an include leaves the repository, so it is not of that revision"
            raise fault("FG045", message, hint="move the file into the repository", span=span)
    return compile_cluster(design, phase)


def make_lists(cluster: Cluster, prices: Mapping[str, float]) -> Lists:
    """Return the lists that a build of a cluster would write."""
    patching = cluster.plan.patching
    return Lists(
        devices=convert_table(devices.make_table(cluster)),
        links=convert_table(links.make_table(cluster)),
        cables=convert_table(cables.make_table(cluster)),
        addresses=convert_table(addresses.make_table(cluster)),
        bom=convert_table(bom.make_table(cluster, ExportContext(prices=prices))),
        patches=convert_table(patches.make_table(cluster, patching)) if patching and len(patching.patches) else None,
        in_devices_w=sum_optics_in_devices(cluster),
    )


def sum_optics_in_devices(cluster: Cluster) -> float:
    """Return the power of optics, W, that the maxima of their devices include, as racks.csv of a build has it."""
    columns = racks.make_table(cluster).columns
    return sum_power_counted_twice([[str(cell) for cell in columns[name]] for name in DRAWN])


def convert_table(table: Table) -> Listing:
    """Return a table as text, with numbers spelled as in CSV."""
    numbers = NUMBERS | {"port", "connector"} if table.name == "patches" else NUMBERS
    return Listing({name: _convert_column(table.columns[name], spell=name in numbers) for name in COLUMNS[table.name]})


def _convert_column(cells: Sequence[Any], *, spell: bool) -> Column:
    """Return a column as text; texts that rows share are converted once."""
    if spell and isinstance(cells, EncodedColumn):
        return split_column(EncodedColumn(_spell_cells(cells.vocabulary), cells.codes))
    return _spell_cells(cells) if spell else split_column(cells)


def _spell_cells(cells: Sequence[Any] | Strings) -> Strings:
    """Return cells of a table as text."""
    return make_column([cell if isinstance(cell, str) else format_number(cell) for cell in cells])


@dataclass(frozen=True)
class _ClusterConfigs:
    """Configurations of a cluster, rendered on demand; switches whose NOS has no templates have none."""

    cluster: Cluster
    templates: Path | None

    def _list_subjects(self) -> dict[str, Subject]:
        """Return, by name, the switches (rows of the device table) and whole fabrics whose NOS has templates."""
        from fabricgen.render.engine import list_subjects
        from fabricgen.render.nos_protocol import known_nos

        devices_, nos_with_templates = self.cluster.plan.devices, known_nos(whole_fabric=False)
        return {
            name: subject
            for name, subject in list_subjects(self.cluster).items()
            if isinstance(subject, str) or devices_.classes[devices_.device_class[subject]].nos in nos_with_templates
        }

    def devices(self) -> Collection[str]:
        """Return the names of switches of Ethernet fabrics, and of InfiniBand fabrics as a whole."""
        return self._list_subjects()

    def digests(self) -> None:
        """Return None: digests are unknown before rendering."""

    def read_with_secrets(self, devices: Collection[str], *, allow_outside: bool) -> Iterable[tuple[str, bytes]]:
        """Render the files of some switches and fabrics with their secrets, as (path, content)."""
        from fabricgen.render.engine import make_render_options, render_rows
        from fabricgen.render.secrets import SecretStore

        store = SecretStore(self.cluster.design.loaded.folder, allow_outside=allow_outside)
        subjects = self._list_subjects()
        settings = make_render_options(self.cluster, overrides=self.templates, resolver=store)
        return render_rows(self.cluster, [subjects[d] for d in devices if d in subjects], settings)

    def read(self, devices: Collection[str]) -> Iterable[tuple[str, bytes]]:
        """Render the files of some switches and fabrics, as (path, content), with secrets masked."""
        from fabricgen.render.engine import RenderOptions, render_rows
        from fabricgen.render.secrets import mask_secrets, redact_secret, resolve_managements, resolve_span_keys

        subjects = self._list_subjects()
        settings = RenderOptions(
            self.templates,
            resolve_managements(self.cluster, redact_secret),
            resolve_span_keys(self.cluster, redact_secret),
        )
        files = render_rows(self.cluster, [subjects[d] for d in devices if d in subjects], settings)
        return ((path, mask_secrets(content)) for path, content in files)


@dataclass(frozen=True)
class _BuiltConfigs:
    """Configurations of a built folder, on disk or in the revision `tree`, as they stand.

    `edited` collects the paths of the files that were read and are not as they were built.
    """

    digest: Mapping[str, str]
    built: Built
    tree: GitTree | None = None
    edited: list[str] = field(default_factory=list)

    def devices(self) -> Collection[str]:
        """Return the names of the devices that have a folder in `configs/`."""
        return index_rows([path.split("/")[1] for path in self.digest])

    def digests(self) -> Mapping[str, str]:
        """Return digests by path from the manifest, or of the files if there is no manifest."""
        return self.digest

    def read_with_secrets(self, devices: Collection[str], *, allow_outside: bool) -> Iterable[tuple[str, bytes]]:  # noqa: ARG002
        """Yield the files of some devices with their secrets. Raises InputError (FG054) for an edited file."""
        for path, content in self._read_files(devices):
            self.built.check(path, content)
            yield path, content

    def read(self, devices: Collection[str]) -> Iterable[tuple[str, bytes]]:
        """Read the files of some devices, as (path, content), with secrets masked."""
        from fabricgen.render.secrets import mask_secrets

        return [(path, mask_secrets(content)) for path, content in self._read_files(devices)]

    def _read_files(self, devices: Collection[str]) -> Iterable[tuple[str, bytes]]:
        """Return (path, content) of all configurations of some devices, as they stand; edited files are noted."""
        paths = [path for path in self.digest if path.split("/")[1] in devices]
        contents = (
            {path: self.built.read_as_it_stands(path) for path in paths} if self.tree is None else self.tree.read(paths)
        )
        for path in paths:
            if path not in contents:
                raise explain_unreadable(self.built.folder / path, FileNotFoundError(errno.ENOENT, "No such file"))
            if self.built.is_edited(path, contents[path]):
                refuse_unfinished(self.built.folder)
                self.edited.append(path)
        return contents.items()

    def list_notes(self, side_name: str) -> Iterator[str]:
        """Yield notes on files that were read and are not as they were built."""
        for path in self.edited[:_NOTED]:
            yield f"{path} of {side_name} is not as built (sha256 differs from {MANIFEST}); it is compared as it stands"
        if len(self.edited) > _NOTED:
            yield f"{len(self.edited) - _NOTED:,} more configurations of {side_name} are not as built"


def _read_folder_configs(built: Built) -> Configs | None:
    """Return the configurations of a built folder; None if it has none."""
    if built.entries is not None:
        return _list_manifest_configs(built, built.entries)
    files = sorted(f for f in built.folder.glob("configs/*/*") if f.is_file())
    paths = [f.relative_to(built.folder).as_posix() for f in files]
    digest = {path: hashlib.sha256(built.read_as_built(path)).hexdigest() for path in paths}
    return _BuiltConfigs(digest, built) if digest else None


def _open_git_folder(spec: str, tree: GitTree, temporary: Path) -> _OpenedSide:
    """Open a built folder in a revision: its lists are written to a temporary folder, its configurations are read
    when needed. Raises InputError (FG045) for a folder without a manifest.
    """
    folder = write_tree_files(tree, temporary / tree.path, _LISTS)
    if not (folder / MANIFEST).is_file():
        hint = "name a blueprint, or a folder that `fabricgen build` wrote and that was committed whole"
        raise fault("FG045", f"{tree.path or '.'} has no {MANIFEST} in that revision", hint=hint, span=Span(spec, 1, 1))
    built = open_built(folder)
    side = Side(spec, read_lists(built), commit=tree.commit)
    return _OpenedSide(side, _list_manifest_configs(built, built.entries or {}, tree))


def write_tree_files(tree: GitTree, folder: Path, names: Iterable[str]) -> Path:
    """Write some files of a revision to a folder, and return the folder; files that the revision does not have are
    left out.
    """
    for name, content in tree.read(names).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def _list_manifest_configs(
    built: Built, entries: Mapping[str, ManifestEntry], tree: GitTree | None = None
) -> Configs | None:
    """Return the configurations that a manifest lists; None if it lists none."""
    configs = [path for path in entries if path.startswith("configs/") and path.count("/") == 2]
    digest = {path: built.find_digest(path) or "" for path in configs if not is_left_beside(path, entries)}
    return _BuiltConfigs(digest, built, tree) if digest else None


# Bills of materials to compare.


def read_bill(source: str, prices: Mapping[str, float], *, allow_outside: bool) -> Bill:
    """Return the bill of a blueprint, of a built folder, of a bom.csv or bom.json, or of `git:REV:` with one of these.

    Raises InputError for anything else; locations in a revision are shown as `git:REV:path:line:col`.
    """
    with ExitStack() as stack:
        shown: dict[str, str] = {}
        stack.enter_context(rename_in_messages(shown))
        if not source.startswith(PREFIX):
            return _read_bill(
                Path(BuiltPlaces(stack, shown).folder_of(source)), source, prices, allow_outside=allow_outside
            )
        tree = open_tree(source)
        temporary = os.path.realpath(stack.enter_context(tempfile.TemporaryDirectory(prefix="fabricgen-git-")))
        shown[f"{temporary}/"] = tree.shown
        if tree.is_folder:
            names = (BOM_FILE, RACKS_FILE, MANIFEST, *PENDING)
            return read_built_bom(open_built(write_tree_files(tree, Path(temporary) / tree.path, names)))
        if tree.path.endswith(SUFFIXES):
            file = PurePosixPath(tree.path)
            return read_bom(write_tree_files(tree, Path(temporary) / file.parent, (file.name,)) / file.name), None
        path = tree.write(Path(temporary), largest=MAX_BYTES, whole=allow_outside)
        return make_bill(compile_side(str(path), (), allow_outside, temporary), prices)


def _read_bill(path: Path, source: str, prices: Mapping[str, float], *, allow_outside: bool) -> Bill:
    """Return the bill of a built folder, a file or a blueprint; print a note if a file was edited after its build."""
    if path.is_dir():
        return read_built_bom(open_built(path))
    if path.suffix in SUFFIXES:
        bill, in_build = read_bom(path), Surroundings().of(path)
        if in_build is not None and in_build[0].is_edited(in_build[1], read_regular(path)):
            click.echo(
                f"{path} is not as built (sha256 differs from {MANIFEST}); it is compared as it stands", err=True
            )
        return bill, None
    return make_bill(compile_side(source, (), allow_outside, ""), prices)


def make_bill(cluster: Cluster, prices: Mapping[str, float]) -> Bill:
    """Return the bill that a build of a cluster would write."""
    return convert_table(bom.make_table(cluster, ExportContext(prices=prices))), sum_optics_in_devices(cluster)
