"""A workbook of the technician's pack: cover, cable bundles, pulling steps, racks, and the wiring list.

Lists are by zone, a row of racks, each a sheet whose page header names the row: so a crew takes the pages of its row.
"""

from __future__ import annotations

import datetime
import io
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from itertools import groupby

import numpy as np
import xlsxwriter

from fabricgen.export.locations import row_numbers, row_places
from fabricgen.export.technician.cover import HOW, NOTHING_TO_PULL, Contents, Cover, write_cover
from fabricgen.export.technician.patched import patch_sheets
from fabricgen.export.technician.sheet import A3, Sheet, Styles, write_sheet
from fabricgen.export.technician.sheets import (
    TechnicianPack,
    bundle_sheet,
    end_rows,
    home_rows,
    pull_sheet,
    pull_sheets,
    rack_sheet,
    racks_wired,
    wiring_sheet,
)
from fabricgen.export.technician.volumes import Volume
from fabricgen.wiring.tables import Ints64


def workbook(pack: TechnicianPack, volume: Volume) -> bytes:
    """Write a workbook; always the same bytes. Raises InputError when a sheet has too many rows."""
    rows = home_rows(pack, volume.racks)
    sheets = _named([sheet for sheet in _sheets(pack, volume, rows) if sheet.rows])
    cluster = pack.cluster.design.loaded.blueprint.name
    buffer = io.BytesIO()
    book = xlsxwriter.Workbook(buffer, {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False})
    made = datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)
    book.set_properties({"title": f"{cluster} {volume.name}", "created": made})
    styles = Styles(book)
    write_cover(book, styles, cover_of(pack, volume, sheets))
    for sheet in sheets:
        write_sheet(book, styles, sheet, f"{cluster} {volume.name}" if volume.name != cluster else cluster)
    book.close()
    return buffer.getvalue()


def _sheets(pack: TechnicianPack, volume: Volume, rows: Ints64) -> Iterator[Sheet]:
    """The sheets of a workbook, with the names they should have if possible."""
    zones = _zones(pack, volume)
    for zone, sheet in patch_sheets(pack.cluster, zones):
        yield _of_zone(sheet, zone, zones)
    at_home = {zone: home_rows(pack, racks) for zone, racks in zones.items()}
    own = [zone for zone, mine in at_home.items() if len(mine)]
    for zone in own:
        yield _of_zone(bundle_sheet(pack, at_home[zone], "bundles"), zone, own)
    for name, mine, title in pull_sheets(pack, rows):
        yield pull_sheet(pack, mine, name, title)
    for rack, _ in racks_wired(pack, volume.racks):
        yield rack_sheet(pack, rack, pack.cluster.plan.racks.names[rack])
    for zone in own:
        yield _of_zone(wiring_sheet(pack, at_home[zone], "wiring"), zone, own)


def _zones(pack: TechnicianPack, volume: Volume) -> dict[str, tuple[int, ...]]:
    """The racks of each row of a workbook, by the row's place (`h1.R03`), in the order in which they stand."""
    number, places = row_numbers(pack.cluster.plan.racks), row_places(pack.cluster)
    return {str(places[row[0]]): row for row in (tuple(of) for _, of in groupby(volume.racks, number.__getitem__))}


def _of_zone(sheet: Sheet, zone: str, zones: Collection[str]) -> Sheet:
    """A sheet whose page header names its zone, and its tab too where there are several."""
    return replace(sheet, name=f"{sheet.name} {zone}" if len(zones) > 1 else sheet.name, title=f"{zone}: {sheet.title}")


def _named(sheets: list[Sheet]) -> list[Sheet]:
    """The sheets with legal, distinct names; `cover` and wiring lists keep theirs, whatever racks are called."""
    others = [sheet for sheet in sheets if sheet.paper != A3]
    wired = [sheet for sheet in sheets if sheet.paper == A3]
    _, *names = sheet_names(["cover", *(sheet.name for sheet in (*wired, *others))])
    return [
        replace(sheet, name=name)
        for sheet, name in zip((*others, *wired), (*names[len(wired) :], *names[: len(wired)]), strict=True)
    ]


def counts(pack: TechnicianPack, racks: Collection[int]) -> list[tuple[str, int]]:
    """What a cover counts of some racks: each cable once, and its fibres and tails that go in another bundle apart."""
    wired, rows = racks_wired(pack, tuple(racks)), home_rows(pack, tuple(racks))
    plugs = int(pack.plugs_per_rack[list(racks)].sum())
    cables, fibres, tails = pack.pull_counts(rows)
    apart = (("fibres of cables in another bundle", fibres), ("tails of cables in another bundle", tails))
    return [
        ("racks with cables", len(wired)),
        ("plugs of cables in them, each with a label", plugs),
        ("cables pulled from here, each once", cables),
        *((what, count) for what, count in apart if count),
        ("bundles", len(np.unique(pack.found.pull.bundle[rows]))),
    ]


def cover_of(pack: TechnicianPack, volume: Volume, sheets: list[Sheet]) -> Cover:
    """The content of a workbook's cover; without cables to pull, it says that in place of how to pull them."""
    found, here = pack.found, end_rows(pack, volume.racks)
    tags = [found.tags[i] for i in np.unique(found.tag[here]).tolist()]
    contents = [Contents(sheet.name, sheet.title, sheet.rows) for sheet in sheets]
    how = HOW if len(home_rows(pack, volume.racks)) else (NOTHING_TO_PULL, *HOW[1:])
    cluster, subtitle = pack.cluster.design.loaded.blueprint.name, f"Racks and cables of {volume.name}"
    return Cover(cluster, "Technician's pack", subtitle, counts(pack, volume.racks), tags, contents, how)


# Sheet names that spreadsheets accept.

LONGEST = 31
"""The most characters of a sheet name (Excel specifications and limits, Microsoft: Rename a worksheet)."""

_RESERVED = frozenset({"history"})

_UNFIT = re.compile(r"[\[\]:*?/\\\x00-\x1f]")


def sheet_names(wanted: Iterable[str]) -> list[str]:
    """A legal name for each wanted one, distinct without regard to case, and changed as little as possible."""
    taken = set(_RESERVED)
    found = []
    for text in wanted:
        stem = _UNFIT.sub("_", text).strip("' ") or "sheet"
        name, number = stem[:LONGEST].rstrip("'"), 1
        while name.casefold() in taken:
            number += 1
            tail = f"~{number}"
            name = stem[: LONGEST - len(tail)] + tail
        taken.add(name.casefold())
        found.append(name)
    return found
