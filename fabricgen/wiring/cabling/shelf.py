"""The shelf: lookup of transceivers, fibres and cables in product lists."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from fabricgen.blueprint.sections.cabling import OTHERS
from fabricgen.catalog.models import CableProfile
from fabricgen.catalog.product_models import Product, ProductList, list_products_of_kind, make_vendor_key


class PluggedCage(Protocol):
    """The cage that a cable end plugs into: what the shelf asks of an `EndKind`, whose module imports this one, so that
    it cannot be imported here.
    """

    @property
    def form_factor(self) -> str:
        """The cage: OSFP, QSFP112, ..."""
        ...

    @property
    def gbps(self) -> int:
        """The bandwidth of the cage, Gb/s."""
        ...

    @property
    def top(self) -> str:
        """The top of its OSFP modules: finned or flat; "" if it is not known."""
        ...

    @property
    def protocol(self) -> str:
        """The protocol of the fabric; "" for scale-up links."""
        ...

    @property
    def takes_fibre(self) -> bool:
        """Whether fibres plug in without a transceiver."""
        ...

    def find_module_or_medium(self, medium: CableProfile) -> CableProfile:
        """Return the profile of the module that the cage needs for a medium; the medium itself if no other is sold."""
        ...

    @property
    def vendor(self) -> str:
        """The key in `Shelf.by_vendor` of the product lists for this cage; "" if all lists serve it."""
        ...


class CableOrder(NamedTuple):
    """A cable to order: its medium, the cages at its common end and its far ends, how many far ends and lanes it has,
    and the rate of a lane, Gb/s.
    """

    medium: CableProfile
    common: PluggedCage
    far: PluggedCage
    far_ends: int
    lanes: int
    lane_gbps: float

    @property
    def pieces(self) -> tuple[int, int] | None:
        """Return (number of assemblies, far ends of each); None if no whole number of assemblies makes the cable.

        A cable with fixed ends is one assembly; for fibres see `split_into_fibres`.
        """
        return (1, self.far_ends) if self.medium.attached else split_into_fibres(self.medium, self.far_ends, self.lanes)


def split_into_fibres(medium: CableProfile, far_ends: int, lanes: int) -> tuple[int, int] | None:
    """Return (number of fibres, far ends of each fibre) that make a cable of `lanes` lanes with `far_ends` far ends.

    There is a fibre for each connector that the lanes fill. Fibres are straight (1) if the cable has at most as many
    far ends, else splitters. None if the fibres cannot be shared out equally.
    """
    # rounded up: a connector is used whole
    fibre_count = -(-lanes // medium.lanes_per_connector)
    if fibre_count % far_ends == 0:
        return fibre_count, 1
    return (fibre_count, far_ends // fibre_count) if far_ends % fibre_count == 0 else None


@dataclass(frozen=True, eq=False)
class Shelf:
    """Product lists in order of preference; `by_vendor`: those for the cages of one vendor's devices, where stated."""

    lists: tuple[ProductList, ...]
    by_vendor: Mapping[str, tuple[ProductList, ...]] = field(default_factory=dict)

    def find_vendor_key(self, maker: str) -> str:
        """Return the key in `by_vendor` of the lists for the cages of a maker's devices; "" if all lists are for all
        cages.
        """
        word = make_vendor_key(maker)
        return word if word in self.by_vendor else OTHERS if OTHERS in self.by_vendor else ""

    def lists_for(self, *vendors: str) -> tuple[ProductList, ...]:
        """Return the product lists for a cage of a vendor, or for a cable between cages of several, in the order
        stated.

        All lists, if none is stated for a vendor, or if one of `vendors` is "".
        """
        if not self.by_vendor or "" in vendors:
            return self.lists
        lists_in_order = (
            product_list
            for vendor, lists_of_vendor in self.by_vendor.items()
            if vendor in vendors
            for product_list in lists_of_vendor
        )
        # a list that serves several vendors is named by each, and counts at its first place
        return tuple({product_list.id: product_list for product_list in lists_in_order}.values())

    def find_transceiver(self, medium: CableProfile, cage: PluggedCage) -> Product | None:
        """Return the first transceiver of a medium for a cage in the lists of its vendor; None if they have none."""
        sold = list_products_of_kind(self.lists_for(cage.vendor), "transceiver", medium.id)
        fits = (p for p in sold if p.fits_cage(cage.form_factor, cage.top))
        return next((p for p in fits if cage.gbps in p.gbps and p.carries_protocol(cage.protocol)), None)

    def find_piece(self, order: CableOrder, run_m: float) -> tuple[Product, float, int] | None:
        """Return (product, its length in m, quantity) of the first product that covers a run; None if none does."""
        if (pieces := order.pieces) is None:
            return None
        lengths = ((p, p.find_length(run_m)) for p in self.list_cables(order))
        return next(((p, length, pieces[0]) for p, length in lengths if length), None)

    def list_cables(self, order: CableOrder) -> Iterator[Product]:
        """Yield the cables with fixed ends, or the fibres, that fit an order, whatever their lengths, by preference."""
        pieces = order.pieces
        if pieces is None:
            return
        splits = pieces[1]
        if not order.medium.attached:
            yield from self.list_fibres(order.medium, splits)
            return
        common, far, gbps = order.common, order.far, round(order.lanes * order.lane_gbps)
        for product in list_products_of_kind(self.lists_for(common.vendor, far.vendor), "cable", order.medium.id):
            if product.splits == splits and gbps in product.gbps and product.carries_protocol(common.protocol):
                # a straight cable may lie either way round; of a splitter the common end is fixed
                pairs = ((common, far), (far, common)) if splits == 1 else ((common, far),)
                if any(
                    product.fits_cage(a.form_factor, a.top) and product.far_takes(b.form_factor, b.top)
                    for a, b in pairs
                ):
                    yield product

    def list_fibres(self, medium: CableProfile, splits: int) -> list[Product]:
        """Return the fibre cables with `splits` far ends for transceivers of a medium, in order of preference."""
        # of all lists: a fibre plugs into transceivers, by connector and polish, and no switch asks who made it
        return [p for p in list_products_of_kind(self.lists, "fibre", medium.id) if p.splits == splits]

    def find_jumper(
        self, medium: CableProfile, far_ends: int, lanes: int, length_m: float
    ) -> tuple[Product, int] | None:
        """Return (product, quantity) of jumpers of exactly `length_m`, m; None if no list has that length."""
        if (pieces := split_into_fibres(medium, far_ends, lanes)) is None:
            return None
        sold = (p for p in self.list_fibres(medium, pieces[1]) if p.find_length(length_m) == length_m)
        return next(((p, pieces[0]) for p in sold), None)

    def reach_m(self, medium: CableProfile, order: CableOrder) -> float:
        """Return the reach of a medium with the products sold for the two ends of an order, m; -1 if one end has no
        product.

        Fibre may be bought elsewhere; a cable with fixed ends is only as long as the longest one sold.
        """
        if medium.attached:
            return max((product.lengths_m[-1] for product in self.list_cables(order)), default=-1)
        reach = medium.reach_m
        for end in (order.common, order.far):
            if end.takes_fibre:
                continue
            product = self.find_transceiver(end.find_module_or_medium(medium), end)
            if product is None:
                return -1
            reach = min(reach, product.reach_m or reach)
        return reach
