"""Running configurations against planned ones, device by device, in several processes."""

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
from fabricgen.running.tree import CANNOT_READ, read_tolerantly
from fabricgen.switch.model import Switch
from fabricgen.verify.drift.collected import Collected, collect_configurations, read_device_files
from fabricgen.verify.drift.comparing import UNPLANNED, compare_switches
from fabricgen.verify.drift.finding import Checked, Drift, DriftFinding, PlacedWaiver, find_valid_waivers, judge_waivers
from fabricgen.verify.drift.planned import PlannedConfigs
from fabricgen.verify.dumps._sources import DumpSource
from fabricgen.verify.sightings import list_few

BATCH = 64
"""Devices that a process compares in one go: switches of one shape are rendered together."""

Files = Mapping[str, str]


@dataclass(frozen=True)
class CheckRequest:
    """What a comparison is asked for: whether foreign differences are errors, and what is waived on a day."""

    strict: bool = False
    waivers: tuple[PlacedWaiver, ...] = ()
    as_of: str = ""


def check_running(folder: str, planned: PlannedConfigs, jobs: int = 0, request: CheckRequest = CheckRequest()) -> Drift:
    """Compare what is collected in a folder with the plan.

    `jobs` is a number of processes, 0 for as many as there are processors; the result does not depend on it. Raises
    InputError (FG144) where the folder has nothing of the plan's devices, and for planned files that cannot be read.
    """
    devices = planned.list_devices()
    gathered = collect_configurations(folder, devices)
    present = [name for name in devices if name in gathered.files]
    batches = [present[at : at + BATCH] for at in range(0, len(present), BATCH)]
    work = _Batch(planned, gathered, batches, request)
    checked = [device for batch in run_in_order(work, len(batches), jobs or count_processors()) for device in batch]
    missing = tuple(name for name in devices if name not in gathered.files)
    beside = (
        *_report_uncollected(gathered, missing),
        *judge_waivers(request.waivers, request.as_of, checked, not missing),
    )
    ignored = sorted({*gathered.ignored, *(file for device in checked for file in device.ignored)})
    return Drift(tuple(checked), missing, tuple(gathered.unknown), tuple(ignored), beside)


def _report_uncollected(gathered: Collected, missing: tuple[str, ...]) -> Iterator[DriftFinding]:
    # yields devices of which no file was collected, and files that are of no device of the plan
    for name in missing:
        yield DriftFinding(name, "", "no running configuration of it was collected", Severity.WARNING)
    for file, name in gathered.unknown:
        complaint = (
            f"calls itself {name}, which the plan does not have" if name else "says of no device that it is of it"
        )
        yield DriftFinding(make_printable(file), "", complaint, Severity.WARNING)


@dataclass(frozen=True)
class _Batch:
    """What a process does: all devices of a batch."""

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
    # what one device runs against its planned files: recognised, prepared, and compared statement by statement
    try:
        shown = read_device_files(sources)
    except InputError as error:
        return Checked(device, (), (DriftFinding(device, "", error.diagnostics[0].message),))
    files, ignored = tuple(shown.files), tuple(shown.ignored)
    nos = find_nos(planned)
    if nos not in shown.by_nos:
        return Checked(
            device, files, (DriftFinding(device, "", _describe_other_nos(nos, sorted(shown.by_nos))),), ignored=ignored
        )
    prepared = prepare_files(nos, shown.by_nos[nos], planned)
    if prepared.lack:
        return Checked(device, files, (DriftFinding(device, "", prepared.lack),), ignored=ignored)
    findings = [
        DriftFinding(
            device, "", f"{make_printable(earlier_file)} and {make_printable(file)} are both its {name}, and differ"
        )
        for name, file, earlier_file in shown.twice
    ]
    findings += [describe_by_path(device, verdict, Severity.ERROR) for verdict in prepared.verdicts]
    findings += [DriftFinding(device, subject, text, severity) for subject, text, severity in prepared.notes]
    # nearly all devices: no statement has to be read
    if prepared.files == dict(planned):
        return Checked(device, files, tuple(findings), ignored=ignored)
    return _judge_statements(
        Checked(device, files, tuple(findings), ignored=ignored), nos, (prepared.files, planned), request
    )


def _describe_other_nos(nos: str, found_nos: list[str]) -> str:
    # why the collected files cannot be compared with a plan for `nos`: those of which NOS they are
    if not found_nos:
        return "what was collected is no running configuration"
    catalog = Catalog()
    runs = " and ".join(catalog.naming(nos_name).title for nos_name in found_nos)
    return f"runs {runs}; the plan has {catalog.naming(nos).title}"


def _judge_statements(begun: Checked, nos: str, files: tuple[Files, Files], request: CheckRequest) -> Checked:
    """The findings of (running, planned) files, statement by statement."""
    device, spelling = begun.device, load_spelling(nos)
    planned = spelling.read_statements(files[1])
    try:
        verdicts = load_rules(nos).judge(spelling.read_statements(files[0]), planned)
    except CANNOT_READ as error:
        why = _hide_secrets(str(error).splitlines()[0] if str(error) else type(error).__name__)
        text = f"its configuration cannot be understood: {why}"
        return Checked(device, begun.files, (*begun.findings, DriftFinding(device, "", text)), ignored=begun.ignored)
    held = find_valid_waivers(request.waivers, request.as_of)
    waived, errors = _apply_waivers(nos, verdicts.errors + (verdicts.foreign if request.strict else []), held)
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
    """How many differences each waiver covers, by its place, and those that none does."""
    waived: Counter[str] = Counter()
    remaining = []
    for verdict in verdicts:
        covering = [waiver.place for waiver in waivers if waiver.covers(nos, verdict)]
        waived.update(covering[:1])
        if not covering:
            remaining.append(verdict)
    return waived, remaining


def _hide_secrets(text: str) -> str:
    """A reader's words without secrets of the line that they may repeat."""
    return make_printable(mask_secrets(text[:300].encode()).decode())


# Differences of statements as findings: in the words of the model where it has any, else by path and values.

MOST_READ = 6
"""Readings of a device's configuration for words; a device that differs in more ways is told by paths from there on."""

MOST_CHARACTERS = 200
"""The longest step of a path, and value, that is told."""

MOST_NAMED = 4
"""Lines of a section, or fields of a row, that are named with it."""

_SECRET_WORD = re.compile(
    r"(?i)((?:\b|_)(?:password|passphrase|passkey|secret|key|community|cak|md5|sha\d*)\b|\bsnmp-server host \S+)(.+)"
)
_SECRET_STEP = re.compile(r"(?i).*(?:passw|passkey|passphrase|secret|community|(?:^|_)(?:cak|key)$).*")
_CRYPT = re.compile(r"\$(?:\w{1,8})\$\S+")


@dataclass(frozen=True, slots=True)
class _LeadingError:
    """An error with those below it that follow from it: a missing row, and its fields.

    `instead`: what stands in the place of what is missing, such as another server in the same list.
    """

    verdict: Verdict
    below: tuple[Verdict, ...] = ()
    instead: _LeadingError | None = None

    @property
    def path(self) -> Path:
        return self.verdict.difference.path

    def list_verdicts(self) -> list[Verdict]:
        """All differences that are laid in to say what it comes to."""
        return [self.verdict, *self.below, *(self.instead.list_verdicts() if self.instead else ())]

    def make_signature(self) -> tuple[object, ...]:
        """What it has in common with the same change elsewhere: its side and path without numbers and addresses."""
        shape = tuple(re.sub(r"[0-9][0-9a-fA-F:./]*", "#", step) for step in self.path)
        below = frozenset(v.difference.path[-1] for v in self.below)
        return (*shape, self.verdict.difference.side, below, self.instead and self.instead.make_signature())


def list_findings(
    device: str, nos: str, errors: list[Verdict], planned: Statements, spelling: Spelling
) -> Iterator[DriftFinding]:
    """Yield at least one finding for each error; those that follow from a missing or extra row are told with it."""
    alike: dict[tuple[object, ...], list[_LeadingError]] = {}
    for cause in _pair_replacements(_group_causes(errors)):
        alike.setdefault(cause.make_signature(), []).append(cause)
    reader = _DifferenceReader(device, nos, planned, spelling) if alike else None
    for number, causes in enumerate(alike.values()):
        # causes alike are laid in together: a hundred MTUs are read at once, and told apart by their names
        words = reader.describe_causes(causes) if reader and number < MOST_READ else {}
        for cause in causes:
            # a rule that names an error says more than the model: why
            yield from (not cause.verdict.why and words.get(cause.path)) or [
                _name_below(describe_by_path(device, part.verdict, Severity.ERROR), part)
                for part in (cause, cause.instead)
                if part
            ]


def _name_below(finding: DriftFinding, cause: _LeadingError) -> DriftFinding:
    """A finding of a row or section with what stands in it, by name."""
    # a step of a path may be a secret itself
    names = [mask_path(verdict.difference.path[-1:])[0] for verdict in cause.below]
    if not names:
        return finding
    return replace(finding, text=f"{finding.text}, with {list_few(names, MOST_NAMED)}")


def _group_causes(errors: list[Verdict]) -> list[_LeadingError]:
    """Errors, each with those at paths below it on the same side."""
    above: dict[Path, Verdict] = {verdict.difference.path: verdict for verdict in errors}
    below: dict[Path, list[Verdict]] = {}
    first: list[Verdict] = []
    for verdict in errors:
        path = verdict.difference.path
        # shortest first: the finding is told of the topmost row that differs
        tops = (path[:depth] for depth in range(1, len(path)))
        top = next((t for t in tops if t in above and above[t].difference.side == verdict.difference.side), None)
        if top is None:
            first.append(verdict)
        else:
            below.setdefault(top, []).append(verdict)
    return [_LeadingError(verdict, tuple(below.get(verdict.difference.path, ()))) for verdict in first]


def _pair_replacements(causes: list[_LeadingError]) -> list[_LeadingError]:
    """Causes of which what is missing has what stands instead: the one line that differs in its last word alone.

    Each by itself would be read as what no switch runs: a DSCP in no class, a port without FEC.
    """
    by_place: dict[tuple[object, ...], list[_LeadingError]] = {}
    for cause in causes:
        *above, last = cause.path
        by_place.setdefault((*above, last.rpartition(" ")[0]), []).append(cause)
    pairs: dict[Path, _LeadingError | None] = {}
    for together in by_place.values():
        sides = sorted(together, key=lambda cause: cause.verdict.difference.side, reverse=True)
        if [cause.verdict.difference.side for cause in sides] == ["missing", "extra"]:
            # what is extra is told with what is missing, at whose place it stands
            pairs[sides[0].path], pairs[sides[1].path] = replace(sides[0], instead=sides[1]), None
    return [kept for cause in causes if (kept := pairs.get(cause.path, cause))]


class _DifferenceReader:
    """Reads the plan with some of a device's differences laid in, to say what they come to."""

    def __init__(self, device: str, nos: str, planned: Statements, spelling: Spelling) -> None:
        self._device, self._nos, self._planned, self._spelling = device, nos, planned, spelling
        self._planned_switch = self._read_model(planned)

    def describe_causes(self, causes: list[_LeadingError]) -> Mapping[Path, list[DriftFinding]]:
        """What differs once some causes are laid in, by the cause that it is of: the one whose name it says."""
        if self._planned_switch is None:
            return {}
        statements = dict(self._planned)
        for cause in causes:
            for verdict in cause.list_verdicts():
                _lay_in(statements, verdict)
        switch = self._read_model(statements)
        if switch is None:
            return {}
        by_name: dict[str, list[_LeadingError]] = {}
        for cause in causes:
            for name in _find_names(" ".join([*cause.path, *(cause.instead.path if cause.instead else ())])):
                by_name.setdefault(name, []).append(cause)
        findings_by_path: dict[Path, list[DriftFinding]] = {}
        removed = {cause.path for cause in causes if cause.verdict.difference.running is None and not cause.instead}
        for finding in compare_switches(self._device, switch, self._planned_switch, frozenset()):
            if finding.severity == Severity.ERROR:
                for path in _match_names(finding, by_name) if len(causes) > 1 else [causes[0].path]:
                    # what is gone adds nothing: a VLAN of a VRF is one of hosts to a reader that misses its VNI
                    if path not in removed or finding.text != UNPLANNED:
                        findings_by_path.setdefault(path, []).append(replace(finding, path=mask_path(path)))
        return findings_by_path

    def _read_model(self, statements: Statements) -> Switch | None:
        """The model of the switch, None where it or a part of it cannot be read."""
        try:
            with read_tolerantly() as notes:
                switch: Switch = load_part(self._nos, "reader").read(self._spelling.files_of(statements))
        except CANNOT_READ:
            return None
        return None if notes.unread else switch


def _lay_in(statements: Statements, verdict: Verdict) -> None:
    """Put a difference into the statements of the plan."""
    difference = verdict.difference
    if difference.running is None:
        statements.pop(difference.path, None)
    elif difference.path[-1] != UNREADABLE:
        statements[difference.path] = difference.running


def _match_names(finding: DriftFinding, by_name: Mapping[str, list[_LeadingError]]) -> list[Path]:
    """The paths of the causes of which a finding says the most names; what was planned instead is none of them."""
    names = _find_names(f"{finding.subject} {finding.text.partition(', planned: ')[0]}")
    counts = Counter(cause.path for name in names for cause in by_name.get(name, ()))
    most = max(counts.values(), default=0)
    return [path for path, count in counts.items() if count == most]


def _find_names(text: str) -> set[str]:
    """Words with a digit in them: ports, addresses, VLANs."""
    return set(re.findall(r"[\w./:-]*\d[\w./:-]*", text.replace("|", " ")))


def describe_by_path(device: str, verdict: Verdict, severity: Severity) -> DriftFinding:
    """A difference at its place, with its values unless they are secret."""
    difference = verdict.difference
    path, secret = mask_path(difference.path), verdict.secret or _SECRET_STEP.fullmatch(difference.path[-1])
    running, planned = _quote_value(difference.running, secret), _quote_value(difference.planned, secret)
    if difference.path[-1] == UNREADABLE:
        path, text = path[:-1], f"cannot be read: {difference.running or difference.planned}"
    elif difference.running is None:
        text = "is missing" + (f", planned: {planned}" if planned else "")
    elif difference.planned is None:
        text = f"is {running}, planned: not set" if running else "is not planned"
    else:
        text = "is not the secret that is planned" if secret else f"is {running}, planned: {planned}"
    if verdict.kind == "error" and verdict.why:
        text = f"{text}: {verdict.why}"
    return DriftFinding(device, format_path(path), text, severity, path)


def _quote_value(value: str | None, secret: object) -> str:
    if not value:
        return ""
    return MASK if secret else _mask_secrets(value)[:MOST_CHARACTERS]


def mask_path(path: Path) -> Path:
    """A path without secrets that lines of it may have, each step as long as a line may be that people read."""
    above = ("", *(step.lower() for step in path))
    # whose name is the secret: a community of SNMP, and none of BGP
    named = (word == "snmp_community" or (word == "community" and above[1] == "snmp") for word in above)
    return tuple(
        MASK if is_named else _mask_secrets(step)[:MOST_CHARACTERS] for step, is_named in zip(path, named, strict=False)
    )


def _mask_secrets(text: str) -> str:
    return _CRYPT.sub(MASK, _SECRET_WORD.sub(rf"\1 {MASK}", text)) if " " in text or "$" in text else text


def format_path(path: Iterable[str]) -> str:
    """A path as people read it: `PORT|Ethernet0|mtu` as SONiC's tools do, lines with ` / ` between them."""
    steps = list(path)
    # tables of config_db are in capitals without a blank, sections of other systems and names of files are not
    tables = len(steps) > 1 and " " not in steps[0] and steps[0].isupper()
    return ("|" if tables else " / ").join(steps)
