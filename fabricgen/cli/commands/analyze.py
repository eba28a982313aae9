"""`fabricgen analyze`: what a cluster will do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from fabricgen.cli.options import complete_files, output_option, phase_option, reading_options, refuse_idle
from fabricgen.kernel import discovery
from fabricgen.kernel.units import parse_size

if TYPE_CHECKING:
    from fabricgen.analyze.asked import Job
    from fabricgen.analyze.network import Network
    from fabricgen.cluster import Cluster
    from fabricgen.verify.actions import Diagnosis

SECTIONS = discovery.list_modules("fabricgen.analyze.sections")
_OF_A_SECTION = {"sizes": "collectives", "trials": "load_balance", "seed": "load_balance", "pairs": "failures"}
"""Options of one section alone."""


class Sizes(click.ParamType):  # type: ignore[type-arg]
    """Sizes of messages: 1M,256M,8G, in powers of 1024 bytes."""

    name = "SIZE,..."

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        """Return the sizes in bytes; raises BadParameter, which says what would be right, for text that is no list of
        sizes.
        """
        if isinstance(value, tuple):
            return value
        try:
            return tuple(parse_size(text) for text in str(value).split(","))
        except ValueError as error:
            self.fail(str(error), param, ctx)


@click.command()
@click.argument("blueprints", metavar="BLUEPRINT...", nargs=-1, required=True, shell_complete=complete_files)
@reading_options
@phase_option
@click.option("--section", "sections", multiple=True, type=click.Choice(SECTIONS), help="One part; may be repeated.")
@click.option("--fabric", metavar="NAME", help="One fabric that joins accelerators.  [default: all of them]")
@click.option(
    "--job", default="all", show_default=True, metavar="N[@PLACE]", help="Its accelerators: 2048@p1, all@p1/su2."
)
@click.option(
    "--placement",
    type=click.Choice(["packed", "scattered"]),
    default="packed",
    show_default=True,
    help="Accelerators of the job in the order of nodes, or a scale-up domain of each unit in turn.",
)
@click.option(
    "--ranks",
    type=click.Choice(["aligned", "rotated"]),
    default="aligned",
    show_default=True,
    help="Neighbours in a ring on one rail, or each on the next rail.",
)
@click.option("--sizes", type=Sizes(), default="1M,16M,256M,8G", show_default=True, help="Sizes of messages.")
@click.option(
    "--trials", type=click.IntRange(0, 10_000), default=0, help="Trials of hashing by Monte Carlo.  [default: 0]"
)
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Seed of its random numbers.")
@click.option("--pairs", is_flag=True, help="Failures of two switches, too.")
@click.option("--constants", default="usual", show_default=True, metavar="ID", help="A profile of constants.")
@click.option("--constant", "stated", multiple=True, metavar="PATH=VALUE", help="Change one constant; may be repeated.")
@click.option(
    "--dump",
    "dumps",
    multiple=True,
    metavar="DUMP",
    help="What the hall is like, as `verify` reads it: figures as found beside the plan; may be repeated.",
)
@click.option("--all", "every", is_flag=True, help="All sections in full, and how figures are reckoned.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@output_option
def command(
    blueprints: tuple[str, ...],
    sets: tuple[str, ...],
    allow_outside: bool,
    phase: str | None,
    sections: tuple[str, ...],
    fabric: str | None,
    job: str,
    placement: str,
    ranks: str,
    sizes: tuple[int, ...],
    trials: int,
    seed: int,
    pairs: bool,
    constants: str,
    stated: tuple[str, ...],
    dumps: tuple[str, ...],
    every: bool,
    form: str,
    output: str,
) -> None:
    """Say what the clusters of BLUEPRINTs will do: structure, collectives, load balance, failures and stragglers.

    Of one blueprint a screen of it, unless a section, --all or a file to write to is named.
    Several are told one after the other, and side by side in the end. With --dump, also what each miscabling costs, and
    what of the figures is otherwise in the hall as it was found.
    """
    from fabricgen.analyze.analysis import analyze_cluster
    from fabricgen.analyze.asked import Question, override_constants, read_job
    from fabricgen.cli.output import write_output
    from fabricgen.pipeline import compile_cluster, compile_design

    if dumps and len(blueprints) > 1:
        raise click.UsageError("--dump tells of one hall: name one blueprint")

    for name, section in _OF_A_SECTION.items():
        is_used = not sections or section in sections or bool(dumps)
        refuse_idle(name, used=is_used, why=f"it is of --section {section}")

    def runs_on(network: Network) -> Job:
        return read_job(network, job, placement, ranks)

    figures = []
    for blueprint in blueprints:
        cluster = compile_cluster(compile_design(blueprint, sets, allow_outside=allow_outside), phase, judged=True)
        profile = override_constants(cluster.design.catalog.constants(constants), stated)
        settings = Question(profile, sizes=sizes, trials=trials, seed=seed, pairs=pairs)
        figures.append(analyze_cluster(cluster, settings, runs_on, sections, fabric))
        if dumps:
            from fabricgen.verify import cost

            diagnosis = _diagnose_hall(cluster, dumps)
            figures[-1]["as_built"] = cost.price_findings(figures[-1], cluster, diagnosis, runs_on, settings)
    on_screen = output == "-" and not (every or sections or dumps)
    write_output(output, f"{_write_figures(figures, form, on_screen=on_screen)}\n".encode())


def _write_figures(figures: list[dict[str, Any]], form: str, *, on_screen: bool) -> str:
    """Return the figures of clusters as JSON, as a screen of a single cluster, or as text, one after the other and
    then side by side.
    """
    import json

    from fabricgen.analyze.analysis import ToldReckonings, describe_analysis, describe_first_screen
    from fabricgen.analyze.side_by_side import compare_analyses

    if form == "json":
        return json.dumps(figures if len(figures) > 1 else figures[0], indent=2)
    if len(figures) == 1 and on_screen:
        return "\n".join(describe_first_screen(figures[0]))
    explained: ToldReckonings = set()
    reports = ["\n".join([*describe_analysis(report, explained), *_list_costs(report)]) for report in figures]
    return "\n\n".join([*reports, "\n".join(compare_analyses(figures))] if len(figures) > 1 else reports)


def _list_costs(figures: Mapping[str, Any]) -> Iterator[str]:
    """Yield lines on what each miscabling costs; none without `--dump`."""
    if "as_built" in figures:
        from fabricgen.verify.cost import list_cost_lines

        yield from list_cost_lines(figures["as_built"])


def _diagnose_hall(cluster: Cluster, dumps: tuple[str, ...]) -> Diagnosis:
    """Return the findings of `verify` on the hall that the dumps describe."""
    from fabricgen.verify.planned import make_plan
    from fabricgen.verify.report import VerifyRequest
    from fabricgen.verify.verification import verify

    return verify(make_plan(cluster), dumps, VerifyRequest()).report.diagnosis
