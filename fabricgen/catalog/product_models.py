"""What can be ordered: lists of a vendor's transceivers, fibres and cables with their part numbers and lengths."""

import re
from collections.abc import Iterable
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from fabricgen.catalog.cable_models import ROUNDING_M, require_ascending
from fabricgen.catalog.profile import Profile, Tag
from fabricgen.kernel.units import format_number
from fabricgen.models.forms import FrozenModel

CODED, PLAIN = "{nnn}", "{m}"
"""Where a part number has its length: in three places with A for a half (`N01A` is 1.5 m), or as it is (`30`)."""

_DOUBLE = ("QSFP-DD", "QSFP56-DD", "QSFP-DD800")
_QUAD = ("QSFP28", "QSFP56")
"""Cages of eight lanes, by the spellings there are, and plugs of four lanes of at most 50G that fit them."""

_LATER = {"QSFP56": ("QSFP28",), "QSFP112": _QUAD}
"""Cages of four lanes -> the plugs of slower ones that fit them too."""

Top = Literal["", "finned", "flat"]
Length = Annotated[float, Field(gt=0, le=100_000)]
Word = Annotated[str, Field(min_length=1, max_length=64)]


class Product(FrozenModel):
    """One line of a price list: a transceiver, a fibre, or a cable with ends of its own."""

    part: Annotated[
        str,
        Field(
            min_length=1,
            max_length=64,
            pattern=r"^[A-Za-z0-9][A-Za-z0-9._/{}-]*$",
            description="Part number; `{nnn}` or `{m}` stands where it has its length.",
        ),
    ]
    kind: Annotated[
        Literal["transceiver", "fibre", "cable"], Field(description="What it is; a cable has ends of its own.")
    ]
    name: Annotated[
        str, Field(min_length=1, max_length=120, pattern=r"^[^\x00-\x1f\x7f]*$", description="For the buyer.")
    ]
    media: Annotated[
        tuple[Word, ...],
        Field(
            max_length=16,
            description="Cable profiles that it is one of; of a fibre: those whose transceivers it joins.",
        ),
    ] = ()
    form_factor: Annotated[str, Field(max_length=16, description="The cage of its common end. A fibre has none.")] = ""
    gbps: Annotated[
        tuple[Annotated[int, Field(gt=0, le=100_000)], ...],
        Field(max_length=8, description="What ports of that cage may add up to, Gb/s, the fullest first."),
    ] = ()
    top: Annotated[
        Top, Field(description="Cooling fins of its common end: OSFP cages take either finned or flat ones.")
    ] = ""
    far_form_factor: Annotated[
        str, Field(max_length=16, description="The cage of its other ends. Default: as the common one.")
    ] = ""
    far_top: Annotated[
        Top, Field(description="Cooling fins of the other ends. Default: as the common one, in cages of one kind.")
    ] = ""
    splits: Annotated[int, Field(ge=1, le=8, description="Far ends: 1 is straight, 2 splits in two.")] = 1
    lengths_m: Annotated[
        tuple[Length, ...],
        Field(max_length=64, description="Lengths it is sold in, m."),
        AfterValidator(require_ascending),
    ] = ()
    reach_m: Annotated[float | None, Field(gt=0, description="Of a transceiver, m. Default: as the medium.")] = None
    power_w: Annotated[
        float | None, Field(ge=0, le=100, description="At its common end, W. Default: as the medium.")
    ] = None
    power_w_at: Annotated[
        dict[int, Annotated[float, Field(ge=0, le=100)]],
        Field(
            max_length=8,
            description="What ports of its cage add up to, Gb/s -> what it draws then, W, where that is less than "
            "`power_w`: at 200G half of the channels of a 400G module are off.",
        ),
    ] = Field(default_factory=dict)
    protocols: Annotated[
        tuple[Literal["infiniband", "ethernet"], ...],
        Field(max_length=2, description="Where it speaks only one. Default: both."),
    ] = ()
    source: Annotated[str, Field(min_length=8, description="Where it was read.")]
    tag: Annotated[Tag, Field(description="V read in the source, R recalled, D derived.")] = "V"
    unsourced: Annotated[
        tuple[Word, ...],
        Field(
            max_length=64,
            description="Those of its part numbers that no public source was found to print; the order sheet says so.",
        ),
    ] = ()
    ended: Annotated[str, Field(description="Where it is said to be sold no longer; the order sheet says so.")] = ""
    note: Annotated[str, Field(description="What else one should know.")] = ""

    @model_validator(mode="after")
    def _check_lengths(self) -> Self:
        """Raise ValueError if part number, lengths, speeds and powers contradict each other, or the kind of product."""
        if any(brace in self.part.replace(CODED, "").replace(PLAIN, "") for brace in "{}"):
            raise ValueError(f"'{self.part}' has other braces than {CODED} and {PLAIN}")
        if (CODED in self.part or PLAIN in self.part) != bool(self.lengths_m):
            raise ValueError("a part number says its length, as {nnn} or {m}, where there are lengths_m and only there")
        if (self.kind == "transceiver") == bool(self.lengths_m):
            raise ValueError("fibres and cables have lengths_m, transceivers have none")
        # {nnn} is three digits, or two digits and an A for a half: N01A is 1.5 m
        if CODED in self.part and any(
            length * 2 % 1 or length >= 100 + 900 * (length % 1 == 0) for length in self.lengths_m
        ):
            raise ValueError("{nnn} writes whole metres below 1000 and halves below 100; use {m}")
        if set(self.power_w_at) - set(self.gbps):
            raise ValueError(f"power_w_at names speeds of `gbps`, {self.gbps}; got {sorted(self.power_w_at)}")
        if self.kind != "fibre" and not (self.form_factor and self.gbps):
            raise ValueError("transceivers and cables have a form_factor and gbps")
        if strange := set(self.unsourced) - set(self.list_numbers()):
            raise ValueError(f"unsourced are part numbers of '{self.part}'; got {sorted(strange)}")
        return self

    def list_numbers(self) -> list[str]:
        """Return all part numbers that it is ordered by, one for each length."""
        return [self.part_number(length) for length in self.lengths_m] or [self.part]

    def draws_w(self, gbps: int) -> float | None:
        """Return what it draws, W, if the ports in its cage add up to `gbps`; None if its medium's figure holds."""
        return self.power_w_at.get(gbps, self.power_w)

    def part_number(self, length_m: float) -> str:
        """Return its part number in a length, which is one of `lengths_m`: `MFP7E10-N010` for 10 m."""
        metres = int(length_m)
        coded = f"{metres:03d}" if metres == length_m else f"{metres:02d}A"
        return self.part.replace(CODED, coded).replace(PLAIN, format_number(length_m))

    def find_length(self, run_m: float) -> float | None:
        """Return the shortest length it is sold in that covers a run, m; None if none does."""
        return next((length for length in self.lengths_m if length >= run_m - ROUNDING_M), None)

    def carries_protocol(self, protocol: str) -> bool:
        """Whether it may be used in a fabric of a protocol: any, unless it states some. RoCE is Ethernet.

        The protocol of scale-up links is "", which no product states.
        """
        link_layer = "ethernet" if protocol in ("ethernet", "roce") else protocol
        return not self.protocols or link_layer in self.protocols

    def fits_cage(self, form_factor: str, top: str) -> bool:
        """Return whether its common end, or its only one, fits a cage of a form factor with a top, finned or flat."""
        return _fits_cage(self.form_factor, form_factor) and _matches_top(self.top, top)

    def far_takes(self, form_factor: str, top: str) -> bool:
        """Return whether its far ends (those other than the common end) fit a cage of a form factor and with a top,
        finned or flat.
        """
        far = self.far_form_factor or self.form_factor
        far_top = self.far_top or ("" if self.far_form_factor else self.top)
        return _fits_cage(far, form_factor) and _matches_top(far_top, top)


class ProductList(Profile):
    """What a vendor sells; a blueprint names the lists to order from with `cabling: {products: [...]}`."""

    kind: Annotated[Literal["products"], Field(description="What the file describes.")] = "products"
    name: Annotated[str, Field(min_length=1, description="What the list is called.")]
    vendor: Annotated[str, Field(min_length=1, description="Who sells these.")]
    products: Annotated[
        tuple[Product, ...],
        Field(min_length=1, max_length=1024, description="Its lines; of two that fit, the first is taken."),
    ]


def make_vendor_key(vendor: str) -> str:
    """Return the key of a vendor in maps: `vast-data` for VAST Data."""
    return re.sub(r"[^a-z0-9]+", "-", vendor.lower()).strip("-")


def _fits_cage(plug: str, cage: str) -> bool:
    """Whether a plug goes into a cage, by their form factors.

    It does if they are of one kind; a QSFP of four lanes goes into a QSFP-DD, of any spelling, and a slower one into a
    QSFP112.

    Sources: NVIDIA Cable Management Guidelines and FAQ, Cable and Connector Definitions: cages of QSFP-DD may take
    older QSFP modules and cables, but not the other way round (docs.nvidia.com/networking/display/cablemanagfaq); LinkX
    100G-PAM4 Product Line Overview of 2025-11: QSFP112 cages of ConnectX-7 and BlueField-3 take QSFP56 of 4 lanes of
    50G, and QSFP28 (docs.nvidia.com/networking/display/400g100gpam4ovpub). That BlueField-3 "only accepts QSFP112s"
    stands on the page of MMA1Z00-NS400-T, which tells it from OSFP shells: it is taken as said of these.
    """
    return plug == cage or plug in _LATER.get(cage, ()) or (cage in _DOUBLE and (plug in _DOUBLE or plug in _QUAD))


def _matches_top(plug_top: str, cage_top: str) -> bool:
    """Whether the top of a plug, finned or flat, goes with a cage; "" for either: not stated, and taken to fit."""
    return not plug_top or not cage_top or plug_top == cage_top


def list_products_of_kind(lists: Iterable[ProductList], kind: str, medium: str) -> list[Product]:
    """Return the products of a kind for a medium, in the order of the lists."""
    return [p for product_list in lists for p in product_list.products if p.kind == kind and medium in p.media]
