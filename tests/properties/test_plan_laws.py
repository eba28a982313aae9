"""Laws of the plan over generated blueprints: every law is judged on each cluster, family by family.

A failure names the law in its traceback. `--hypothesis-profile=thorough` takes ten times as many cases.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.properties.blueprints import FAMILIES
from tests.properties.case import Case
from tests.properties.compiling import cases, compiled_or_dropped
from tests.properties.laws import LAWS


@pytest.mark.law
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.tenth
def test_every_law_holds(family: str) -> None:
    @cases(100)
    @given(st.deferred(FAMILIES[family]))
    def judge(tree: dict) -> None:
        case = Case(compiled_or_dropped(tree))
        for law in LAWS:
            law(case)

    judge()
