"""Every part number of the catalogue with its source, and a draw of some to hold against public sources.

`python -m tools.part_numbers` lists all, `--draw 100 --seed 57` some at random: the same for the same seed and
catalogue. `generic` has names, no numbers, and is left out.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.models import RackProfile, SwitchProfile

NO_NUMBERS = "any"
"""The vendor of lists that say what to ask for."""


@dataclass(frozen=True, slots=True)
class PartNumber:
    """A part number, the profile that has it, where it is printed, and whether no public source was found."""

    number: str
    profile: str
    source: str
    unsourced: bool = False


def list_part_numbers(catalog: Catalog) -> Iterator[PartNumber]:
    """All part numbers of product lists, switches with their variants, line cards and laser modules, and racks."""
    for name in catalog.ids("products"):
        product_list = catalog.products(name)
        if product_list.vendor == NO_NUMBERS:
            continue
        for product in product_list.products:
            for number in product.list_numbers():
                yield PartNumber(number, name, product.source, number in product.unsourced)
    for kind in ("switches", "racks"):
        for name in catalog.ids(kind):
            profile = catalog.profile(kind, name)
            if isinstance(profile, SwitchProfile):
                parts = [*profile.variants, *profile.line_cards, *([profile.lasers] if profile.lasers else [])]
                yield from (PartNumber(part.part_number, name, part.source) for part in parts if part.part_number)
            if isinstance(profile, (SwitchProfile, RackProfile)) and profile.part_number:
                yield PartNumber(profile.part_number, name, profile.source)


def draw_part_numbers(catalog: Catalog, count: int, seed: int) -> list[PartNumber]:
    """So many distinct part numbers at random, by number."""
    by_number = {part.number: part for part in list_part_numbers(catalog)}
    drawn = random.Random(seed).sample(sorted(by_number), count)  # noqa: S311 - no secret, and repeatable
    return [by_number[number] for number in sorted(drawn)]


def main() -> int:
    """Print the numbers, one a line: number, profile, and its source or that none was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draw", type=int, help="Only so many, at random.")
    parser.add_argument("--seed", type=int, default=57)
    options = parser.parse_args()
    catalog = Catalog(None)
    listed = draw_part_numbers(catalog, options.draw, options.seed) if options.draw else list_part_numbers(catalog)
    for part in listed:
        source = "no public source found" if part.unsourced else part.source
        sys.stdout.write(f"{part.number}\t{part.profile}\t{source}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
