"""A price file cannot be used."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class BadPriceFile(Fault):
    """The price file is no CSV with the columns part and unit_price, or a price is no number.

    A price that were left out would make the sum of a bill of materials too low without a word. Write one line a
    part, with a number such as 1250.00.
    """

    id = "FG031"
    title = "a price file cannot be used"
    in_words = True
    bad = """
        part,unit_price
        sn5600,call us
    """
    good = """
        part,unit_price
        sn5600,125000.00
    """
