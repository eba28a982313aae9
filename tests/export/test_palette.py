"""Colours of fabrics, rails and planes: told apart by everybody, and never changed by growth."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from fabricgen.export.palette import KNOWN, OTHERS, choose_ink, choose_swatches, make_plane_mark, shade_for_rail

FILLS = [fill for fill, _, _ in KNOWN.values()] + [fill for fill, _ in OTHERS]

SIGHT = {
    "normal": np.eye(3),
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
}


def linear(fill: str) -> np.ndarray:
    channels = np.array([int(fill[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def lab(rgb: np.ndarray) -> np.ndarray:
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ np.clip(rgb, 0, 1)
    x, y, z = np.cbrt(xyz / [0.95047, 1, 1.08883])
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("sight", SIGHT)
def test_any_two_colours_differ_for_everybody(sight):
    seen = {fill: lab(np.array(SIGHT[sight]) @ linear(fill)) for fill in FILLS}
    for one, other in combinations(FILLS, 2):
        assert np.linalg.norm(seen[one] - seen[other]) >= 20, (one, other)


def test_a_greyscale_print_has_a_step_for_every_colour():
    lightness = sorted(lab(linear(fill))[0] for fill in FILLS)
    assert min(np.diff(lightness)) >= 2


def test_a_further_fabric_recolours_none():
    before = choose_swatches(["compute", "tenant", "backup"])
    after = choose_swatches(["compute", "tenant", "backup", "archive", "storage"])
    assert {name: after[name] for name in before} == before


def test_no_two_fabrics_share_a_code():
    names = ["compute", "camera", "cam", "c", "c2", "compute-b", "s", "storage", "0"]
    codes = [swatch.code for swatch in choose_swatches(names).values()]
    assert len(set(codes)) == len(names)


def test_shades_grow_lighter_by_rail_and_begin_anew_after_eight():
    blue = KNOWN["compute"][0]
    shades = [shade_for_rail(blue, rail) for rail in range(1, 9)]
    assert shades[0] == shade_for_rail(blue, 0) == shade_for_rail(blue, 9) == blue
    lightness = [lab(linear(fill))[0] for fill in shades]
    assert min(np.diff(lightness)) > 3


def test_ink_is_legible_on_every_shade():
    for fill in FILLS:
        for rail in range(1, 9):
            shade = shade_for_rail(fill, rail)
            paper, ink = (float(linear(c) @ [0.2126, 0.7152, 0.0722]) + 0.05 for c in (shade, choose_ink(shade)))
            assert max(paper, ink) / min(paper, ink) >= 4.5, shade


def test_planes_have_letters_and_patterns():
    marks = [make_plane_mark(plane) for plane in (1, 2, 8, 9, 26, 27)]
    assert [(m.letter, m.pattern) for m in marks] == [
        ("A", "solid"), ("B", "diagonal"), ("H", "grid"), ("I", "solid"), ("Z", "diagonal"), ("AA", "backslash"),
    ]  # fmt: skip
    assert make_plane_mark(0) is None
