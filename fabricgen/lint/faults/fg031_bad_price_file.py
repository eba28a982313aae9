"""A price file cannot be used."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class BadPriceFile(Fault):
    """The price file is no CSV with the columns part and unit_price, a price or a lead time is no number, a part is
    priced twice, or prices are in two currencies.

    A price that were left out, or added up with one of another currency, would make the sum of a bill of materials
    wrong without a word. Write one line a part, with a number such as 1250.00, in one currency.
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
