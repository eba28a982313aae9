"""Digests of texts, by which a rebuild tells names apart."""

from __future__ import annotations

from itertools import product

import pytest

from fabricgen.switch_inputs import hashed


@pytest.mark.parametrize("form", ["pod-rk0{}-su{}-nd{}", "p1-su0{}-r{}-n00{}-compute", "{}{}{}"])
def test_names_that_differ_in_few_digits_have_different_digests(form: str) -> None:
    names = [form.format(*digits) for digits in product("0123456789", repeat=3)]
    assert len(set(hashed(names).tolist())) == len(names)


def test_a_digest_does_not_follow_from_the_other_texts() -> None:
    alone, beside = hashed(["leaf-01"]), hashed(["leaf-01", "a name of several words of 64 bits"])
    assert alone[0] == beside[0]
    assert hashed([]).size == 0
