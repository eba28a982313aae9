"""A cage that is spelt in another way would fit no cable: it is refused with the name that was meant."""

from __future__ import annotations

import pytest
from pydantic import TypeAdapter, ValidationError

from fabricgen.catalog.loader import Catalog
from fabricgen.catalog.profile import CAGES, FormFactor

READER = TypeAdapter[str](FormFactor)


@pytest.mark.parametrize(("stated", "meant"), [("OSPF", "OSFP"), ("QSFPDD", "QSFP-DD"), ("rj45", "RJ45")])
def test_another_spelling_is_refused(stated: str, meant: str) -> None:
    with pytest.raises(ValidationError, match=f"'{stated}' is no form factor; did you mean '{meant}'"):
        READER.validate_python(stated)


@pytest.mark.parametrize("stated", ["SFP", "QSFP", "SFP+", "OSFP1600", "my-socket"])
def test_another_cage_is_not(stated: str) -> None:
    assert READER.validate_python(stated) == stated


def test_every_pluggable_cage_of_the_catalogue_is_known() -> None:
    catalog = Catalog()
    cages = {cage.form_factor for name in catalog.ids("switches") for cage in catalog.switch(name).cages}
    roles = {role.form_factor for name in catalog.ids("nodes") for role in catalog.node(name).roles.values()}
    assert sorted((cages | roles) - set(CAGES) - {"backplane", "LC simplex"}) == []
