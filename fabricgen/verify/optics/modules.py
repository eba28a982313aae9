"""What a module or a cable is: by its part number in the catalogue, or by the words in its EEPROM."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from fabricgen.catalog.cable_models import COPPER_MEDIA, CableProfile
from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.product_models import CODED, PLAIN, Product, ProductList
from fabricgen.design.media.policy import LINEAR
from fabricgen.verify.cabling import PlannedCabling
from fabricgen.verify.dumps.sighting import Box
from fabricgen.verify.optics.report import PortReport, add_rows
from fabricgen.wiring.arrays import Ints, Ints64

if TYPE_CHECKING:
    from fabricgen.numbering.lazy_columns import EncodedColumn


COPPER, AOC = "copper", "AOC"

REACH_M = {"SR": 100.0, "VR": 50.0, "DR": 500.0, "FR": 2_000.0, "LR": 10_000.0, "ZR": 80_000.0}
"""Reach of modules by the name of their kind, m (IEEE 802.3; OIF 400ZR), used if no part number says more."""

_NAMES = re.compile(
    r"""
    (?P<rate>\d{1,4}(?:\.\d)?)(?P<unit>[GT])(?:BASE)?[-_ ] (?P<count>\dX?)? (?P<prefix>[XVPCU])?
        (?P<kind>[SVDFLE]R|CR|AR|AOC|ACC|AEC|DAC|KR) (?P<lanes>\d*) (?P<bidi>_?BD|\.2)? (?P<plus>\+)?
        (?:-(?P<distance>\d{1,3})(?!\d|\.|G))?
    | (?P<psm>PSM4) | (?P<cwdm>CWDM4) | (?P<zr>\bZR\b|\d00ZR)
    | (?P<active>Active\ (?:Optical\ )?Cable) | (?P<acc>Active\ Copper|\bACC\b|\bAEC\b|linear\ active|active\ equalizer)
    | (?P<dac>Copper\ cable|Passive\ Copper|\bDAC\b) | (?P<vcsel>850\ ?nm)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_ATTACHED = re.compile(r"no separable connector", re.IGNORECASE)


class ModuleKind(NamedTuple):
    """What a module is: `family` is copper, AOC, SR, DR, FR, LR or ZR, "" if not known.

    Modules of one family understand each other's light: DR has one wavelength for each fibre pair (as FR1 has), FR and
    LR have several. `reach_m` (m) and `gbps` are 0 if not known; `length_m` (m) is set for cables with fixed ends.
    """

    family: str = ""
    reach_m: float = 0.0
    gbps: float = 0.0
    length_m: float = 0.0

    @property
    def words(self) -> str:
        """The kind in words: `DR, 500 m`."""
        metres = self.length_m or self.reach_m
        distance = f"{metres / 1000:g} km" if metres >= 1000 else f"{metres:g} m"
        return ", ".join(filter(None, [self.family, distance if metres else ""]))


@dataclass(frozen=True)
class CatalogParts:
    """Looks up parts by their numbers: products of the catalogue, and part numbers that fabricgen itself makes up."""

    catalogue: Catalog
    _looked_up: dict[str, tuple[ModuleKind | None, CableProfile | None]] = field(default_factory=dict)

    @cached_property
    def _profiles(self) -> dict[str, CableProfile]:
        return {profile.id: profile for profile in self.catalogue.cables}

    @cached_property
    def _products(self) -> dict[str, Product]:
        """Products whose part number has no length in it, by part number in capitals."""
        return {product.part.upper(): product for product in self._all if not product.lengths_m}

    @cached_property
    def _lists(self) -> tuple[ProductList, ...]:
        return tuple(self.catalogue.products(name) for name in self.catalogue.ids("products"))

    @cached_property
    def _all(self) -> tuple[Product, ...]:
        return tuple(product for product_list in self._lists for product in product_list.products)

    @cached_property
    def _of_vendors(self) -> frozenset[str]:
        """Part numbers of products that a single vendor sells, with `CODED` or `PLAIN` in place of lengths."""
        return frozenset(
            product.part
            for product_list in self._lists
            if product_list.vendor != "any"
            for product in product_list.products
        )

    @cached_property
    def _cables(self) -> tuple[tuple[re.Pattern[str], Product], ...]:
        """(pattern of the part numbers, product) of cables that are sold by length."""
        cables = []
        for product in self._all:
            if product.kind == "cable" and product.lengths_m:
                # the part number contains the length as `Product.part_number` codes it: `002` is 2 m, `00A` half a
                # metre
                text = re.escape(product.part).replace(re.escape(CODED), r"(\d\d[\dA])")
                text = text.replace(re.escape(PLAIN), r"(\d+(?:\.\d+)?)")
                cables.append((re.compile(text, re.IGNORECASE), product))
        return tuple(cables)

    def is_product(self, part: str) -> bool:
        """Whether a part number is a product of one vendor, and not a kind that many vendors sell."""
        product = self._find_product(part)
        return product is not None and product.part in self._of_vendors

    def find_kind(self, part: str) -> ModuleKind | None:
        """Return what a part is, by its number; None if the catalogue does not know it."""
        return self._look_up(part)[0]

    def find_profile(self, part: str) -> CableProfile | None:
        """Return the technology of a part; None if not known, such as for a product list of the blueprint's own."""
        return self._look_up(part)[1]

    def _look_up(self, part: str) -> tuple[ModuleKind | None, CableProfile | None]:
        """Return the kind and the profile of a part number, None if unknown; cached, as a hall has few kinds."""
        if part not in self._looked_up:
            profile = self._find_profile(part)
            self._looked_up[part] = (self._make_kind(part, profile) if profile else None), profile
        return self._looked_up[part]

    def _find_profile(self, part: str) -> CableProfile | None:
        # the cable profile of a part number: by its product, or by the profile id that a made-up number begins with
        product = self._find_product(part)
        if product:
            return next((self._profiles[medium] for medium in product.media if medium in self._profiles), None)
        # ids may begin alike: the longest one is meant
        ids = [name for name in self._profiles if part == name or part.startswith(f"{name}-")]
        return self._profiles[max(ids, key=len)] if ids else None

    def _find_product(self, part: str) -> Product | None:
        sold_by_length = (cable for pattern, cable in self._cables if pattern.fullmatch(part))
        return self._products.get(part.upper()) or next(sold_by_length, None)

    def _make_kind(self, part: str, profile: CableProfile) -> ModuleKind:
        """Return the kind of a part: of a cable its rate (Gb/s) and length (m), of a module its reach (m) and rate.

        A cable is known by its number, which has the length in it; the reach is that of the product, else of the
        profile.
        """
        product = self._products.get(part.upper())
        for pattern, cable in self._cables:
            if length_match := pattern.fullmatch(part):
                return ModuleKind(_find_family(profile), gbps=max(cable.gbps), length_m=_read_metres(length_match[1]))
        reach = product.reach_m if product and product.reach_m else profile.reach_m
        return ModuleKind(
            _find_family(profile), 0.0 if profile.attached else reach, max(product.gbps) if product else 0.0
        )


def _read_metres(text: str) -> float:
    return float(text[:-1]) + 0.5 if text.upper().endswith("A") else float(text)


def _find_family(profile: CableProfile) -> str:
    # the family by which modules are compared: copper, active cables, or the kind of light
    if profile.copper:
        return COPPER
    if profile.medium in ("AOC", "COPPER", "ZR", "CPO"):
        return profile.medium
    return find_planned_family(profile.medium, profile)


def find_planned_family(medium: str, profile: CableProfile | None = None) -> str:
    """Return the family of a medium of cables.csv, as `ModuleKind` has it; "" if it is not known.

    Media that are named after their electronics (LPO, LRO, NPO) have the family of the light in their profile.
    """
    if medium in COPPER_MEDIA:
        return COPPER
    if medium in ("SR", "VR") or (profile and profile.fibre.startswith("mmf")):
        return "SR"
    if medium in LINEAR:
        return "" if profile is None else "DR" if profile.wavelengths == 1 else "FR"
    return medium


@lru_cache(maxsize=10_000)
def read_kind(words: str) -> ModuleKind:
    """Return what a module is by the words of its EEPROM or the NOS; the family is "" if they name none or several."""
    kinds = [_read_name(match) for match in _NAMES.finditer(words)]
    families = {kind.family for kind in kinds if kind.family}
    optical = families - {COPPER, AOC}
    if _ATTACHED.search(words) and optical:
        # a cable with fixed ends that also names a kind of light is an active optical one
        families = (families - optical) | {AOC}
    gbps = max((kind.gbps for kind in kinds), default=0.0)
    # contradicting words tell no family, but still the speed
    if len(families) != 1:
        return ModuleKind(gbps=gbps)
    family = families.pop()
    if family in (COPPER, AOC):  # these list only some of their speeds
        return ModuleKind(family)
    reaches = {kind.reach_m for kind in kinds if kind.family == family and kind.reach_m}
    return ModuleKind(family, max(reaches, default=0.0), gbps)


def _read_name(match: re.Match[str]) -> ModuleKind:
    """Return the kind that one name in a text means, such as 400GBASE-DR4."""
    if match["kind"] is None:
        family = next((family for group, family in _OTHERS.items() if match[group]), "")
        return ModuleKind(family, REACH_M.get(family, 0.0))
    name, prefix = match["kind"].upper(), (match["prefix"] or "").upper()
    gbps = float(match["rate"]) * (1000 if match["unit"].upper() == "T" else 1)
    if name in ("CR", "DAC", "ACC", "AEC"):
        return ModuleKind(COPPER)
    if name in ("AR", "AOC"):
        return ModuleKind(AOC)
    if name == "KR" or match["bidi"]:
        return ModuleKind(gbps=gbps)
    family = _find_light(name, prefix, match["lanes"], gbps)
    return ModuleKind(family, _find_reach(name, prefix, match, gbps), gbps)


def _find_light(name: str, prefix: str, lanes: str, gbps: float) -> str:
    """Return the family of a name: with one wavelength in a fibre it is DR, even if it is called FR1, LR or PLR4."""
    if name in ("SR", "VR"):
        return "SR"
    is_single = gbps >= 100 and lanes in ("", "1")
    if name == "DR" or is_single or prefix == "P":
        return "DR"
    return "LR" if name == "ER" else name


def _find_reach(name: str, prefix: str, match: re.Match[str], gbps: float) -> float:
    """Return the reach of a name, m; 0 if the name leaves it open.

    Two kinds of names do: a DR after a count, as 2XDR4 may be twice DR4 or twice XDR4, and an SR after another letter
    than V or at 10G and 40G, as XSR4 goes further than SR4.
    """
    if match["distance"]:
        return float(match["distance"]) * (1 if len(match["distance"]) == 3 else 1000)
    if name == "DR":
        return 0.0 if match["count"] else REACH_M["FR"] if prefix == "X" or match["plus"] else REACH_M["DR"]
    if name == "SR":
        return REACH_M["VR"] if prefix == "V" else 0.0 if prefix or gbps in (10, 40) else REACH_M["SR"]
    return 40_000.0 if name == "ER" else REACH_M[name]


_OTHERS = {"psm": "DR", "cwdm": "FR", "zr": "ZR", "active": AOC, "acc": COPPER, "dac": COPPER, "vcsel": "SR"}
"""Families by group of `_NAMES`, for names without a kind in them."""


# Reports assigned to the cages and ports of the plan.

NO_MODULE = ("COPPER", "CPO", "")
"""Media whose ends have no EEPROM: twisted pair, and optics that are part of the switch."""

_EMPTY = PortReport(Box(), "")
_SHORT = re.compile(r"Et(\d)")
_LAST = re.compile(r"(?:Ethernet|Et)(\d+(?:/\d+)*)/\d+")


@dataclass
class SightedCage:
    """A cage of a planned device: its planned ports ([] for a spare cage), and what dumps tell about its module.

    `lanes_of` has the reports with optical power, by the name of the port or lane that they are of.
    """

    device: int
    cage: str
    ports: list[int]
    module: PortReport = _EMPTY
    lanes_of: dict[str, PortReport] = field(default_factory=dict)

    def add_report(self, report: PortReport) -> None:
        """Add what a row of a dump says about the module; each lane may have a row of its own."""
        plugged = self.module.present or report.present  # SONiC may name a module at only one port of its cage
        self.module = report if self.module is _EMPTY else add_rows(self.module, report)._replace(present=plugged)
        if report.tx_dbm or report.rx_dbm:
            self.lanes_of[report.port] = report

    def list_power(self, attribute: str) -> tuple[float, ...]:
        """Return `tx_dbm` or `rx_dbm` of all lanes: from the row with most lanes, or joined from rows of one lane."""
        rows = [getattr(report, attribute) for _, report in sorted(self.lanes_of.items())]
        widest = max(rows, key=len, default=())
        return widest if len(widest) > 1 else tuple(power for row in rows for power in row)


@dataclass
class Reported:
    """What dumps say about a plan's cages, by (device, cage), and its ports, by number.

    `cage_of` has the cage of each planned port; `strange` are the boxes that are no planned device.
    """

    cages: dict[tuple[int, str], SightedCage] = field(default_factory=dict)
    ports: dict[int, PortReport] = field(default_factory=dict)
    cage_of: dict[int, SightedCage] = field(default_factory=dict)
    strange: set[Box] = field(default_factory=set)


def sort_reports(cabling: PlannedCabling, reports: Sequence[PortReport], devices: Ints, ports: Ints) -> Reported:
    """Assign reports to cages and ports; later reports of a port are joined to earlier ones.

    `devices` and `ports` (int32, by report) are the device (row) and the port of each report; negative if not known.
    The boxes of reports without a device are returned as `strange`.
    """
    reported, face_of_device = Reported(), dict[int, _PlannedFace]()
    for report, device, port in zip(reports, devices.tolist(), ports.tolist(), strict=True):
        if device < 0:
            reported.strange.add(report.box)
            continue
        planned_face = face_of_device.get(device)
        if planned_face is None:
            planned_face = face_of_device[device] = _PlannedFace(cabling, device)
        planned_port, cage_name = planned_face.locate_row(report, port)
        cage = reported.cages.get((device, cage_name))
        if cage is None:
            cage = reported.cages[device, cage_name] = SightedCage(
                device, cage_name, planned_face.cages.get(cage_name, [])
            )
            reported.cage_of.update(dict.fromkeys(cage.ports, cage))
        cage.add_report(report)
        if planned_port >= 0:
            earlier_report = reported.ports.get(planned_port)
            reported.ports[planned_port] = add_rows(earlier_report, report) if earlier_report else report
    return reported


class _PlannedFace:
    """The planned ports of a device, by name and by cage."""

    def __init__(self, cabling: PlannedCabling, device: int) -> None:
        self.cages: dict[str, list[int]] = {}
        self._port_by_name: dict[str, int] = {}
        self._cage_of_port: dict[int, str] = {}
        for port in cabling.list_device_ports(device).tolist():
            cage = cabling.find_cage(port)
            self.cages.setdefault(cage, []).append(port)
            self._port_by_name[cabling.port_text(port)] = port
            self._cage_of_port[port] = cage

    def locate_row(self, report: PortReport, port: int) -> tuple[int, str]:
        """Return (planned port or -1, cage) of a row. A lane that is no port of the plan belongs to its cage only."""
        if report.is_cage:
            return -1, report.port
        if port >= 0:
            return port, self._cage_of_port[port]
        name = _SHORT.sub(r"Ethernet\1", report.port)
        port = self._port_by_name.get(name, -1)
        if port >= 0:
            return port, self._cage_of_port[port]
        lane = _LAST.fullmatch(name)
        return -1, lane[1] if lane and lane[1] in self.cages else name


def count_planned_cages(cabling: PlannedCabling) -> int:
    """Count the cages with planned cables that take a module, or a cable with fixed ends."""
    numbers: dict[str, int] = {}
    medium = _find_column(cabling, "medium")
    pluggable = np.array([text not in NO_MODULE for text in medium.vocabulary.tolist()], dtype=np.bool_)[medium.codes]
    pairs = []
    for side in "ab":
        device, cage = (
            _number_rows(_find_column(cabling, f"{side}_{column}"), numbers) for column in ("device", "cage")
        )
        # (device, cage) as one number
        pairs.append((device << 32 | cage)[pluggable])
    cages = np.sort(np.concatenate(pairs))
    # distinct values of a sorted column: the number of changes, and one for the first
    return int(np.count_nonzero(np.diff(cages))) + min(len(cages), 1)


def _find_column(cabling: PlannedCabling, column: str) -> EncodedColumn:
    return cast("EncodedColumn", cabling.cables[column])


def _number_rows(column: EncodedColumn, numbers: dict[str, int]) -> Ints64:
    """Return the number of each row's text (int64) by `numbers`, to which new texts are added."""
    codes = [numbers.setdefault(text, len(numbers)) for text in column.vocabulary.tolist()]
    row_numbers: Ints64 = np.array(codes, dtype=np.int64)[column.codes]
    return row_numbers
