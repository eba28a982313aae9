"""Scalar types of the language: what may stand where a name, count, speed, ratio or prefix is expected."""

import re
from fractions import Fraction
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from fabricgen.catalog.cable_models import MEDIA
from fabricgen.kernel.units import parse_count, parse_percent, parse_ratio, parse_speed
from fabricgen.models import forms
from fabricgen.models.forms import FrozenModel, make_text_form

NAME_PATTERN = r"^[a-z]([a-z0-9-]{0,30}[a-z0-9])?$"


def _check_name(text: str) -> str:
    """Refuse what is no label of a host name, in the user's terms."""
    if not re.fullmatch(NAME_PATTERN[1:-1], text):
        raise ValueError(
            f"'{text}' is not a name: lower-case letters, digits and '-', a letter first, at most 32 characters"
        )
    return text


NAME_FORM = make_text_form(
    NAME_PATTERN, "a name: lower-case letters, digits and '-', a letter first, at most 32 characters"
)
Name = Annotated[str, AfterValidator(_check_name), WithJsonSchema(NAME_FORM)]
"""A name that ends up in host names (RFC 1123 labels)."""


def _check_one_line(text: str) -> str:
    """Refuse control characters and line breaks."""
    if any(ord(c) < 32 or ord(c) == 127 for c in text):
        raise ValueError("control characters and line breaks are not allowed here")
    return text


Line = Annotated[
    str,
    Field(max_length=200),
    AfterValidator(_check_one_line),
    WithJsonSchema(make_text_form(forms.LINE, "text of one line, at most 200 characters", maxLength=200)),
]
"""Free text of one line."""


class CountOf(FrozenModel):
    """So many of a profile: `32 x dgx-b200`."""

    count: int = Field(gt=0, le=4096)
    profile: str

    @classmethod
    def read(cls, value: Any) -> Any:
        """Read a text such as `32 x dgx-b200`. Raises ValueError for anything else."""
        if isinstance(value, cls):
            return value
        if not isinstance(value, str):
            raise ValueError("expected a count of something, such as 32 x dgx-b200")
        count, profile = parse_count(value)
        return {"count": count, "profile": profile}


NODES_FORM = make_text_form(
    forms.COUNT_OF,
    "so many of a node profile, such as 32 x dgx-b200",
    "32 x dgx-b200",
    **{forms.CATALOGUE_COUNTED: "nodes"},
)
NodesOf = Annotated[
    CountOf,
    BeforeValidator(CountOf.read),
    WithJsonSchema(NODES_FORM),
]


class NodeSetOf(CountOf):
    """A set of nodes: `32 x dgx-b200`, or `{nodes: 4 x login-node, skip: [compute]}` for nodes that fabrics pass by."""

    skip: tuple[Name, ...] = ()

    @classmethod
    def read(cls, value: Any) -> Any:
        """Read a text such as `32 x dgx-b200`, or a mapping with `nodes` and `skip`. Raises ValueError for anything
        else.
        """
        if isinstance(value, dict) and "nodes" in value and set(value) <= {"nodes", "skip"}:
            skip = value.get("skip", ())
            return {**super().read(value["nodes"]), "skip": [skip] if isinstance(skip, str) else skip}
        if isinstance(value, dict):
            raise ValueError("expected nodes such as 32 x dgx-b200, or {nodes: 32 x dgx-b200, skip: [storage]}")
        return super().read(value)


NODE_SET_FORM = {
    "description": "so many of a node profile, perhaps with the fabrics that these nodes skip",
    "oneOf": [
        NODES_FORM,
        {
            "type": "object",
            "properties": {
                "nodes": NODES_FORM,
                "skip": {
                    "description": "Fabrics that these nodes do not attach to.",
                    **forms.one_or_list(NAME_FORM),
                },
            },
            "required": ["nodes"],
            "additionalProperties": False,
        },
    ],
}


def _read_speed(value: Any) -> int:
    """Return a speed, stated as text or as a number, in Gb/s. Raises ValueError for anything else."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError("expected a speed such as 400G")
    return parse_speed(value)


Speed = Annotated[
    int,
    BeforeValidator(_read_speed),
    WithJsonSchema(
        make_text_form(
            forms.SPEED,
            "a speed such as 400G, 400Gb/s or 1.6T, in whole Gb/s",
            "400G",
            type=["string", "integer"],
            minimum=1,
        )
    ),
]
"""A speed, held in Gb/s."""


def _read_ratio(value: Any) -> Fraction:
    """Return a ratio that is stated as text or as a number. Raises ValueError for anything else."""
    if isinstance(value, bool) or not isinstance(value, str | int | float | Fraction):
        raise ValueError('expected a ratio such as "2:1"')
    return value if isinstance(value, Fraction) else parse_ratio(value)


Ratio = Annotated[
    Fraction,
    BeforeValidator(_read_ratio),
    WithJsonSchema(
        make_text_form(
            forms.RATIO,
            'downlink : uplink bandwidth in quotes, such as "2:1"',
            "4:3",
            type=["string", "number"],
            exclusiveMinimum=0,
        )
    ),
]
"""Downlink over uplink bandwidth."""


def _read_percent(value: Any) -> float:
    """Return a share from 0% to 100% as a fraction of 1. Raises ValueError for anything else."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError("expected a percentage such as 10%")
    share = parse_percent(value)
    if not 0 <= share <= 1:
        raise ValueError(f"{value} is not between 0% and 100%")
    return share


PERCENT_FORM = make_text_form(
    forms.PERCENT, "a share such as 10% or 0.1", "10%", type=["string", "number"], minimum=0, maximum=1
)
Percent = Annotated[float, BeforeValidator(_read_percent), WithJsonSchema(PERCENT_FORM)]
"""A share, held as a fraction of 1."""


class Links(FrozenModel):
    """So many links of a speed: `32 x 400G`, `32`, or a speed alone."""

    count: int | None = Field(None, gt=0, le=4096)
    speed_gbps: int | None = Field(None, gt=0)

    @classmethod
    def read(cls, value: Any) -> Any:
        """Read `32 x 400G`, `400G` and 32; raises ValueError for anything else."""
        if isinstance(value, cls):
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return {"count": value}
        if isinstance(value, str):
            if re.search(r"[xX×]", value):
                count, speed = parse_count(value)
                return {"count": count, "speed_gbps": parse_speed(speed)}
            return {"speed_gbps": parse_speed(value)}
        raise ValueError("expected links such as 32 x 400G, 32 or 400G")


LinksOf = Annotated[
    Links,
    BeforeValidator(Links.read),
    WithJsonSchema(
        make_text_form(
            forms.LINKS,
            "links such as 32 x 400G, 32 or 400G",
            "32 x 400G",
            "400G",
            type=["string", "integer"],
            minimum=1,
            maximum=4096,
        )
    ),
]
"""Links of a switch towards the tier above."""


class Peers(Links):
    """Links to the other switch of a pair: `2 x 800G`, or `2 x 800G per su` for each scalable unit below the pair."""

    per_su: bool = False

    @classmethod
    def read(cls, value: Any) -> Any:
        """Read what `Links` reads, perhaps followed by `per su`; raises ValueError for anything else."""
        match = re.fullmatch(r"(.*\S)\s+per\s+su\s*", value) if isinstance(value, str) else None
        return {**Links.read(match[1]), "per_su": True} if match else super().read(value)


PeersOf = Annotated[
    Peers,
    BeforeValidator(Peers.read),
    WithJsonSchema(
        make_text_form(
            forms.PEERS,
            "links such as 2 x 800G, 2 or 800G, perhaps for each scalable unit: 2 x 800G per su",
            "4 x 800G",
            "2 x 800G per su",
            type=["string", "integer"],
            minimum=1,
            maximum=4096,
        )
    ),
]
"""Links of a switch to the other one of its pair."""


ALL_KINDS = "all"
"""The key of a mode of NICs that is stated for all kinds of nodes at once."""


class NicMode(FrozenModel):
    """How one NIC port is run: `2x400` is two ports of 400G."""

    ways: int = Field(ge=1, le=8)
    speed_gbps: int

    @classmethod
    def read(cls, value: Any) -> Any:
        """Read `1x800` and `2x400G`; raises ValueError for anything else."""
        if isinstance(value, cls):
            return value
        if not isinstance(value, str):
            raise ValueError("expected ports such as 2x400")
        ways, speed = parse_count(value)
        return {"ways": ways, "speed_gbps": parse_speed(speed)}


_NIC_MODE_FORM = make_text_form(forms.NIC_MODE, "ports that one is run as, such as 2x400", "2x400", "1x800")
NicModes = Annotated[
    dict[Name, Annotated[NicMode, BeforeValidator(NicMode.read)]],
    BeforeValidator(lambda value: value if isinstance(value, dict) else {ALL_KINDS: value}),
    WithJsonSchema(
        {"oneOf": [_NIC_MODE_FORM, {"type": "object", "patternProperties": {NAME_PATTERN: _NIC_MODE_FORM}}]}
    ),
]
"""Node profile -> how its NIC ports are run; one for all kinds of nodes."""


def _check_one_per_speed(modes: tuple[NicMode, ...]) -> tuple[NicMode, ...]:
    """Raise ValueError for a speed that two breakouts make."""
    speeds = [mode.speed_gbps for mode in modes]
    twice = next((speed for i, speed in enumerate(speeds) if speed in speeds[:i]), None)
    if twice is not None:
        raise ValueError(f"two breakouts make ports of {twice}G; state one for each speed")
    return modes


Breakouts = Annotated[
    tuple[Annotated[NicMode, BeforeValidator(NicMode.read)], ...],
    BeforeValidator(lambda value: value if isinstance(value, list | tuple) else [value]),
    Field(min_length=1),
    AfterValidator(_check_one_per_speed),
    WithJsonSchema(
        {
            "description": "Ports that cages are split into, one or a list with one for each speed.",
            **forms.one_or_list(_NIC_MODE_FORM, minItems=1),
            "examples": ["2x400", ["2x400", "1x100"]],
        }
    ),
]
"""How cages are split, by the speed of the ports; empty where nothing is stated."""


_MEDIUM_FORM = {
    "description": "A medium, such as DR, or a cable profile.",
    "anyOf": [{"enum": list(MEDIA)}, {"type": "string"}],
}
MediaOf = Annotated[
    tuple[str, ...],
    BeforeValidator(lambda value: [value] if isinstance(value, str) else value),
    Field(min_length=1),
    WithJsonSchema(
        {
            "description": f"Media ({', '.join(MEDIA)}) or cable "
            "profiles such as dr8-500m: the cheapest of these that reaches is taken, and no other.",
            **forms.one_or_list(_MEDIUM_FORM, minItems=1),
            "examples": ["DAC", ["DR", "FR"]],
        }
    ),
]
"""Media that links may use."""


def _read_cages(value: Any) -> Any:
    """Return the cage numbers of a text of ranges such as `1-32,49`, in their order, each once. Raises ValueError
    for another text.
    """
    if isinstance(value, tuple):
        return value  # read before
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise ValueError("expected cages such as 1-32 or 1-16,33-48")
    cages: list[int] = []
    for part in value.split(","):
        # a number alone has no second group: it is a range from itself to itself
        ends = re.fullmatch(r" *(\d{1,4})(?: *- *(\d{1,4}))? *", part, re.ASCII)
        if ends is None or int(ends[2] or ends[1]) < int(ends[1]) or int(ends[1]) < 1:
            raise ValueError(f"'{value}' is not a range of cages such as 1-32 or 1-16,33-48")
        cages += range(int(ends[1]), int(ends[2] or ends[1]) + 1)
    return tuple(dict.fromkeys(cages))


_CAGE = r"(?!0+(?!\d))\d{1,4}"
_CAGE_RANGE = rf" *{_CAGE}(?: *- *{_CAGE})? *"
Cages = Annotated[
    tuple[int, ...],
    BeforeValidator(_read_cages),
    WithJsonSchema(
        make_text_form(
            rf"^{_CAGE_RANGE}(?:,{_CAGE_RANGE})*$",
            "cages of a switch face by number, such as 1-32 or 1-16,33-48",
            "1-32",
            "1-16,33-48",
            type=["string", "integer"],
            minimum=1,
            maximum=9999,
        )
    ),
]
"""Cages of a switch face by number, from 1."""
