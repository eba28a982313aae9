"""Rules of other packages, on the view: entry points of the group `fabricgen.rules`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, cast

from fabricgen.cluster import Cluster
from fabricgen.kernel.diagnostics import Diagnostic, Edit, InputError, Severity, Span
from fabricgen.kernel.entry_points import EntryPoint, blame_plugin, list_entry_points
from fabricgen.lint.rule import PLUG_INS, PlugInRule, load_plugin_rule

if TYPE_CHECKING:
    from fabricgen.plugins.view import ClusterView

MOST_FINDINGS = 10_000
"""Findings of one rule; nobody reads more, and a generator without an end would fill the memory."""


class ViewRule(PlugInRule):
    """A rule on the view of a cluster. Its docstring is its manual page; `id`, `severity` and `title` are its own."""

    @abstractmethod
    def check(self, view: ClusterView) -> Iterable[Diagnostic]:
        """Yield a finding for each violation, a single one for many rows with one cause: `self.flag(path, message)`."""


def list_plug_in_findings(cluster: Cluster, is_wanted: Callable[[str], bool]) -> tuple[Diagnostic, ...]:
    """Return what rules of other packages find, of codes that are wanted.

    A rule that fails or cannot be used is a finding itself (FG870).
    """
    entries = [entry for entry in list_entry_points(PLUG_INS) if is_wanted(entry.name)]
    if not entries:
        return ()
    from fabricgen.plugins.view import ClusterView

    view, findings = ClusterView(cluster), list[Diagnostic]()
    for entry in entries:
        try:
            findings += _run_rule(entry, cast(ViewRule, load_plugin_rule(entry)), view)
        except InputError as error:
            findings += error.diagnostics
    return tuple(findings)


def _run_rule(entry: EntryPoint, rule: ViewRule, view: ClusterView) -> Iterator[Diagnostic]:
    """Yield the findings of a rule; raises InputError (FG870) that names its package if they are not what rules may
    give.
    """
    with blame_plugin(entry):
        findings = tuple(islice(rule.check(view), MOST_FINDINGS + 1))
    if len(findings) > MOST_FINDINGS:
        raise entry.make_error(f"it yields more than {MOST_FINDINGS:,} findings", "yield one a cause, not one a row")
    for finding in findings:
        if not isinstance(finding, Diagnostic):
            raise entry.make_error(f"it yields {type(finding).__name__}", "yield self.flag(path, message)")
        if finding.code != rule.id:
            raise entry.make_error(f"it yields a finding of {finding.code}", f"its findings are of {rule.id}")
        if not isinstance(finding.severity, Severity) or not isinstance(finding.message, str) or not finding.message:
            raise entry.make_error("it yields a finding without message or severity", "yield self.flag(path, message)")
        if not isinstance(finding.hint, str) or not isinstance(finding.span, Span | None):
            raise entry.make_error("it yields a finding whose hint or span is none", "yield self.flag(path, message)")
        if not (isinstance(finding.fix, tuple) and all(isinstance(edit, Edit) for edit in finding.fix)):
            raise entry.make_error("it yields a finding whose fix is no tuple of edits", "leave it out")
        if not isinstance(finding.path, tuple) or not all(isinstance(step, str | int) for step in finding.path):
            raise entry.make_error(
                f"it yields a finding at {finding.path!r}", "a path is a tuple of keys and list indexes"
            )
        yield finding
