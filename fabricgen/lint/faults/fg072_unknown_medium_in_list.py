"""A product list names a medium that the catalogue does not have."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class UnknownMediumInList(Fault):
    """A product list says of a part that it is one of a cable profile which the catalogue does not have.

    Parts are found by the profile of the medium that was chosen, so that such a part would never be ordered, and
    another, or none, in its place. Correct the name, or add the profile as catalog/cables/ID.yaml beside the
    blueprint.
    """

    id = "FG072"
    title = "a product list names an unknown medium"
    in_words = True
    bad = """
        products: [{part: OPT-800-SR8, kind: transceiver, name: 800G 2xSR4, media: [sr8-100], form_factor: OSFP,
          gbps: [800], source: our price list}]
    """
    good = """
        products: [{part: OPT-800-SR8, kind: transceiver, name: 800G 2xSR4, media: [sr8-100g], form_factor: OSFP,
          gbps: [800], source: our price list}]
    """
