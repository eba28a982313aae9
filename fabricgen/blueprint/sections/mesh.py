"""The language of links within a tier: which of its switches meet, with how many links, and spans between sites."""

from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import BeforeValidator, Field, PrivateAttr, WithJsonSchema, model_validator

from fabricgen.blueprint.base import Model
from fabricgen.blueprint.scalars import NAME_PATTERN, Line, Links, LinksOf, Name
from fabricgen.blueprint.sections.secret import Secret
from fabricgen.kernel.diagnostics import Span
from fabricgen.models import forms
from fabricgen.models.forms import CONNECTION_KEY_NAME, make_text_form


class Pair(NamedTuple):
    """Two switches that meet, by their numbers from 0 in ascending order, and the line that says so."""

    a: int
    b: int
    span: Span


class MeshSpec(Model):
    """Links between the switches of a tier that differ in one dimension: all with all, or near ones in a ring."""

    links: LinksOf = Field(
        default_factory=lambda: Links(count=None, speed_gbps=None),
        description="Links of every two that meet, e.g. 1 x 200G. Default: 1; of groups that are spread as many as "
        "balance a dragonfly, as many global links a switch as node ports.",
    )
    spread: bool = Field(
        False,
        description="Of groups. true: so many links in all between every two groups, dealt over their switches in turn "
        "(global links of a dragonfly). Default: between the switches of every two groups that have the same number "
        "(HyperX).",
    )
    reach: int | None = Field(
        None,
        ge=1,
        le=64,
        description="How far neighbours are in a ring of the dimension: 1 for a torus. Default: all meet all.",
    )

    table: Line | None = Field(
        None,
        description="A table beside the blueprint, CSV with the columns a and b: which switches meet, by numbers from "
        "1, as of a Slim Fly. Default: a rule says.",
    )
    _pairs: tuple[Pair, ...] = PrivateAttr(())

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """The lines of its `table`; empty without one."""
        return self._pairs

    def read_pairs(self, pairs: tuple[Pair, ...]) -> None:
        """Keep what the table says, which is read once, as the blueprint is loaded."""
        self._pairs = pairs

    @model_validator(mode="after")
    def _check_one_form(self) -> Self:
        """Raise ValueError if two rules say which switches meet."""
        if self.table and (self.spread or self.reach):
            raise ValueError("a `table` says which switches meet, and `spread` and `reach` are rules that do")
        if self.spread and self.reach:
            raise ValueError("links that are spread over groups have no `reach`: every two groups meet")
        return self


class _LinksAlone:
    """Lets the schema take links where a map may stand."""

    def __get_pydantic_json_schema__(self, core: Any, handler: Any) -> dict[str, Any]:
        links = make_text_form(
            forms.LINKS, "links such as 1 x 200G", "1 x 200G", type=["string", "integer"], minimum=1, maximum=4096
        )
        return {"anyOf": [links, handler(core)], "examples": ["1 x 200G", {"links": "1 x 200G", "spread": True}]}


def _wrap_links(value: Any) -> Any:
    """Return links that are written without a map, such as `2 x 400G`, as the map `{"links": ...}`; any other value as
    it is.
    """
    return {"links": value} if isinstance(value, (str, int, Links)) and not isinstance(value, bool) else value


MeshOf = Annotated[MeshSpec, BeforeValidator(_wrap_links), _LinksAlone()]
"""Links within a tier: their number and speed, or a map."""

GridSize = Annotated[int, Field(ge=2, le=4096, description="Switches along this dimension of the grid.")]


def _read_grid(value: Any) -> Any:
    """Return a list of names as a map in which each name has no value; any other value as it is."""
    return dict.fromkeys(value) if isinstance(value, list) and all(isinstance(name, str) for name in value) else value


Grid = Annotated[
    dict[Name, GridSize | None],
    BeforeValidator(_read_grid),
    WithJsonSchema(
        {
            "anyOf": [
                {
                    "type": "object",
                    "maxProperties": 8,
                    "propertyNames": {"pattern": NAME_PATTERN},
                    "additionalProperties": {"type": ["integer", "null"], "minimum": 2, "maximum": 4096},
                    "description": "Names of dimensions, with how many switches lie along each.",
                },
                {
                    "type": "array",
                    "maxItems": 8,
                    "items": {"type": "string", "pattern": NAME_PATTERN},
                    "description": "Names of dimensions whose widths are as near to equal as `count` allows.",
                },
            ],
            "examples": [{"row": 4, "column": 4}, ["row", "column"]],
        }
    ),
]
"""How the switches of a group lie: the last dimension counts fastest. A width of None follows from `count`."""


# Long-haul connections between sites: whether they pause, and their encryption.

Cipher = Literal["aes128-gcm", "aes256-gcm", "aes128-gcm-xpn", "aes256-gcm-xpn"]
"""Cipher suites of MACsec (IEEE 802.1AE-2018, 14.5 to 14.8), as EOS calls them."""

ConnectionKeyName = Annotated[str, Field(pattern=CONNECTION_KEY_NAME)]
"""The form of sonic-macsec.yang; EOS takes it, too."""


class Macsec(Model):
    """Encryption of every link of a span (MACsec, IEEE 802.1AE), with a key of both ends (MKA, 802.1X)."""

    cipher: Cipher = Field(
        "aes256-gcm-xpn",
        description="The cipher suite; xpn: with packet numbers of 64 bits, which do not run out in seconds.",
    )
    ckn: ConnectionKeyName = Field(description="The name of the key: 32 or 64 hexadecimal digits, in small letters.")
    cak: Secret = Field(
        description="The key, as the NOS keeps it (type 7): two decimal digits, then 64 hexadecimal ones for AES-128 "
        "or 128 for AES-256."
    )


class SpanTraffic(Model):
    """What a span does with packets, beside carrying them."""

    lossless: bool = Field(
        False,
        description="Whether PFC pauses over it, which takes headroom for twice its length. Default: no; its ports "
        "mark packets (ECN) and drop what they cannot hold.",
    )
    macsec: Macsec | None = Field(None, description="Encrypt its links. Default: no.")
