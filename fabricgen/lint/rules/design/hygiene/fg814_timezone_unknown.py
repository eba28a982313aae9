"""FG814: a timezone is not in the tz database, or not that of the other switches."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.fabric_model import FabricDesign
from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity, did_you_mean
from fabricgen.lint.rule import DesignRule
from fabricgen.lint.subjects.addressing import list_stated_managements
from fabricgen.lint.subjects.managed import find_setting_path, list_managed_fabrics

AREAS = frozenset(
    [
        "Africa",
        "America",
        "Antarctica",
        "Arctic",
        "Asia",
        "Atlantic",
        "Australia",
        "Brazil",
        "Canada",
        "Chile",
        "Etc",
        "Europe",
        "Indian",
        "Mexico",
        "Pacific",
        "US",
    ]
)
"""The areas that names of zones begin with, including those of the tz database's file `backward`."""

PLAIN = frozenset(
    [
        "CET",
        "CST6CDT",
        "Cuba",
        "EET",
        "EST",
        "EST5EDT",
        "Egypt",
        "Eire",
        "GB",
        "GB-Eire",
        "GMT",
        "GMT+0",
        "GMT-0",
        "GMT0",
        "Greenwich",
        "HST",
        "Hongkong",
        "Iceland",
        "Iran",
        "Israel",
        "Jamaica",
        "Japan",
        "Kwajalein",
        "Libya",
        "MET",
        "MST",
        "MST7MDT",
        "NZ",
        "NZ-CHAT",
        "Navajo",
        "PRC",
        "PST8PDT",
        "Poland",
        "Portugal",
        "ROC",
        "ROK",
        "Singapore",
        "Turkey",
        "UCT",
        "UTC",
        "Universal",
        "W-SU",
        "WET",
        "Zulu",
    ]
)
"""Names of zones that are a single word."""

UTC = frozenset(f"{area}{word}" for area in ("", "Etc/") for word in ("UCT", "UTC", "Universal", "Zulu"))
"""Names of universal time, on which switches run that are told no timezone."""


class TimezoneUnknown(DesignRule):
    """A timezone is not in the tz database: it begins with no area such as Europe, and is no single word such as UTC.
    Or the switches of a fabric are in another one than those of the others.

    Switches link /etc/localtime to the file of that name; without it they refuse the setting or run on UTC, and the
    logs of two switches no longer line up (tz database, theory.html, "Timezone identifiers"). Cities are not
    checked: they come and go with releases of the database. No more do logs of two zones: BSD syslog has local time
    without saying of where (RFC 3164, 4.1.2), and one hour of a night in autumn comes twice. UTC is right for a fleet.

    State one `management.timezone` for all.
    """

    counts_ports = False
    severity = Severity.WARNING
    bad = """
        management:
          timezone: Europa/Berlin  # <-
    """
    good = """
        management: {timezone: Europe/Berlin}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Flag timezones of an unknown area or single word, and fabrics whose timezone is not the usual one."""
        for base, management in list_stated_managements(design):
            zone = management.timezone
            area, _, city = zone.partition("/") if zone else ("", "", "")
            names = AREAS if city else PLAIN
            if zone and area not in names:
                hint = "write it like UTC or Europe/Berlin; " + did_you_mean(area, names)
                yield self.flag((*base, "timezone"), f"the tz database has no timezone '{zone}'", hint)
        zones: dict[str, list[FabricDesign]] = {}
        for fabric, _, management in list_managed_fabrics(design):
            zones.setdefault(_normalize_zone(management.timezone), []).append(fabric)
        cluster_zone = _normalize_zone(design.loaded.blueprint.management.timezone)
        usual = cluster_zone if cluster_zone in zones else next(iter(zones), "")
        usual_fabrics = ", ".join(fabric.name for fabric in zones.get(usual, ()))
        for zone, fabrics in zones.items():
            for fabric in fabrics if zone != usual else ():
                message = f"the switches of {fabric.name} are on {zone}, those of {usual_fabrics} on {usual}"
                yield self.flag(
                    find_setting_path(design, fabric, "timezone"), message, "state one `management.timezone` for all"
                )


def _normalize_zone(zone: str | None) -> str:
    """Return the name of a timezone; `UTC` for None and for any name of universal time."""
    return "UTC" if zone is None or zone in UTC else zone
