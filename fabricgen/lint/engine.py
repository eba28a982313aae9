"""Run the rules on a cluster, locate findings in the blueprint, and separate those that are waived."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
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
"""A rule with findings on templates, which only some runs have: an unmatched waiver of it is not reported."""


class LintSettings(NamedTuple):
    """Which rules count, by prefixes of their codes, and the day (YYYY-MM-DD) on which waivers are judged.

    Without a day no waiver expires: only `lint` judges by date, never `build`.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    as_of: str | None = None

    def wants(self, code: str) -> bool:
        """Whether findings of a code are wanted."""
        chosen = not self.select or code.startswith(self.select)
        return chosen and not (self.ignore and code.startswith(self.ignore))

    def combine_with(self, project: ProjectLint) -> LintSettings:
        """Combined with the project's settings: a selection here replaces the project's, ignored rules are added."""
        return self._replace(select=self.select or project.select, ignore=(*self.ignore, *project.ignore))


class LintResult(NamedTuple):
    """Findings in the order of their places, waived findings, and counts of ignored or lowered findings."""

    findings: tuple[Diagnostic, ...]
    waived: tuple[Waived, ...]
    softened: tuple[Softened, ...] = ()
    impossible: tuple[Diagnostic, ...] = ()
    """The findings whose code is `impossible`: `build` refuses what they are about."""

    @property
    def counts(self) -> dict[str, int]:
        """Numbers of errors and warnings, as in summary.json."""
        return {
            "error": sum(d.severity is Severity.ERROR for d in self.findings),
            "warning": sum(d.severity is Severity.WARNING for d in self.findings),
        }

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
    """Judge a design and, if given, its cluster; `other_findings` are from elsewhere, e.g. on templates."""
    requested = settings or LintSettings()
    rules: tuple[Rule, ...] = load_design_rules() if cluster is None else load_all_rules()
    impossible_codes = frozenset(rule.id for rule in rules if rule.impossible)
    never_waived = frozenset(rule.id for rule in rules if rule.impossible and not rule.waivable)
    settings = requested.combine_with(design.loaded.project.lint)
    raised_by_rules = _run_rules(rules, design, cluster, requested)
    # what the command line asks for; of these the project's settings select, but what cannot be built is told in any
    # case
    candidates = [d for d in (*raised_by_rules, *other_findings) if requested.wants(d.code) or d.code == PLUG_IN_FAILS]
    selected = [d for d in candidates if settings.wants(d.code) or d.code in {*impossible_codes, PLUG_IN_FAILS}]
    softened = [(PROJECT, IGNORED, d) for d in candidates if d not in selected]
    weighed = _set_severities(design, selected, softened, impossible_codes)
    waivers = list(enumerate(design.loaded.blueprint.lint.waive))
    valid = [(i, w) for i, w in waivers if not _is_expired(w, settings.as_of)]
    unwaived: list[Diagnostic] = []
    waived: list[Waived] = []
    used: set[int] = set()
    for finding in weighed:
        covering = [(i, w) for i, w in valid if _covers(w, finding) and finding.code not in never_waived]
        used.update(i for i, _ in covering)
        if covering:
            waived.append(_accept_finding(design, finding, *covering[0]))
        else:
            unwaived.append(finding)
    raised = {finding.code for finding in selected}
    whole_cluster = cluster is not None and cluster.phase is None  # a waiver may be of what a phase has not yet
    waiver_findings = _check_waivers(waivers, valid, used, settings, raised, never_waived, whole_cluster=whole_cluster)
    # Only the command line selects here: a project that selects unknown codes would hide this very finding.
    severity_findings = _check_severities(design, settings._replace(select=requested.select))
    unwaived += _set_severities(design, (*waiver_findings, *severity_findings), softened, impossible_codes)
    accepted = tuple(sorted(dict.fromkeys(waived), key=lambda w: _sort_key(w.finding)))
    findings = _sort_findings(design, unwaived)
    impossible = tuple(d for d in findings if d.code in impossible_codes)
    return LintResult(findings, accepted, tally_softened(softened), impossible)


def lint_beside_shortage(design: Design, settings: LintSettings) -> tuple[Diagnostic, ...]:
    """What rules that count no ports find in a design whose switches were given more than they have."""
    judging = {rule.id for rule in load_design_rules() if not rule.counts_ports}
    already_reported = {"FG305"}  # FG132 names the same tiers
    return tuple(d for d in lint(design, None, settings).findings if d.code in judging - already_reported)


@dataclass(frozen=True)
class Judgement:
    """The result of `lint` on a cluster, computed on first use; `others` as in `lint`."""

    design: Design
    cluster: Cluster
    others: tuple[Diagnostic, ...] = ()

    @cached_property
    def result(self) -> LintResult:
        """All findings."""
        return lint(self.design, self.cluster, other_findings=self.others)

    def count_severities(self) -> dict[str, int]:
        """Numbers of errors and warnings."""
        return self.result.counts

    def list_findings(self) -> tuple[Diagnostic, ...]:
        """All findings that no waiver covers."""
        return self.result.findings


def list_impossible_findings(cluster: Cluster) -> tuple[Diagnostic, ...]:
    """What cannot be plugged together and is not waived, by the rules on that alone: what `build` refuses."""
    codes = sorted(rule.id for rule in load_all_rules() if rule.impossible)
    return lint(cluster.design, cluster, LintSettings(select=tuple(codes))).impossible


def _run_rules(
    rules: Iterable[Rule], design: Design, cluster: Cluster | None, requested: LintSettings
) -> Iterator[Diagnostic]:
    """What rules find whose codes are asked for."""
    for rule in rules:
        if not requested.wants(rule.id):
            continue
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
    """Findings with the severity that the blueprint, else the project, sets for their rule; without those set to
    `ignore`.

    Findings whose severity is thereby lowered are added to `softened`; no setting lowers or hides what cannot be
    plugged together.
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


def _is_expired(waiver: Waiver, as_of: str | None) -> bool:
    return bool(as_of and waiver.until and waiver.until < as_of)


def _covers(waiver: Waiver, finding: Diagnostic) -> bool:
    return waiver.rule == finding.code and waiver.covers(finding.path)


def _accept_finding(design: Design, finding: Diagnostic, number: int, waiver: Waiver) -> Waived:
    location = design.loaded.source.span(("lint", "waive", number))
    return Waived(_locate_finding(design, finding), waiver.why, waiver.until or "", location)


def _check_waivers(
    waivers: Sequence[tuple[int, Waiver]],
    valid: Sequence[tuple[int, Waiver]],
    used: set[int],
    settings: LintSettings,
    raised: Collection[str],
    never_waived: Collection[str],
    *,
    whole_cluster: bool,
) -> Iterator[Diagnostic]:
    """Findings on waivers: expired ones, and unmatched ones if every rule has run; `used` are the numbers of those that
    match. One whose rule is `raised` elsewhere is nearly always of a misspelt place, and not taken away by a repair.
    """
    standing, codes = {i for i, _ in valid}, list_known_codes()
    for i, waiver in waivers:
        path: Path = ("lint", "waive", i)
        idle = (
            i in standing and i not in used and whole_cluster and waiver.rule in codes and settings.wants(waiver.rule)
        )
        if i not in standing and settings.wants(EXPIRED):
            message = f"the waiver of {waiver.rule} ended on {waiver.until}"
            yield Diagnostic(EXPIRED, Severity.WARNING, message, (*path, "until"), "mend what it covers, or renew it")
        elif idle and settings.wants(UNMATCHED):
            message = f"the waiver of {waiver.rule} at '{waiver.at or 'everywhere'}' covers no finding"
            if waiver.rule in never_waived:
                message = f"{waiver.rule} tells of what cannot be plugged together, and is not waived"
            fix = () if waiver.rule == OF_TEMPLATES or waiver.rule in raised else (Edit("remove", path),)
            hint = "remove it, or correct its `at`" if waiver.rule in raised else "remove it"
            yield Diagnostic(UNMATCHED, Severity.WARNING, message, path, hint, fix=fix)


def _check_severities(design: Design, settings: LintSettings) -> Iterator[Diagnostic]:
    """Findings on severity settings for codes, or prefixes of codes, that no rule has."""
    codes, loaded = list_known_codes(), design.loaded
    if not settings.wants(UNMATCHED):
        return
    for code in loaded.blueprint.lint.severity:
        if code not in codes:
            path: Path = ("lint", "severity", code)
            yield Diagnostic(UNMATCHED, Severity.WARNING, f"no rule is {code}", path, explain_unknown_code(code))
    if loaded.project_source is None:
        return
    from fabricgen.lint.fault import list_code_ids

    project, spans = loaded.project.lint, loaded.project_source
    chosen = [(("lint", key, i), c) for key in ("select", "ignore") for i, c in enumerate(getattr(project, key))]
    settings_paths: list[tuple[Path, str]] = [
        *chosen,
        *((("lint", "severity", code), code) for code in project.severity),
    ]
    for path, code in settings_paths:
        if not any(known_code.startswith(code) for known_code in (codes if path[1] == "severity" else list_code_ids())):
            location = spans.key_span(path) if path[1] == "severity" else spans.span(path)
            yield Diagnostic(
                UNMATCHED, Severity.WARNING, f"no rule is {code}", (), explain_unknown_code(code), span=location
            )


def _sort_findings(design: Design, findings: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    located = dict.fromkeys(_locate_finding(design, d) for d in findings)
    return tuple(sorted(located, key=_sort_key))


def _sort_key(located: Diagnostic) -> tuple[Span, str, str]:
    return located.span or Span("", 0, 0), located.code, located.message


def _locate_finding(design: Design, finding: Diagnostic) -> Diagnostic:
    """A finding with its source location; for a mapping or list that of its key, as the value may begin on a later
    line.
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
