"""For the technician: a workbook of plugs to move in walking order, with boxes to tick, and labels to compare."""

from __future__ import annotations

from collections.abc import Sequence

from fabricgen.export.technician.sheet import BOLD, NUMBER, REDLINE, SMALL, TEXT, SheetColumn, WorkSheet
from fabricgen.export.technician.workbook import Cover, write_work_sheets
from fabricgen.kernel.diagnostics import make_printable
from fabricgen.reports.table import Cell
from fabricgen.verify.actions import End
from fabricgen.verify.report import Report
from fabricgen.verify.reports._words import Stop, describe_cost, describe_work, list_alternatives, list_stops, name_end
from fabricgen.verify.reports.text import summarize_hall

_HOW = tuple(
    """\
Work through the sheet moves from the top down: racks come in the order in which one walks past. Rows of one number \
belong together and are in the order in which plugs are pulled: lay the first plug aside until its place is free.
Pull the plug at `port` of `device` and put it into `put_port` of `put_device`; where `do` is box, take \
the whole box there; where it is look, something is to be found out there, and the sheet \
actions says what. A cage is what is printed on the device (33/2: its second connector), a port what its system calls \
it.
Where `reaches` is no, the planned cable does not reach from there, so another is plugged: bring the planned one.
Tick off: `done` for what is right now, `fault` for what could not be done, and why into remark.
Compare each plug that was moved with the sheet labels. Print those that read otherwise, or hang on a new cable.
Give it back: have the devices dumped again, and run `fabricgen verify` again.""".splitlines()
)


def report(report: Report) -> bytes:
    """Write the workbook; equal reports give equal bytes. Raises InputError (FG029) if a sheet has too many rows."""
    stops = list_stops(report)
    sheets = [_list_moves(report, stops), _list_actions(report, stops), _list_labels(stops)]
    name = make_printable(report.name)
    return write_work_sheets(f"{name} moves", name, _make_cover(report, name, stops, sheets))


def _make_cover(report: Report, name: str, stops: Sequence[Stop], sheets: Sequence[WorkSheet]) -> Cover:
    # the cover sheet: numbers of things to do, and which sheets follow
    counts = [
        ("actions", len(report.actions)),
        ("plugs to move", sum(action.moves for action in report.actions)),
        ("boxes to exchange", sum(action.boxes for action in report.actions)),
        ("racks to go to", len({end.rack for stop in stops for end in (stop.pull_end, stop.put_end) if end.rack})),
    ]
    return Cover(name, "What to move", summarize_hall(report).partition(": ")[2], counts, (), sheets, _HOW)


def _list_moves(report: Report, stops: Sequence[Stop]) -> WorkSheet:
    """Return the sheet of plugs to move and places to look at; rows of one action share a shade."""
    columns = (
        SheetColumn("no", 6, BOLD, [f"{stop.number}.{stop.step}" for stop in stops]),
        SheetColumn("do", 5, TEXT, [_name_work(stop) for stop in stops]),
        SheetColumn("rack", 15, SMALL, [_describe_rack(report, stop.pull_end) for stop in stops]),
        SheetColumn("u", 5, NUMBER, [stop.pull_end.u or "" for stop in stops]),
        SheetColumn("device", 20, SMALL, [make_printable(stop.pull_end.device) for stop in stops]),
        SheetColumn("port", 13, BOLD, [make_printable(stop.pull_end.port) for stop in stops]),
        SheetColumn("cage", 8, BOLD, [make_printable(stop.pull_end.connector or stop.pull_end.cage) for stop in stops]),
        SheetColumn("put_rack_u", 18, SMALL, [_locate_target(report, stop) for stop in stops]),
        SheetColumn("put_device", 20, SMALL, [_name_target(stop) for stop in stops]),
        SheetColumn("put_port", 13, BOLD, [make_printable(stop.put_end.port) for stop in stops]),
        SheetColumn(
            "put_cage", 8, BOLD, [make_printable(stop.put_end.connector or stop.put_end.cage) for stop in stops]
        ),
        SheetColumn("cable", 20, SMALL, [make_printable(stop.cable) for stop in stops]),
        SheetColumn("reaches", 7, TEXT, [{None: "", True: "yes", False: "no"}[stop.reaches] for stop in stops]),
        SheetColumn("done", 7, REDLINE),
        SheetColumn("remark", 14, REDLINE),
    )
    bands = [stop.number % 2 == 0 for stop in stops]
    return WorkSheet("moves", "Plugs to move and places to look at, in walking order", len(stops), columns, bands=bands)


def _name_work(stop: Stop) -> str:
    return "box" if stop.action.boxes and not stop.action.steps else "pull" if stop.put_end.device else "look"


def _name_target(stop: Stop) -> str:
    return "same" if stop.put_end.device == stop.pull_end.device else make_printable(stop.put_end.device)


def _locate_target(report: Report, stop: Stop) -> str:
    """Return rack and unit of the place where a plug is put, if that is on another device; else ""."""
    put_end = stop.put_end
    if not put_end.device or put_end.device == stop.pull_end.device:
        return ""
    rack = "same rack" if put_end.rack == stop.pull_end.rack else _describe_rack(report, put_end)
    return f"{rack} U{put_end.u}" if put_end.u else rack


def _describe_rack(report: Report, end: End) -> str:
    """Return the name of a rack, and where it stands on a second line."""
    location = report.rack_order.places.get(end.rack, "")
    return "\n".join(make_printable(text) for text in (end.rack, location) if text)


def _list_actions(report: Report, stops: Sequence[Stop]) -> WorkSheet:
    """Make the sheet that says what each action is about, with the numbers of the sheet of moves."""
    actions = list({stop.number: stop.action for stop in stops}.values())
    listed = {action.id for action in actions}
    actions += [action for action in report.actions if action.id not in listed]
    prose = [
        (make_printable(action.text), describe_cost(action.consequence), "\n".join(list_alternatives(action)))
        for action in actions
    ]
    columns = (
        SheetColumn("no", 6, BOLD, [str(number) for number in range(1, len(actions) + 1)]),
        SheetColumn("kind", 11, TEXT, [action.kind.value for action in actions]),
        SheetColumn("takes", 14, SMALL, [describe_work(action) for action in actions]),
        SheetColumn("what", 46, SMALL, [text for text, _, _ in prose]),
        SheetColumn("until_then", 36, SMALL, [costs for _, costs, _ in prose]),
        SheetColumn("or", 36, SMALL, [alternatives for _, _, alternatives in prose]),
        SheetColumn("id", 20, SMALL, [action.id for action in actions]),
        SheetColumn("done", 7, REDLINE),
        SheetColumn("remark", 16, REDLINE),
    )
    lines = [
        max(2, *(_count_lines(text, width) for text, width in zip(texts, (46, 36, 36), strict=True))) for texts in prose
    ]
    return WorkSheet("actions", "What is to be done, and why", len(actions), columns, lines=lines)


def _count_lines(text: str, width: int) -> int:
    """Return the lines that small text takes in a column; its characters are narrower than the unit of widths."""
    return sum(-(-len(line) // round(width * 1.15)) or 1 for line in text.split("\n"))


def _list_labels(stops: Sequence[Stop]) -> WorkSheet:
    """Make the sheet of what the label of each moved plug should read, and of the names of exchanged boxes."""
    rows: list[tuple[Cell, ...]] = [
        (f"{stop.number}.{stop.step}", name_end(stop.put_end), *_split_label(stop.put_end.label), stop.cable)
        for stop in stops
        if stop.put_end.label
    ]
    for number, action in {stop.number: stop.action for stop in stops}.items():
        rows += [
            (str(number), f"box that calls itself {box}", planned_name, "", "")
            for box, planned_name in sorted(action.renamed.items())
        ]
    columns = list(zip(*rows, strict=True)) or [()] * 5
    numbers, places, line1, line2, cables = ([make_printable(str(cell)) for cell in column] for column in columns)
    return WorkSheet(
        "labels",
        "Labels to compare, and to print where they read otherwise",
        len(rows),
        (
            SheetColumn("no", 6, BOLD, numbers),
            SheetColumn("where", 34, SMALL, places),
            SheetColumn("line1", 40, BOLD, line1),
            SheetColumn("line2", 40, BOLD, line2),
            SheetColumn("cable", 34, SMALL, cables),
            SheetColumn("done", 7, REDLINE),
        ),
    )


def _split_label(label: str) -> tuple[str, str]:
    """Split a label into its near end, and its far end with `> ` before it."""
    near_end, _, far_end = label.partition(" > ")
    return near_end, f"> {far_end}" if far_end else ""
