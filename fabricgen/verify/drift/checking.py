"""Comparison of running configurations with planned ones, device by device, in several processes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from fabricgen.catalog.loader import Catalog
from fabricgen.diff.compare import pause_collector
from fabricgen.kernel.diagnostics import InputError, Severity, make_printable
from fabricgen.kernel.nos_rooms import load_part
from fabricgen.publish.workers import count_processors, run_in_order
from fabricgen.render.secrets import MASK, mask_secrets
from fabricgen.running.differences import Verdict, load_rules, prepare_files
from fabricgen.running.statements import UNREADABLE, Path, Spelling, Statements, find_nos, load_spelling
from fabricgen.running.tree import CANNOT_READ, tolerate_unknown_text
from fabricgen.switch.model import Switch
from fabricgen.verify.drift.collected import Collected, collect_configurations, read_device_files
from fabricgen.verify.drift.comparing import UNPLANNED, compare_switches
from fabricgen.verify.drift.finding import Checked, Drift, DriftFinding, PlacedWaiver, find_valid_waivers, judge_waivers
from fabricgen.verify.drift.planned import PlannedConfigs
from fabricgen.verify.dumps._sources import DumpSource
from fabricgen.verify.sightings import list_few

BATCH = 64
"""The most devices that a process compares in one go: equal switches are rendered together."""

Files = Mapping[str, str]


@dataclass(frozen=True)
class CheckRequest:
    """What a comparison is asked for.

    `strict`: whether foreign differences (that touch nothing of the plan) are errors, too. `waivers` are the waivers of
    the blueprint, and `as_of` is the day on which they must hold (YYYY-MM-DD).
    """

    strict: bool = False
    waivers: tuple[PlacedWaiver, ...] = ()
    as_of: str = ""


def check_running(folder: str, planned: PlannedConfigs, jobs: int = 0, request: CheckRequest = CheckRequest()) -> Drift:
    """Compare the running configurations that were collected in a folder with the planned ones.

    `jobs` is a number of processes, 0 for as many as there are processors; the result does not depend on it. Raises
    InputError (FG144) if the folder has no configuration of a planned device, and for planned files that cannot be
    read.
    """
    devices = planned.list_devices()
    gathered = collect_configurations(folder, devices)
    present = [name for name in devices if name in gathered.files]
    batches = [present[start : start + BATCH] for start in range(0, len(present), BATCH)]
    work = _Batch(planned, gathered, batches, request)
    checked = [device for batch in run_in_order(work, len(batches), jobs or count_processors()) for device in batch]
    missing = tuple(name for name in devices if name not in gathered.files)
    other_findings = (
        *_report_uncollected(gathered, missing),
        *judge_waivers(request.waivers, request.as_of, checked, not missing),
    )
    ignored = sorted({*gathered.ignored, *(file for device in checked for file in device.ignored)})
    return Drift(tuple(checked), missing, tuple(gathered.unknown), tuple(ignored), other_findings)


def _report_uncollected(gathered: Collected, missing: tuple[str, ...]) -> Iterator[DriftFinding]:
    # a warning for each device of which no file was collected, and for each file that is of no planned device
    for name in missing:
        yield DriftFinding(name, "", "no running configuration of it was collected", Severity.WARNING)
    for file, name in gathered.unknown:
        complaint = (
            f"calls itself {name}, which the plan does not have" if name else "says of no device that it is of it"
        )
        yield DriftFinding(make_printable(file), "", complaint, Severity.WARNING)


@dataclass(frozen=True)
class _Batch:
    """The work of a process: called with the number of a batch, it checks all devices of that batch."""

    planned: PlannedConfigs
    gathered: Collected
    batches: list[list[str]]
    request: CheckRequest

    def __call__(self, number: int) -> list[Checked]:
        with pause_collector():
            return [
                _check_device(device, self.gathered.files[device], files, self.request)
                for device, files in self.planned.read(self.batches[number])
            ]


def _check_device(device: str, sources: list[DumpSource], planned: Files, request: CheckRequest) -> Checked:
    """Check one device: recognise its collected files, prepare them, and compare them with the planned ones.

    Files that cannot be read, are of another NOS or cannot be compared give one finding, and nothing else is checked.
    """
    try:
        device_files = read_device_files(sources)
    except InputError as error:
        return Checked(device, (), (DriftFinding(device, "", error.diagnostics[0].message),))
    files, ignored = tuple(device_files.files), tuple(device_files.ignored)
    nos = find_nos(planned)
    if nos not in device_files.by_nos:
        return Checked(
            device,
            files,
            (DriftFinding(device, "", _describe_other_nos(nos, sorted(device_files.by_nos))),),
            ignored=ignored,
        )
    prepared = prepare_files(nos, device_files.by_nos[nos], planned)
    if prepared.lack:
        return Checked(device, files, (DriftFinding(device, "", prepared.lack),), ignored=ignored)
    findings = [
        DriftFinding(
            device, "", f"{make_printable(earlier_file)} and {make_printable(file)} are both its {name}, and differ"
        )
        for name, file, earlier_file in device_files.twice
    ]
    findings += [describe_by_path(device, verdict, Severity.ERROR) for verdict in prepared.verdicts]
    findings += [DriftFinding(device, subject, text, severity) for subject, text, severity in prepared.notes]
    # nearly all devices have equal files, and no statement has to be read
    if prepared.files == dict(planned):
        return Checked(device, files, tuple(findings), ignored=ignored)
    return _judge_statements(
        Checked(device, files, tuple(findings), ignored=ignored), nos, (prepared.files, planned), request
    )


def _describe_other_nos(nos: str, found_nos: list[str]) -> str:
    # why the collected files cannot be compared with a plan for `nos`: they are of other NOSes, or of none
    if not found_nos:
        return "what was collected is no running configuration"
    catalog = Catalog()
    runs = " and ".join(catalog.naming(nos_name).title for nos_name in found_nos)
    return f"runs {runs}; the plan has {catalog.naming(nos).title}"


def _judge_statements(begun: Checked, nos: str, files: tuple[Files, Files], request: CheckRequest) -> Checked:
    """Compare (running, planned) files statement by statement, and add the findings to those of `begun`."""
    device, spelling, (running_files, planned_files) = begun.device, load_spelling(nos), files
    planned = spelling.read_statements(planned_files)
    try:
        verdicts = load_rules(nos).judge(spelling.read_statements(running_files), planned)
    except CANNOT_READ as error:
        why = _hide_secrets(str(error).splitlines()[0] if str(error) else type(error).__name__)
        text = f"its configuration cannot be understood: {why}"
        return Checked(device, begun.files, (*begun.findings, DriftFinding(device, "", text)), ignored=begun.ignored)
    waivers = find_valid_waivers(request.waivers, request.as_of)
    waived, errors = _apply_waivers(nos, verdicts.errors + (verdicts.foreign if request.strict else []), waivers)
    findings = list(begun.findings)
    findings += list_findings(
        device, nos, [verdict for verdict in errors if verdict.kind == "error"], planned, spelling
    )
    findings += [describe_by_path(device, verdict, Severity.ERROR) for verdict in errors if verdict.kind == "foreign"]
    findings += [describe_by_path(device, verdict, Severity.INFO) for verdict in verdicts.descriptions]
    foreign = Counter(verdict.name for verdict in verdicts.foreign)
    return Checked(
        device, begun.files, tuple(findings), dict(verdicts.neutral), dict(foreign), dict(waived), begun.ignored
    )


def _apply_waivers(
    nos: str, verdicts: list[Verdict], waivers: tuple[PlacedWaiver, ...]
) -> tuple[Counter[str], list[Verdict]]:
    """Return how many differences each waiver covers, by the place of the waiver, and the differences that none covers.

    A difference that several waivers cover counts for the first of them.
    """
    waived: Counter[str] = Counter()
    remaining = []
    for verdict in verdicts:
        covering = [waiver.place for waiver in waivers if waiver.covers(nos, verdict)]
        waived.update(covering[:1])
        if not covering:
            remaining.append(verdict)
    return waived, remaining


def _hide_secrets(text: str) -> str:
    """Return the message of a reader without the secrets of the line that it may repeat."""
    return make_printable(mask_secrets(text[:300].encode()).decode())


# Differences of statements as findings: in the words of the switch model if it shows them, else by path and values.

MOST_READ = 6
"""The most groups of like differences of a device that are described by the model; others are described by path."""

MOST_CHARACTERS = 200
"""The longest step of a path, or value, that is printed."""

MOST_NAMED = 4
"""The most lines of a section, or fields of a row, that are named with it."""

_SECRET_WORD = re.compile(
    r"(?i)((?:\b|_)(?:password|passphrase|passkey|secret|key|community|cak|md5|sha\d*)\b|\bsnmp-server host \S+)(.+)"
)
_SECRET_STEP = re.compile(r"(?i).*(?:passw|passkey|passphrase|secret|community|(?:^|_)(?:cak|key)$).*")
_CRYPT = re.compile(r"\$(?:\w{1,8})\$\S+")


@dataclass(frozen=True, slots=True)
class _LeadingError:
    """An error with the errors below its path that follow from it, such as a missing row with its missing fields.

    `instead`: what stands in place of the missing statement, such as another server in the same list.
    """

    verdict: Verdict
    below: tuple[Verdict, ...] = ()
    instead: _LeadingError | None = None

    @property
    def path(self) -> Path:
        """The path of the statement that differs."""
        return self.verdict.difference.path

    def list_verdicts(self) -> list[Verdict]:
        """Return all differences of the error: its own, those below it, and those of what stands instead."""
        return [self.verdict, *self.below, *(self.instead.list_verdicts() if self.instead else ())]

    def make_signature(self) -> tuple[object, ...]:
        """Return a key that is equal for the same change elsewhere: the side, and the path without numbers in it."""
        shape = tuple(re.sub(r"[0-9][0-9a-fA-F:./]*", "#", step) for step in self.path)
        below = frozenset(v.difference.path[-1] for v in self.below)
        return (*shape, self.verdict.difference.side, below, self.instead and self.instead.make_signature())


def list_findings(
    device: str, nos: str, errors: list[Verdict], planned: Statements, spelling: Spelling
) -> Iterator[DriftFinding]:
    """Yield at least one finding for each leading error; errors that follow from one are part of its finding.

    Errors that make the same change in several places are put into words together: the change is made to the planned
    statements, and the switch that these then mean is compared with the planned one. Only the first MOST_READ kinds of
    change are treated so; others are told by path.
    """
    causes_by_signature: dict[tuple[object, ...], list[_LeadingError]] = {}
    for cause in _pair_replacements(_group_causes(errors)):
        causes_by_signature.setdefault(cause.make_signature(), []).append(cause)
    reader = _DifferenceReader(device, nos, planned, spelling) if causes_by_signature else None
    for number, causes in enumerate(causes_by_signature.values()):
        # like causes are applied to the plan together: a hundred MTUs are read at once, and told apart by their names
        findings_by_path = reader.describe_causes(causes) if reader and number < MOST_READ else {}
        for cause in causes:
            # if a rule says why it is an error, that is more than the model can say
            yield from (not cause.verdict.why and findings_by_path.get(cause.path)) or [
                _name_below(describe_by_path(device, cause_part.verdict, Severity.ERROR), cause_part)
                for cause_part in (cause, cause.instead)
                if cause_part
            ]


def _name_below(finding: DriftFinding, cause: _LeadingError) -> DriftFinding:
    """Add to the finding of a row or section the names of what stands in it."""
    # a step of a path may be a secret itself
    names = [mask_path(verdict.difference.path[-1:])[0] for verdict in cause.below]
    if not names:
        return finding
    return replace(finding, text=f"{finding.text}, with {list_few(names, MOST_NAMED)}")


def _group_causes(errors: list[Verdict]) -> list[_LeadingError]:
    """Return leading errors, in the order of `errors`, each with the errors that it explains.

    An error leads unless another error is at a path above its own, on the same side (missing or extra).
    """
    error_by_path: dict[Path, Verdict] = {verdict.difference.path: verdict for verdict in errors}
    errors_below: dict[Path, list[Verdict]] = {}
    leading: list[Verdict] = []
    for verdict in errors:
        path, side = verdict.difference.path, verdict.difference.side
        # the shortest path first: the topmost row that differs leads
        paths_above = (path[:depth] for depth in range(1, len(path)))
        topmost_path = next(
            (
                parent
                for parent in paths_above
                if parent in error_by_path and error_by_path[parent].difference.side == side
            ),
            None,
        )
        if topmost_path is None:
            leading.append(verdict)
        else:
            errors_below.setdefault(topmost_path, []).append(verdict)
    return [_LeadingError(verdict, tuple(errors_below.get(verdict.difference.path, ()))) for verdict in leading]


def _pair_replacements(causes: list[_LeadingError]) -> list[_LeadingError]:
    """Pair a missing statement with what stands instead: the only extra statement that differs in its last word alone.

    The extra statement becomes `instead` of the missing one, and is left out itself. Each by itself would be read as
    something that no switch runs, such as a DSCP in no class or a port without FEC.
    """
    causes_by_place: dict[tuple[object, ...], list[_LeadingError]] = {}
    for cause in causes:
        *sections_above, last_line = cause.path
        causes_by_place.setdefault((*sections_above, last_line.rpartition(" ")[0]), []).append(cause)
    pair_by_path: dict[Path, _LeadingError | None] = {}
    for causes_at_place in causes_by_place.values():
        causes_by_side = sorted(causes_at_place, key=lambda cause: cause.verdict.difference.side, reverse=True)
        if [cause.verdict.difference.side for cause in causes_by_side] == ["missing", "extra"]:
            # the extra one is part of the finding for the missing one, in whose place it stands
            missing, extra = causes_by_side
            pair_by_path[missing.path], pair_by_path[extra.path] = replace(missing, instead=extra), None
    return [paired for cause in causes if (paired := pair_by_path.get(cause.path, cause))]


class _DifferenceReader:
    """Reads the planned statements with some of a device's differences applied, to say what these mean."""

    def __init__(self, device: str, nos: str, planned: Statements, spelling: Spelling) -> None:
        self._device, self._nos, self._planned, self._spelling = device, nos, planned, spelling
        self._planned_switch = self._read_model(planned)

    def describe_causes(self, causes: list[_LeadingError]) -> Mapping[Path, list[DriftFinding]]:
        """Apply some causes to the planned statements; return the findings that result, by path of their cause.

        A finding is of the cause that shares most names with it, such as a port or a VLAN. Empty if the planned or the
        changed statements cannot be read as a switch.
        """
        if self._planned_switch is None:
            return {}
        statements = dict(self._planned)
        for cause in causes:
            for verdict in cause.list_verdicts():
                _apply_difference(statements, verdict)
        switch = self._read_model(statements)
        if switch is None:
            return {}
        by_name: dict[str, list[_LeadingError]] = {}
        for cause in causes:
            for name in _find_names(" ".join([*cause.path, *(cause.instead.path if cause.instead else ())])):
                by_name.setdefault(name, []).append(cause)
        findings_by_path: dict[Path, list[DriftFinding]] = {}
        removed = {cause.path for cause in causes if cause.verdict.difference.running is None and not cause.instead}
        for finding in compare_switches(self._device, switch, self._planned_switch):
            if finding.severity == Severity.ERROR:
                for path in _match_names(finding, by_name) if len(causes) > 1 else [causes[0].path]:
                    # a missing statement adds nothing: without its VNI, a VLAN of a VRF is read as a VLAN of hosts
                    if path not in removed or finding.text != UNPLANNED:
                        findings_by_path.setdefault(path, []).append(replace(finding, path=mask_path(path)))
        return findings_by_path

    def _read_model(self, statements: Statements) -> Switch | None:
        """Read statements as the model of a switch; None if it or a part of it cannot be read."""
        try:
            with tolerate_unknown_text() as notes:
                switch: Switch = load_part(self._nos, "reader").read(self._spelling.files_of(statements))
        except CANNOT_READ:
            return None
        return None if notes.unread else switch


def _apply_difference(statements: Statements, verdict: Verdict) -> None:
    """Change planned statements, in place, to what runs instead."""
    difference = verdict.difference
    if difference.running is None:
        statements.pop(difference.path, None)
    elif difference.path[-1] != UNREADABLE:
        statements[difference.path] = difference.running


def _match_names(finding: DriftFinding, by_name: Mapping[str, list[_LeadingError]]) -> list[Path]:
    """Return the paths of the causes that share most names with a finding; names behind `, planned: ` do not count."""
    names = _find_names(f"{finding.subject} {finding.text.partition(', planned: ')[0]}")
    counts = Counter(cause.path for name in names for cause in by_name.get(name, ()))
    highest = max(counts.values(), default=0)
    return [path for path, count in counts.items() if count == highest]


def _find_names(text: str) -> set[str]:
    """Return the words of a text with a digit in them: ports, addresses, VLANs."""
    return set(re.findall(r"[\w./:-]*\d[\w./:-]*", text.replace("|", " ")))


def describe_by_path(device: str, verdict: Verdict, severity: Severity) -> DriftFinding:
    """Return a difference as a finding at its path, with its values unless they are secret.

    A rule that says why the difference is an error is quoted.
    """
    difference = verdict.difference
    path, is_secret = mask_path(difference.path), verdict.secret or _SECRET_STEP.fullmatch(difference.path[-1])
    running, planned = _quote_value(difference.running, is_secret), _quote_value(difference.planned, is_secret)
    if difference.path[-1] == UNREADABLE:
        path, text = path[:-1], f"cannot be read: {difference.running or difference.planned}"
    elif difference.running is None:
        text = "is missing" + (f", planned: {planned}" if planned else "")
    elif difference.planned is None:
        text = f"is {running}, planned: not set" if running else "is not planned"
    else:
        text = "is not the secret that is planned" if is_secret else f"is {running}, planned: {planned}"
    if verdict.kind == "error" and verdict.why:
        text = f"{text}: {verdict.why}"
    return DriftFinding(device, format_path(path), text, severity, path)


def _quote_value(value: str | None, secret: object) -> str:
    if not value:
        return ""
    return MASK if secret else _mask_secrets(value)[:MOST_CHARACTERS]


def mask_path(path: Path) -> Path:
    """Return a path with secrets masked, each step cut to `MOST_CHARACTERS`."""
    parents = ("", *(step.lower() for step in path))
    # the name below these is itself the secret: a community of SNMP, but not one of BGP
    has_secret_name = (
        parent == "snmp_community" or (parent == "community" and parents[1] == "snmp") for parent in parents
    )
    return tuple(
        MASK if is_secret else _mask_secrets(step)[:MOST_CHARACTERS]
        for step, is_secret in zip(path, has_secret_name, strict=False)
    )


def _mask_secrets(text: str) -> str:
    return _CRYPT.sub(MASK, _SECRET_WORD.sub(rf"\1 {MASK}", text)) if " " in text or "$" in text else text


def format_path(path: Iterable[str]) -> str:
    """Return a path for people: `PORT|Ethernet0|mtu` as SONiC's tools write it, else with ` / ` between steps."""
    steps = list(path)
    # tables of config_db are in capitals without a blank; sections of other systems, and files, are not
    is_table = len(steps) > 1 and " " not in steps[0] and steps[0].isupper()
    return ("|" if is_table else " / ").join(steps)
