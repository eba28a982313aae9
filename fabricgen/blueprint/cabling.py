"""The language of cabling: which products links are cabled with."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field, WithJsonSchema

from fabricgen.blueprint.base import Model, as_list
from fabricgen.kernel.forms import CATALOGUE, one_or_list

ProductLists = Annotated[
    tuple[str, ...],
    BeforeValidator(as_list),
    Field(max_length=16),
    WithJsonSchema(
        one_or_list(
            {"type": "string", "description": "A product list of the catalogue.", CATALOGUE: "products"}, maxItems=16
        )
    ),
]


class Cabling(Model):
    """How links are cabled."""

    products: ProductLists = Field(
        (),
        examples=[["nvidia-linkx"]],
        description="Product lists to order from, the first that has a part first. Default: generic part names.",
    )
