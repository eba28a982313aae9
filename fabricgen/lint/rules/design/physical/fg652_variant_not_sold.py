"""FG652: no variant of a switch is sold as its tier asks for."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.design.model import Design
from fabricgen.kernel.diagnostics import Diagnostic, Severity
from fabricgen.lint.rule import DesignRule


class VariantNotSold(DesignRule):
    """A tier asks for an airflow, or for switches managed or not, in which the catalogue knows no variant of its model.

    The order sheet then has no part number for them. Fans and power supplies that blow against the room recirculate
    hot air: a switch that is ordered for the wrong aisle is sent back.

    Take a variant that is sold, or add it to a profile in the blueprint's own `catalog/`. Where no variant of a model
    is known at all, what the tier states is taken as it is.
    """

    severity = Severity.WARNING
    bad = """
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: [su, rail],
            airflow: exhaust},  # <-
          spine: {switch: sn5600, count: 4}}}}
    """
    good = """
        fabrics: {compute: {tiers: {
          leaf: {switch: sn5600, per: [su, rail], airflow: intake},
          spine: {switch: sn5600, count: 4}}}}
    """

    def check(self, design: Design) -> Iterator[Diagnostic]:
        """Compare what tiers state with the variants of their switch models; one finding for each tier and model."""
        for name, fabric in design.loaded.blueprint.fabrics.items():
            for key, tier in fabric.tiers.items():
                properties = {"airflow": tier.airflow, "managed": tier.managed}
                stated = {word: value for word, value in properties.items() if value is not None}
                # the path of a tier is (fabrics, NAME, tiers, NAME)
                models = {
                    t.profile.id: t.profile for f in design.fabrics for t in f.tiers if t.path[1::2] == (name, key)
                }
                for model, profile in models.items() if stated else ():
                    if profile.variants and not any(
                        all(getattr(variant, word) == value for word, value in stated.items())
                        for variant in profile.variants
                    ):
                        path = ("fabrics", name, "tiers", key, next(iter(stated)))
                        plain = [v for v in profile.variants if v.supply is None]
                        sold = "; ".join(dict.fromkeys(v.text or "airflow not published" for v in plain))
                        request = ", ".join(f"{word}: {str(value).lower()}" for word, value in stated.items())
                        yield self.flag(path, f"no {model} with {request} is known", f"known: {sold}")
