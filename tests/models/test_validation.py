"""Pydantic's errors in the user's terms, at their place."""

from typing import Annotated, Any, Literal, Self

import pytest
from pydantic import AfterValidator, Field, model_validator

from fabricgen.kernel.diagnostics import Diagnostic, InputError
from fabricgen.models.forms import FrozenModel
from fabricgen.models.validation import validate
from fabricgen.yaml.located import parse_located


def _without_blank(value: str) -> str:
    if " " in value:
        raise ValueError(f"'{value}' is no switch")
    return value


class Tier(FrozenModel):
    switch: Annotated[str, AfterValidator(_without_blank)] = Field(description="A switch of the catalogue.")
    per: list[Literal["su", "rail", "pod"]] | Literal["fabric"] = Field(default_factory=list)
    count: int | Literal["auto"] = "auto"
    width: int = Field(1, ge=1)

    @model_validator(mode="after")
    def _is_narrow(self) -> Self:
        if self.width > 99:
            raise ValueError("too wide")
        return self


class Fabric(FrozenModel):
    tiers: dict[str, Tier | str] = Field(default_factory=dict)


class Mesh(FrozenModel):
    kind: Literal["mesh"] = "mesh"
    links: int


class Switched(FrozenModel):
    kind: Literal["switched"] = "switched"
    trays: int
    asics: int = 1


class Blueprint(FrozenModel):
    name: str = Field(pattern="^[a-z]+$", description="What it is called, such as x.")
    fabrics: dict[str, Fabric] = Field(default_factory=dict)
    scale_up: Annotated[Mesh | Switched, Field(discriminator="kind")] | None = None
    shape: Mesh | Switched | None = None
    ways: dict[int, tuple[int, ...]] = Field(default_factory=dict)
    cages: tuple[Mesh, ...] = Field((), min_length=1)


def findings(text: str) -> list[Diagnostic]:
    with pytest.raises(InputError) as caught:
        validate(Blueprint, parse_located(text, "f"))
    return list(caught.value.diagnostics)


def test_what_fits_becomes_the_model() -> None:
    text = "name: x\nfabrics: {c: {tiers: {leaf: {switch: q}}}}\n"
    text += 'scale_up: {kind: mesh, links: 2}\nways: {"2": [400]}'
    made = validate(Blueprint, parse_located(text, "f"))
    assert isinstance(made.scale_up, Mesh)
    assert made.ways == {2: (400,)}


TIER = "name: x\nfabrics:\n  compute:\n    tiers:\n      leaf: "


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            TIER + "{swich: q}",
            [
                ("5:7", "fabrics.compute.tiers.leaf needs 'switch'", "switch: A switch of the catalogue"),
                ("5:14", "unknown key 'swich' in fabrics.compute.tiers.leaf", "did you mean 'switch'?"),
            ],
        ),
        (TIER + "3", [("5:13", "fabrics.compute.tiers.leaf: expected a mapping or text, found 3", "")]),
        (TIER + "{switch: 3}", [("5:22", "leaf.switch: expected text, found 3", 'write "3" in quotes')]),
        (TIER + "{switch: q, per: [su, rial]}",
         [("5:35", "leaf.per.1: expected 'su', 'rail' or 'pod', found 'rial'", "did you mean 'rail'?")]),
        (TIER + "{switch: q, per: fabrik}",
         [("5:30", "leaf.per: expected a list or 'fabric', found 'fabrik'", "did you mean 'fabric'?")]),
        (TIER + "{switch: q, count: many}",
         [("5:32", "leaf.count: expected a whole number or 'auto', found 'many'", "")]),
        (TIER + "{switch: q, width: 0}",
         [("5:32", "leaf.width: expected a value greater than or equal to 1, found 0", "")]),
        (TIER + "{switch: a b}", [("5:22", "leaf.switch: 'a b' is no switch", "")]),
        (TIER + "{switch: q, width: 100}", [("5:13", "fabrics.compute.tiers.leaf: too wide", "")]),
        ("name: x\nnmae: 1", [("2:1", "unknown key 'nmae' at the top level", "did you mean 'name'?")]),
        ("fabrics: {}", [("1:1", "the top level needs 'name'", "")]),
        ("name: A",
         [("1:7", "name: expected text that matches ^[a-z]+$, found 'A'", "name: What it is called, such as x")]),
        ("[1]", [("1:1", "expected a mapping, found a list", "")]),
        ("name: x\nfabrics: {a.b: 1}", [("2:16", 'fabrics."a.b": expected a mapping, found 1', "its keys: tiers")]),
        ("name: x\nfabrics:", [("2:9", "fabrics: expected a mapping, found nothing", "")]),
        ("name: x\nways: {q: [1]}", [("2:8", "ways: expected a whole number, found the key 'q'", "")]),
        ('name: x\nways: {"2": [1, z]}', [("2:17", "ways.2.1: expected a whole number, found 'z'", "")]),
        ("name: x\nscale_up: {kind: mash}",
         [("2:11", "scale_up: expected kind to be one of 'mesh', 'switched', found 'mash'",
           "did you mean 'mesh'?")]),
        ("name: x\ncages: [{links: q}]", [("2:17", "cages.0.links: expected a whole number, found 'q'", "")]),
        ("name: x\ncages: []", [("2:8", "cages: expected at least 1 item, found 0", "")]),
        ("name: x\nscale_up: {}", [("2:11", "scale_up needs 'kind'", "")]),
        ("name: x\nscale_up: {kind: mesh, links: 1, lnks: 2}",
         [("2:34", "unknown key 'lnks' in scale_up", "did you mean 'links'? known: kind, links")]),
        ("name: x\nshape: {trays: 1, asisc: 2}",
         [("2:19", "unknown key 'asisc' in shape", "did you mean 'asics'? known: asics, kind, trays")]),
    ],
)  # fmt: skip
def test_faults_are_told_at_their_place(text: str, expected: list[tuple[str, str, str]]) -> None:
    found = findings(text)
    assert len(found) == len(expected), found
    for diagnostic, (place, message, hint) in zip(found, expected, strict=True):
        assert (diagnostic.code, str(diagnostic.span)) == ("FG010", f"f:{place}")
        assert diagnostic.message.endswith(message)
        assert hint in diagnostic.hint


def test_findings_carry_paths_in_the_order_of_the_text() -> None:
    found = findings(TIER + "{switch: q, width: 0}\nscale_up: {kind: mesh}\nzz: 1\n")
    assert [d.path for d in found] == [
        ("fabrics", "compute", "tiers", "leaf", "width"),
        ("scale_up", "links"),
        ("zz",),
    ]


def test_the_code_is_the_callers() -> None:
    with pytest.raises(InputError) as caught:
        validate(Blueprint, parse_located("nmae: 1", "f"), code="FG099")
    assert {d.code for d in caught.value.diagnostics} == {"FG099"}


def test_an_include_that_is_left_is_refused() -> None:
    (found,) = findings("name: !include a.yaml")
    assert (found.code, str(found.span)) == ("FG006", "f:1:7")


@pytest.mark.parametrize("value", ["x" * 500, "\n" * 3])
def test_long_values_are_cut(value: Any) -> None:
    (found,) = findings(f"name: x\nfabrics: {value!r}")
    assert len(found.message) < 120
