"""One grammar of speeds, wherever one is written, and the schema has it too."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.blueprint.scalars import Links, NicMode
from fabricgen.kernel.units import parse_speed
from fabricgen.models import forms

BITS = ["", "b", "bit", "b/s", "bps", "bit/s", "bE", "be"]
BYTES = ["B", "B/s", "Bps"]


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("number", ["400G", "400g", "0.4T", "400000M", "400 G"])
def test_every_way_to_write_bits_is_taken_everywhere(number: str, bits: str) -> None:
    assert parse_speed(number + bits) == 400
    assert Links.read(f"2 x {number}{bits}") == {"count": 2, "speed_gbps": 400}
    assert NicMode.read(f"2x{number}{bits}") == {"ways": 2, "speed_gbps": 400}


@pytest.mark.parametrize("unit", BYTES)
def test_bytes_are_no_speed_and_said_in_bits(unit: str) -> None:
    with pytest.raises(ValueError, match=r"counts bytes \(B\); a speed counts bits: 400G is as much"):
        parse_speed(f"50G{unit}")
    with pytest.raises(ValueError, match="400G is as much"):
        Links.read(f"2 x 50G{unit}")


@pytest.mark.parametrize("text", ["400b", "400bps", "G", "400Gx", "400G/s", "4OOG", "-400G", "400 G b"])
def test_what_is_no_speed_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a speed"):
        parse_speed(text)


@given(
    st.sampled_from(["0", "1", "25", "0100", "400", "1.6", "2.5", "1000", "1500", "400.0", "0.4", ".5"]),
    st.sampled_from(["", " "]),
    st.sampled_from(["", "G", "g", "T", "t", "M", "m", "K"]),
    st.sampled_from([*BITS, *BYTES, "bS", "b/S", "BE", "GE", "/s"]),
)
def test_the_schema_takes_what_the_reader_takes(number: str, space: str, unit: str, bits: str) -> None:
    text = number + space + unit + bits
    try:
        taken = parse_speed(text) > 0
    except ValueError:
        taken = False
    assert bool(re.search(forms.SPEED.replace("$", r"\Z"), text, re.ASCII)) == taken
