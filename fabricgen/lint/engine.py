"""Run the rules on a cluster, locate their findings in the blueprint, and set aside the findings that are waived."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from fabricgen.blueprint.sections.lint_settings import ProjectLint, Waiver
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Edit, Path, Severity, Span
from fabricgen.kernel.entry_points import FAULT as PLUG_IN_FAILS
from fabricgen.lint.codes import EXPIRED, UNMATCHED, explain_unknown_code, list_known_codes
from fabricgen.lint.rule import DesignRule, PlanRule, Rule, load_all_rules, load_design_rules
from fabricgen.lint.waived import BLUEPRINT, IGNORED, PROJECT, Softened, Waived, tally_softened

if TYPE_CHECKING:
    from fabricgen.cluster import Cluster

OF_TEMPLATES = "FG704"
"""A rule that also judges templates, which only some commands read: no repair removes its waiver that matches
nothing."""


class LintSettings(NamedTuple):
    """Which rules count, by prefixes of their codes (an empty `select` takes all), and the day (YYYY-MM-DD) `as_of`
    which waivers are judged.

    Without a day no waiver expires: only the command `lint` gives one, so that `build` does not depend on the date.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    as_of: str | None = None

    def wants(self, code: str) -> bool:
        """Whether findings of a code are selected and not ignored."""
        return (not self.select or code.startswith(self.select)) and not code.startswith(self.ignore)

    def combine_with(self, project: ProjectLint) -> LintSettings:
        """Return these settings together with the project's: `select` of the project counts if these select nothing.

        What either of them ignores is ignored.
        """
        return self._replace(select=self.select or project.select, ignore=(*self.ignore, *project.ignore))


class LintResult(NamedTuple):
    """Findings in the order of their places in the files, waived findings, and counts of the findings that settings
    ignore or give a lower severity (`softened`).
    """

    findings: tuple[Diagnostic, ...]
    waived: tuple[Waived, ...]
    softened: tuple[Softened, ...] = ()
    impossible: tuple[Diagnostic, ...] = ()
    """Those of the findings because of which `build` refuses the cluster."""

    @property
    def counts(self) -> dict[str, int]:
        """How many findings are errors and warnings, by the word for the severity, as in summary.json."""
        return {s.label: sum(d.severity is s for d in self.findings) for s in (Severity.ERROR, Severity.WARNING)}

    @property
    def worst(self) -> Severity | None:
        """The highest severity of the findings; None when there are none."""
        return max((d.severity for d in self.findings), default=None)


def lint(
    design: Design,
    cluster: Cluster | None = None,
    settings: LintSettings | None = None,
    other_findings: Iterable[Diagnostic] = (),
) -> LintResult:
    """Judge a design by the design rules and, if its cluster is given, by the plan rules too.

    `settings` are what the command line asks for; the blueprint's and the project's are added here. `other_findings`
    are raised elsewhere, such as those on templates, and are selected, weighed and waived like those of the rules.
    """
    requested = settings or LintSettings()
    rules: tuple[Rule, ...] = load_design_rules() if cluster is None else load_all_rules()
    impossible_codes = frozenset(rule.id for rule in rules if rule.impossible)
    never_waived = frozenset(rule.id for rule in rules if rule.impossible and not rule.waivable)
    settings = requested.combine_with(design.loaded.project.lint)
    raised_by_rules = _run_rules(rules, design, cluster, requested)
    # the project's settings select among what the command line asks for, but cannot hide what `build` refuses
    candidates = [d for d in (*raised_by_rules, *other_findings) if requested.wants(d.code) or d.code == PLUG_IN_FAILS]
    selected = [d for d in candidates if settings.wants(d.code) or d.code in {*impossible_codes, PLUG_IN_FAILS}]
    softened = [(PROJECT, IGNORED, d) for d in candidates if d not in selected]
    weighed = _set_severities(design, selected, softened, impossible_codes)
    waivers = design.loaded.blueprint.lint.waive
    expired = {i for i, w in enumerate(waivers) if settings.as_of and w.until and w.until < settings.as_of}
    unwaived, waived, used = list[Diagnostic](), list[Waived](), set[int]()
    for finding in weighed:
        may_be_waived = finding.code not in never_waived
        covering = [i for i, w in enumerate(waivers) if may_be_waived and i not in expired and _covers(w, finding)]
        used.update(covering)
        if covering:
            waived.append(_accept_finding(design, finding, covering[0]))
        else:
            unwaived.append(finding)
    raised = {finding.code for finding in selected}
    # a phase lacks parts of the cluster that a waiver may be about
    judged_in_full = cluster is not None and cluster.phase is None
    idle = {i for i in range(len(waivers)) if judged_in_full and i not in used | expired}
    waiver_findings = _check_waivers(waivers, expired, idle, settings, raised, never_waived)
    # Only the command line selects here: a project that selects unknown codes would hide this very finding.
    severity_findings = _check_severities(design, settings._replace(select=requested.select))
    unwaived += _set_severities(design, (*waiver_findings, *severity_findings), softened, impossible_codes)
    accepted = tuple(sorted(dict.fromkeys(waived), key=lambda w: _sort_key(w.finding)))
    findings = tuple(sorted(dict.fromkeys(_locate_finding(design, d) for d in unwaived), key=_sort_key))
    impossible = tuple(d for d in findings if d.code in impossible_codes)
    return LintResult(findings, accepted, tally_softened(softened), impossible)


def lint_beside_shortage(design: Design, settings: LintSettings) -> tuple[Diagnostic, ...]:
    """Return findings on a design in which switches lack ports: those of design rules that do not count ports.

    FG305 is left out, since the fault for the lack (FG132) names the same tiers.
    """
    # the fault that reports the lack (FG132) names the same tiers as FG305
    judging = {rule.id for rule in load_design_rules() if not rule.counts_ports and rule.id != "FG305"}
    return tuple(d for d in lint(design, None, settings).findings if d.code in judging)


class Judgement:
    """The result of `lint` on a cluster, computed when it is first asked for; `others` are its `other_findings`."""

    def __init__(self, design: Design, cluster: Cluster, others: tuple[Diagnostic, ...] = ()) -> None:
        self.design, self.cluster, self.others = design, cluster, others

    @cached_property
    def result(self) -> LintResult:
        """What `lint` returns for the cluster."""
        return lint(self.design, self.cluster, other_findings=self.others)

    def count_severities(self) -> dict[str, int]:
        """Return how many findings are errors and warnings, by the word for the severity."""
        return self.result.counts

    def list_findings(self) -> tuple[Diagnostic, ...]:
        """Return the findings that no waiver covers."""
        return self.result.findings


def list_impossible_findings(cluster: Cluster) -> tuple[Diagnostic, ...]:
    """Return the findings because of which `build` refuses a cluster; only rules whose code is `impossible` are run."""
    codes = sorted(rule.id for rule in load_all_rules() if rule.impossible)
    return lint(cluster.design, cluster, LintSettings(select=tuple(codes))).impossible


def _run_rules(
    rules: Iterable[Rule], design: Design, cluster: Cluster | None, requested: LintSettings
) -> Iterator[Diagnostic]:
    """Yield the findings of the rules that are asked for; plan rules are passed over without a cluster."""
    for rule in (rule for rule in rules if requested.wants(rule.id)):
        if isinstance(rule, DesignRule):
            yield from rule.check(design)
        elif isinstance(rule, PlanRule) and cluster is not None:
            yield from rule.check(cluster)


def _set_severities(
    design: Design,
    findings: Iterable[Diagnostic],
    softened: list[tuple[str, str, Diagnostic]],
    impossible_codes: Collection[str],
) -> list[Diagnostic]:
    """Return findings with the severity that the blueprint, else the project, sets for their rule; findings set to
    `ignore` are left out.

    Each finding that is left out or gets a lower severity is added to `softened`, as (who sets it, severity word,
    finding). No setting changes the severity of `impossible_codes`.
    """
    in_blueprint, project = design.loaded.blueprint.lint.severity, design.loaded.project.lint.severity
    weighed = []
    for finding in findings:
        severity_word = in_blueprint.get(finding.code) or project.get(finding.code) or finding.severity.label
        severity_word = finding.severity.label if finding.code in impossible_codes else severity_word
        severity = None if severity_word == IGNORED else Severity.parse(severity_word)
        if severity is None or severity < finding.severity:
            softened.append((BLUEPRINT if finding.code in in_blueprint else PROJECT, severity_word, finding))
        if severity is not None:
            weighed.append(replace(finding, severity=severity))
    return weighed


def _covers(waiver: Waiver, finding: Diagnostic) -> bool:
    return waiver.rule == finding.code and waiver.covers(finding.path)


def _accept_finding(design: Design, finding: Diagnostic, waiver_index: int) -> Waived:
    waiver = design.loaded.blueprint.lint.waive[waiver_index]
    location = design.loaded.source.span(("lint", "waive", waiver_index))
    return Waived(_locate_finding(design, finding), waiver.why, waiver.until or "", location)


def _check_waivers(
    waivers: Sequence[Waiver],
    expired: Collection[int],
    idle: Collection[int],
    settings: LintSettings,
    raised: Collection[str],
    never_waived: Collection[str],
) -> Iterator[Diagnostic]:
    """Yield findings on waivers that are expired (FG801), or that are idle, since they cover no finding (FG802).

    `expired` and `idle` are indices into `waivers`. An idle waiver is told only if its rule is known and has run. If
    its rule is `raised` at another place, the waiver most likely misspells its place, so that no fix removes it.
    """
    codes = list_known_codes()
    for i, waiver in enumerate(waivers):
        path: Path = ("lint", "waive", i)
        if i in expired and settings.wants(EXPIRED):
            message = f"the waiver of {waiver.rule} ended on {waiver.until}"
            yield Diagnostic(EXPIRED, Severity.WARNING, message, (*path, "until"), "mend what it covers, or renew it")
        elif i in idle and waiver.rule in codes and settings.wants(waiver.rule) and settings.wants(UNMATCHED):
            message = f"the waiver of {waiver.rule} at '{waiver.at or 'everywhere'}' covers no finding"
            if waiver.rule in never_waived:
                message = f"{waiver.rule} tells of what cannot be plugged together, and is not waived"
            fix = () if waiver.rule == OF_TEMPLATES or waiver.rule in raised else (Edit("remove", path),)
            hint = "remove it, or correct its `at`" if waiver.rule in raised else "remove it"
            yield Diagnostic(UNMATCHED, Severity.WARNING, message, path, hint, fix=fix)


def _check_severities(design: Design, settings: LintSettings) -> Iterator[Diagnostic]:
    """Yield findings (FG802) on settings that name a code which no rule has: severities of the blueprint, and what
    the project selects, ignores (both by prefixes of codes) or gives a severity.
    """
    codes, loaded = list_known_codes(), design.loaded
    if not settings.wants(UNMATCHED):
        return
    for code in (code for code in loaded.blueprint.lint.severity if code not in codes):
        path: Path = ("lint", "severity", code)
        yield Diagnostic(UNMATCHED, Severity.WARNING, f"no rule is {code}", path, explain_unknown_code(code))
    if loaded.project_source is None:
        return
    from fabricgen.lint.fault import list_code_ids

    project, spans = loaded.project.lint, loaded.project_source
    settings_paths: list[tuple[Path, str]] = [
        *((("lint", key, i), c) for key in ("select", "ignore") for i, c in enumerate(getattr(project, key))),
        *((("lint", "severity", code), code) for code in project.severity),
    ]
    for path, code in settings_paths:
        if not any(known_code.startswith(code) for known_code in (codes if path[1] == "severity" else list_code_ids())):
            location = spans.key_span(path) if path[1] == "severity" else spans.span(path)
            yield Diagnostic(
                UNMATCHED, Severity.WARNING, f"no rule is {code}", (), explain_unknown_code(code), span=location
            )


def _sort_key(located: Diagnostic) -> tuple[Span, str, str]:
    return located.span or Span("", 0, 0), located.code, located.message


def _locate_finding(design: Design, finding: Diagnostic) -> Diagnostic:
    """Return a finding with its location in the source; for a mapping or list this is the location of its key, since
    the value may begin on a later line.
    """
    if finding.span:
        return finding
    source = design.loaded.source
    value = source.data
    for part in finding.path:
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError):
            return design.loaded.locate_finding(finding)
    if isinstance(value, dict | list):
        return design.loaded.locate_at(finding, source.key_span(finding.path))
    return design.loaded.locate_finding(finding)
