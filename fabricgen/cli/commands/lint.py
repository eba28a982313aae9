"""`fabricgen lint`: judge blueprints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from fabricgen.cli.options import (
    complete_files,
    fail_on_option,
    parse_day,
    phase_option,
    reading_options,
    refuse_idle,
    settings_option,
)
from fabricgen.reports.formats import list_formats

if TYPE_CHECKING:
    from fabricgen.design.model import Design
    from fabricgen.lint.engine import LintResult, LintSettings
    from fabricgen.lint.repair import Judge
    from fabricgen.lint.report import FileReport


@click.command()
@click.argument("blueprints", metavar="BLUEPRINT...", nargs=-1, required=True, shell_complete=complete_files)
@reading_options
@phase_option
@click.option("--fast", is_flag=True, help="Design rules only: never expand the cluster.")
@click.option(
    "--format",
    "form",
    type=click.Choice(list_formats("fabricgen.lint.reports")),
    default="text",
    show_default=True,
)
@click.option(
    "--select", metavar="CODE,...", default="", help="Only rules whose codes begin so, for example FG2,FG303."
)
@click.option("--ignore", metavar="CODE,...", default="", help="No rules whose codes begin so.")
@click.option("--as-of", metavar="YYYY-MM-DD", help="Day by which waivers are judged.  [default: today]")
@click.option(
    "--templates",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder whose templates replace built-in ones: judge what they leave out.",
)
@click.option("--fix", is_flag=True, help="Mend what has only one right repair; comments and layout stay.")
@click.option("--diff", is_flag=True, help="Show what --fix would change, and change nothing.")
@click.option("--verbose", "-v", is_flag=True, help="Show infos in text too, by what to do.")
@click.option("--watch", is_flag=True, help="Judge again at every save, until Ctrl-C.")
@settings_option
@fail_on_option
def command(
    blueprints: tuple[str, ...],
    sets: tuple[str, ...],
    allow_outside: bool,
    phase: str | None,
    fast: bool,
    form: str,
    select: str,
    ignore: str,
    as_of: str | None,
    templates: Path | None,
    fix: bool,
    diff: bool,
    verbose: bool,
    watch: bool,
    settings: Path | None,
    fail_on: str | None,
) -> int:
    """Judge one or more BLUEPRINTs; faults that leave a blueprint unusable exit with 2, findings with 1.

    A lock (FILE.lock.yaml) stands for its blueprint, for hooks; a folder for the blueprints directly in it.
    """
    from fabricgen.lint.engine import LintSettings
    from fabricgen.lint.report import write_report

    day = parse_day(as_of)
    if (fix or diff) and (sets or "-" in blueprints):
        raise click.UsageError("--fix mends files: not what is --set, nor standard input")
    if watch and (fix or diff or form != "text" or "-" in blueprints):
        raise click.UsageError("--watch tells of files in text; leave --fix, --diff, --format and - out")
    refuse_idle("templates", "phase", used=not fast, why="--fast judges the whole design, and renders nothing")
    lint_settings = LintSettings(_parse_codes("--select", select), _parse_codes("--ignore", ignore), day)
    judging = Judging(
        blueprints, sets, allow_outside, phase, fast, lint_settings, templates, settings, fail_on, verbose
    )
    if watch:
        watch_blueprints(judging)
        return 0
    judged = judging.judge_all(mend=fix or diff, only_shown=diff)
    if diff:
        _print_reasons_beside_diff(form, judged.reports, failed=judged.failed)
    else:
        click.echo(write_report(form, judged.reports))
    return 2 if judged.unusable else int(judged.failed)


@dataclass
class Judged:
    """The reports of all blueprints, and the files that were read for them.

    `failed` says whether a blueprint has findings that fail the command, `unusable` whether one could not be judged at
    all.
    """

    reports: list[FileReport] = field(default_factory=list)
    failed: bool = False
    unusable: bool = False
    files: set[Path] = field(default_factory=set)


class Judging(NamedTuple):
    """The blueprints that are to be judged, and the options of the command."""

    blueprints: tuple[str, ...]
    sets: tuple[str, ...]
    allow_outside: bool
    phase: str | None
    fast: bool
    lint_settings: LintSettings
    templates: Path | None
    settings: Path | None
    fail_on: str | None
    verbose: bool

    def judge_all(self, *, mend: bool = False, only_shown: bool = False) -> Judged:
        """Judge all blueprints; with `mend` repair them first, or show how if `only_shown`."""
        from fabricgen.blueprint.beside.lock import list_blueprints
        from fabricgen.cli.output import exceeds_limit
        from fabricgen.cli.watched_files import list_read_files
        from fabricgen.kernel.diagnostics import InputError, Severity
        from fabricgen.lint.engine import lint_beside_shortage
        from fabricgen.lint.report import FileReport
        from fabricgen.pipeline import compile_design, compile_with_room

        judged = Judged()
        reading: Any = {"allow_outside": self.allow_outside, "settings": self.settings}
        for blueprint in dict.fromkeys(named for path in self.blueprints for named in list_blueprints(path)):

            def judge(unsaved: Mapping[str, bytes], blueprint: str = blueprint) -> tuple[Design, LintResult]:
                design = compile_design(blueprint, self.sets, unsaved=unsaved, **reading)
                judged.files.update(list_read_files(design.loaded))
                return design, _judge_design(design, self.phase, self.fast, self.lint_settings, self.templates)

            try:
                design, result = _mend_blueprint(judge, only_shown, self.allow_outside) if mend else judge({})
            except InputError as error:
                judged.unusable = True
                judged.files |= {Path(blueprint), *(Path(d.span.file) for d in error.diagnostics if d.span)}
                roomy = compile_with_room(error, blueprint, self.sets, **reading)
                beside = lint_beside_shortage(roomy, self.lint_settings) if roomy else ()
                judged.reports.append(FileReport(blueprint, (*error.diagnostics, *beside), usable=False))
                continue
            project = design.loaded.project
            judged.failed |= exceeds_limit(result, project, self.fail_on)
            # infos that were asked for by their codes are shown as well
            fails_on_infos = (self.fail_on or project.lint.fail_on) == Severity.INFO.label
            terse = not (self.verbose or self.lint_settings.select or fails_on_infos)
            report = FileReport(blueprint, result.findings, result.waived, fast=self.fast, terse=terse)
            judged.reports.append(report._replace(softened=result.softened))
        return judged


WATCH_PAUSE_S = 0.02
"""Seconds between looks at the files: a finding is shown 150 ms after a save, and this is the least part of that."""

_NO_END = "\n\\ No newline at end of file\n"
"""The end of a last line without a line break in a diff, as `patch` reads it."""

_CLEAR = "\x1b[2J\x1b[3J\x1b[H"
"""The sequence that clears a terminal and its scrollback (ECMA-48; xterm's ED 3)."""


def watch_blueprints(judging: Judging) -> None:
    """Judge, and again at every save of a file that was read, until interrupted.

    A terminal shows the last report only. Elsewhere reports follow one another, each with a line before it and one at
    its end, by which an editor's task knows where it begins and that it is complete.
    """
    import sys

    from fabricgen.cli.watched_files import WatchedFiles, let_interrupts_through
    from fabricgen.kernel.diagnostics import InputError
    from fabricgen.lint.report import FileReport, write_report

    watched = WatchedFiles(*map(Path, judging.blueprints))

    def tell_report() -> None:
        """Judge all blueprints, print the report, and watch the files that were read this time."""
        watched.note_stamps()
        click.echo(f"{_CLEAR if sys.stdout.isatty() else ''}linting {', '.join(judging.blueprints)}")
        try:
            judged = judging.judge_all()
        except InputError as error:  # a folder has no blueprint yet, or its last one is just being replaced
            judged = Judged([FileReport(", ".join(judging.blueprints), error.diagnostics, usable=False)], unusable=True)
        watched.files = {*map(Path, judging.blueprints), *judged.files}
        if judging.templates:
            watched.files.update((judging.templates, *judging.templates.rglob("*")))
        if judged.unusable:  # perhaps a file is missing, and will come into one of these folders
            watched.files |= {file.parent for file in watched.files}
        report, count = write_report("text", judged.reports), sum(file.is_file() for file in watched.files)
        last = f"watching {count} file{'s' * (count != 1)}; Ctrl-C ends"
        click.echo(f"{report}\n{last}")
        sys.stdout.flush()

    let_interrupts_through()
    try:
        tell_report()
        watched.follow_changes(tell_report, WATCH_PAUSE_S)
    except KeyboardInterrupt:
        click.echo()


def _print_reasons_beside_diff(form: str, reports: list[FileReport], *, failed: bool) -> None:
    """Print, on standard error, why a blueprint has no diff, and why the command fails although it shows one."""
    from fabricgen.lint.report import write_report

    unusable = [report for report in reports if not report.usable]
    if unusable:
        click.echo(write_report(form, unusable), err=True)
    if failed:
        click.echo("what --fix cannot mend remains: `fabricgen lint` shows it", err=True)


def _mend_blueprint(judge: Judge, only_shown: bool, allow_outside: bool) -> tuple[Design, LintResult]:
    """Repair a blueprint, write the changed files and list the fixes on standard error; with `only_shown` print a
    unified diff instead. Return the mended design and what is left to find in it.

    Raises InputError (FG023) for a file that cannot be written.
    """
    from difflib import unified_diff

    from fabricgen.kernel.diagnostics import make_printable
    from fabricgen.lint.repair import repair_blueprint, write_repaired_files

    repaired = repair_blueprint(judge)
    for file, (before, after) in repaired.files.items() if only_shown else ():
        old, new = (content.decode(errors="replace").splitlines(keepends=True) for content in (before, after))
        lines = unified_diff(old, new, fromfile=make_printable(file), tofile=make_printable(file))
        click.echo("".join(line if line.endswith(("\n", "\r")) else line + _NO_END for line in lines), nl=False)
    if not only_shown:
        write_repaired_files(repaired, allow_outside=allow_outside)
        for finding in repaired.mended:
            click.echo(make_printable(f"{finding.span}: mended {finding.code}: {finding.message}"), err=True)
    return repaired.design, repaired.result


def _judge_design(
    design: Design, phase: str | None, fast: bool, lint_settings: LintSettings, templates: Path | None
) -> LintResult:
    """Return the findings of a design and, unless `fast`, those of the compiled cluster and of its templates."""
    from fabricgen.lint.engine import lint
    from fabricgen.pipeline import check_names, collect_other_findings, compile_cluster, require_snippets_fit

    if fast:
        check_names(design)
        return lint(design, None, lint_settings)
    cluster = compile_cluster(design, phase, judged=True)
    require_snippets_fit(cluster)
    return lint(design, cluster, lint_settings, collect_other_findings(cluster, templates, lint_settings.wants))


def _parse_codes(option: str, text: str) -> tuple[str, ...]:
    """Return the prefixes of codes in a comma-separated list. Raises UsageError for one that matches no code."""
    prefixes = tuple(code.strip().upper() for code in text.split(",") if code.strip())
    if not prefixes:
        return ()
    from fabricgen.kernel.diagnostics import did_you_mean
    from fabricgen.lint.fault import list_code_ids

    for code in prefixes:
        if not any(code_id.startswith(code) for code_id in list_code_ids()):
            raise click.UsageError(f"{option}: no code begins with '{code}'. {did_you_mean(code, list_code_ids())}")
    return prefixes
