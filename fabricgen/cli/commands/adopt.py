"""`fabricgen adopt`: the page of a cluster that runs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fabricgen.cli.netbox import open_netbox, token_option
from fabricgen.cli.options import complete_files, output_option, refuse_idle

if TYPE_CHECKING:
    from fabricgen.adopt.adopting import Adoption
    from fabricgen.adopt.facts import Facts
    from fabricgen.cluster import Cluster
    from fabricgen.verify.report import Report

_CANDIDATES = 8
"""Profiles that are listed where several fit."""


@click.command()
@click.argument("dumps", metavar="DUMP...", nargs=-1, shell_complete=complete_files)
@click.option(
    "--cables",
    multiple=True,
    metavar="CSV|DOT",
    help="A list of cables: links.csv, cables.csv, device,port,neighbor,neighbor_port, or PTM's topology.dot; may be "
    "repeated.",
)
@click.option(
    "--netbox",
    multiple=True,
    metavar="URL|CSV",
    help="A NetBox: its devices and cables; or lists of them, as NetBox exports or imports them, or a "
    "devices.csv: models, racks, platforms; may be repeated.",
)
@click.option("--site", "sites", multiple=True, help="A site of the NetBox at a URL; may be repeated.  [default: all]")
@token_option()
@click.option(
    "--configs",
    metavar="DIR",
    help="Running configurations: models, NOSes, and all that a page says of routing, "
    "addresses, tenants, QoS and services.",
)
@click.option(
    "--model",
    "stated",
    multiple=True,
    metavar="PATTERN=PROFILE",
    help="What devices of such names are in the catalogue, e.g. 'leaf-*=sn5600'; may be repeated.",
)
@click.option("--name", default="adopted", show_default=True, help="What the cluster is called.")
@click.option("--format", "form", type=click.Choice(("text", "json")), default="text", help="Of what is told.")
@output_option
@click.option("--jobs", type=click.IntRange(1, 256), default=None, help="Processes at work.  [default: processors]")
def command(
    dumps: tuple[str, ...],
    cables: tuple[str, ...],
    netbox: tuple[str, ...],
    sites: tuple[str, ...],
    token: str | None,
    plain_http: bool,
    configs: str | None,
    stated: tuple[str, ...],
    name: str,
    form: str,
    output: str,
    jobs: int | None,
) -> int:
    """Find the page of a cluster that runs, from what its devices say of their neighbours and lists tell of them.

    DUMPs are those of `verify`: tables of LLDP and InfiniBand, in files, folders or archives. -o is the page, which
    is then built and held against them; what was inferred from how many facts, and what was not, goes to standard
    output, or to standard error where that has the page. Exits with 0 where all that was seen comes back, with 1 where
    something does not.
    """
    from fabricgen.adopt.adopting import UndecidedError, adopt, is_whole, write_json, write_text
    from fabricgen.adopt.configurations import gather_configurations
    from fabricgen.adopt.proof import PAGE
    from fabricgen.adopt.words import write_files
    from fabricgen.catalog.loader import Catalog
    from fabricgen.cli.output import write_output
    from fabricgen.diff.compare import pause_collector

    _check_options(bool(dumps or cables or netbox or configs), name, output)
    urls = [source for source in netbox if "://" in source]
    refuse_idle("sites", "token", "plain_http", used=bool(urls), why="no --netbox is a URL")
    folder = Path(output).parent if output != "-" else Path()
    models = [_read_model(text) for text in stated]
    sources = [_read_netbox(url, token, sites, plain_http=plain_http) for url in urls]
    try:
        configurations = gather_configurations(configs) if configs else None
        catalog, file = Catalog(folder / "catalog"), output if output != "-" else PAGE
        # a large cluster is millions of tuples: a quarter of the time
        with pause_collector():
            lists = [source for source in (*netbox, *cables) if source not in urls]
            found = adopt(name, dumps, lists, sources, models, catalog, jobs or 0, configurations, file)
    except UndecidedError as error:
        raise click.UsageError(
            "\n".join(_write_question(q.what, q.candidates, q.hint) for q in error.questions)
        ) from None
    files = write_files(found.words, output, _write_comments(found))
    report = _verify_dumps(found, dumps, jobs or 0)
    told = write_text(found, report) if form == "text" else write_json(found, report, files[output].decode())
    click.echo(told, err=output == "-", nl=False)
    for path, content in files.items():
        if output != "-" or path == output:
            write_output(path, content)
        elif form == "text":
            click.echo(f"note: the page names {path}: -o FILE writes it beside, --format json has its rows", err=True)
    cluster = _keep_numbers(found, output)
    differences = _count_differences(cluster, configs, jobs or 0) if cluster and configs else 0
    if differences:
        click.echo(f"{differences:,} differences are left: fabricgen check {output} --running {configs}", err=True)
    return 0 if is_whole(found) and not differences and not (report and report.actions) else 1


def _check_options(has_inputs: bool, name: str, output: str) -> None:
    """Raise click.UsageError if nothing is to be adopted, a file would be overwritten, or `name` is no name of a
    cluster.

    `has_inputs` says whether dumps or lists were named. Neither `output` (`-` for standard output) nor the lock beside
    it may exist.
    """
    from fabricgen.blueprint.beside.lock import find_lock_path
    from fabricgen.blueprint.scalars import NAME_PATTERN

    if not has_inputs:
        raise click.UsageError("nothing to adopt: give dumps, or a list with --cables")
    if kept := next((p for p in (output, find_lock_path(output)) if output != "-" and p and Path(p).exists()), None):
        raise click.UsageError(f"{kept} exists; it is left as it is: name another file")
    if not re.fullmatch(NAME_PATTERN[1:-1], name):
        raise click.UsageError(
            f"--name {name}: lower-case letters, digits and '-', a letter first, at most 32 characters"
        )


def _read_netbox(url: str, token: str | None, sites: tuple[str, ...], *, plain_http: bool) -> Facts:
    """Return what a NetBox has of some sites, or of all if none are named."""
    target = open_netbox(url, token, plain_http=plain_http)
    from fabricgen.push.facts import read_netbox_facts

    return read_netbox_facts(target, sites or None)


def _count_differences(cluster: Cluster, folder: str, jobs: int) -> int:
    """Return the number of errors that `check --running` finds between the configurations in a folder and those of the
    page.
    """
    from fabricgen.kernel.diagnostics import Severity
    from fabricgen.verify.drift.checking import check_running
    from fabricgen.verify.drift.planned import RenderedConfigs

    findings = check_running(folder, RenderedConfigs(cluster), jobs).list_findings()
    return sum(finding.severity >= Severity.ERROR for finding in findings)


def _keep_numbers(found: Adoption, output: str) -> Cluster | None:
    """Write the lock beside the page that was adopted, and return the cluster that page and lock give.

    The lock keeps every number that was read. Numbers that no rule of the page gives are also written to a list beside
    it, `NAME.numbers.csv`. Numbers that the page cannot take are left out of the lock, and their errors are printed.
    Without a cluster (None), or with the page on standard output, nothing is written.
    """
    from fabricgen.blueprint.beside.lock import find_lock_path
    from fabricgen.cli.lock_file import write_lock
    from fabricgen.cli.output import write_output
    from fabricgen.kernel.diagnostics import InputError
    from fabricgen.pipeline import compile_adopted, compile_cluster
    from fabricgen.reports.table import Table, write_table

    cluster, rows, path = found.cluster, found.settings.lock if found.settings else [], find_lock_path(output)
    if cluster is None or path is None:
        return cluster
    file, refused = f"{output.removesuffix('.yaml')}.numbers.csv", False
    while rows:
        columns = {key: [row.get(key, "") for row in rows] for key in dict.fromkeys(k for row in rows for k in row)}
        write_output(file, write_table(Table("numbers", columns), "csv"), updates=True)
        try:
            cluster = compile_cluster(compile_adopted(output, [file]))
            break
        except InputError as error:
            # the page cannot take some: the others are kept without them. Rows begin at line 2, after the header
            lines = {d.span.line for d in error.diagnostics if d.span and d.span.file == file}
            rows, refused = [row for line, row in enumerate(rows, 2) if lines and line not in lines], True
            for diagnostic in error.diagnostics:
                click.echo(diagnostic.text(), err=True)
    if refused:
        click.echo(f"{path} is without the numbers that are refused; rules of the page give others", err=True)
    if rows:
        click.echo(f"{file} has what no rule gives; {path} keeps it", err=True)
    write_lock(path, cluster.lock)
    return cluster


def _read_model(text: str) -> tuple[str, str]:
    """Return (pattern of device names, profile) of a text such as `leaf-*=sn5600`. Raises UsageError for any other."""
    pattern, mark, profile = text.partition("=")
    if not (pattern and mark and profile):
        raise click.UsageError(f"--model {text}: write PATTERN=PROFILE, for example 'leaf-*=sn5600'")
    return pattern, profile


def _write_question(what: str, candidates: tuple[str, ...], hint: str) -> str:
    """Return the line that asks for what was not found out: `what` it is, the profiles that fit, and how to state it.

    `candidates` is () if no profile is known to fit; `hint` is an example of the option that states it.
    """
    from fabricgen.verify.sightings import list_few

    profiles = f" ({list_few(candidates, _CANDIDATES)})" if candidates else ""
    return f"{what}{profiles}; state it, e.g. {hint}, or give a list of devices with --netbox"


def _write_comments(found: Adoption) -> tuple[str, str]:
    """Return the two lines of comment above a page: the schema for editors, and how many links and devices it was made
    from.
    """
    made = f"Adopted from {len(found.facts.links):,} links of {len(found.facts.devices):,} devices"
    return (
        "yaml-language-server: $schema=blueprint.schema.json",
        f"{made}; `fabricgen schema` writes its schema.",
    )


def _verify_dumps(found: Adoption, dumps: tuple[str, ...], jobs: int) -> Report | None:
    """Return what `verify` says of the dumps, held against the page; None if there is nothing to say.

    There is nothing to say without dumps or without a cluster, and if the page gives all links and dumps have seen all
    of them. A link that only a list has is verified, as dumps may say that it is dark.
    """
    from fabricgen.adopt.adopting import is_whole
    from fabricgen.adopt.facts import SEEN
    from fabricgen.verify.planned import make_plan
    from fabricgen.verify.report import VerifyRequest
    from fabricgen.verify.verification import verify

    if not dumps or not found.cluster or (is_whole(found) and all(link.kinds & SEEN for link in found.facts.links)):
        return None
    return verify(make_plan(found.cluster), dumps, VerifyRequest(), jobs).report
