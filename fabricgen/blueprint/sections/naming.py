"""The language of names: templates for switches and nodes, and names that single devices have of their own."""

import re
from collections.abc import Sequence
from string import Formatter
from typing import Annotated, NamedTuple

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from fabricgen.blueprint.base import Model
from fabricgen.blueprint.scalars import NAME_PATTERN, Name
from fabricgen.models.forms import make_text_form

LONGEST = 63
"""Characters of a host name: one label of RFC 1123 (2.1), and what every NOS takes."""

LONGEST_INTERFACE = 15
"""Characters of the name of a network interface (Linux: IFNAMSIZ is 16, with the byte that ends it)."""

_LABEL = re.compile(rf"[A-Za-z0-9]([A-Za-z0-9-]{{0,{LONGEST - 2}}}[A-Za-z0-9])?")
_LABELS = re.compile(rf"(?:{_LABEL.pattern}\n)*+")
_FIELD = r"[a-z][a-z0-9-]*"
_WIDTH = r"0([1-9])d?"
_INTERFACE = rf"[A-Za-z][A-Za-z0-9._-]{{0,{LONGEST_INTERFACE - 1}}}"
_NOT_INTERFACES = ("all", "default", "lo")
"""Words that mean something else where settings of the kernel name an interface."""


class Part(NamedTuple):
    """Text, then the value of a field ("" for none) as a number of at least `width` digits; 0: as it is."""

    text: str
    field: str
    width: int


def parse_template(template: str) -> tuple[Part, ...]:
    """Return the parts of a template such as `{pod}-su{su:02}`.

    Only plain fields and widths with leading zeros are known: no attributes, indexes, conversions or other formats.
    Raises ValueError, in the user's terms, for anything else.
    """
    try:
        pieces = list(Formatter().parse(template))
    except ValueError as error:
        raise ValueError(f"'{template}': every '{{' needs a '}}' ({error})") from None
    parts = []
    for text, field, form, conversion in pieces:
        if bad := re.search(r"[^A-Za-z0-9-]", text):
            raise ValueError(f"'{bad[0]}' cannot be in a host name: letters, digits and '-' only")
        if field is None:
            parts.append(Part(text, "", 0))
            continue
        if conversion or not re.fullmatch(_FIELD, field):
            raise ValueError(f"'{template}': a field is a plain name such as {{pod}} or {{su:02}}")
        width = re.fullmatch(_WIDTH, form) if form else None
        if form and width is None:
            raise ValueError(f"'{template}': a width is written with a leading zero, such as {{{field}:02}}")
        parts.append(Part(text, field, int(width[1]) if width else 0))
    return tuple(parts)


def is_host_name(text: str) -> bool:
    """Whether a text is a host name of one label (RFC 1123, 2.1), such as `p1-su01-n001`, in capitals or not."""
    return _LABEL.fullmatch(text) is not None


def are_host_names(texts: Sequence[str]) -> bool:
    """Whether every text of a list is a host name of one label; quicker than to test each."""
    return _LABELS.fullmatch("\n".join([*texts, ""])) is not None


def is_interface_name(text: str) -> bool:
    """Whether a network interface of Linux can have a name."""
    return re.fullmatch(_INTERFACE, text) is not None and text not in _NOT_INTERFACES


def _check_interface_name(text: str) -> str:
    """Refuse what Linux cannot call a network interface."""
    if not is_interface_name(text):
        raise ValueError(
            f"'{text}' is not an interface name: letters, digits, '.', '_' and '-', a letter first, at most "
            f"{LONGEST_INTERFACE} characters, none of {', '.join(_NOT_INTERFACES)}"
        )
    return text


def _check_template(text: str) -> str:
    """Refuse a template without a field: all devices would have one name."""
    if not any(part.field for part in parse_template(text)):
        raise ValueError(f"'{text}' has no field such as {{n:02}}, and would name all devices alike")
    return text


def _check_host_name(text: str) -> str:
    """Refuse what is no host name of one label."""
    if not is_host_name(text):
        raise ValueError(f"'{text}' is not a host name: letters, digits and '-' inside, at most {LONGEST} characters")
    return text


_TEMPLATE_SCHEMA = make_text_form(
    r"^[A-Za-z0-9-]*(?:\{[a-z][a-z0-9-]*(?::(?:0[1-9]d?)?)?\}[A-Za-z0-9-]*)+$",
    "a template such as {pod}-su{su:02}-n{node:03}: letters, digits, '-' and fields in braces",
    "{fabric}-{tier}-{pod}-su{su:02}-r{rail}-{n:02}",
)
Template = Annotated[str, AfterValidator(_check_template), WithJsonSchema(_TEMPLATE_SCHEMA)]
"""A template of names."""

Templates = Annotated[
    dict[Name, Template],
    BeforeValidator(lambda value: {"all": value} if isinstance(value, str) else value),
    WithJsonSchema(
        {
            "oneOf": [_TEMPLATE_SCHEMA, {"type": "object", "patternProperties": {NAME_PATTERN: _TEMPLATE_SCHEMA}}],
            "examples": _TEMPLATE_SCHEMA["examples"],
        }
    ),
]
"""Tier or node set -> template; one template for all."""

_HOST_NAME_SCHEMA = make_text_form(
    f"^{_LABEL.pattern}$", "a host name: letters, digits and '-' inside, at most 63 characters", "edge-1"
)
HostName = Annotated[str, AfterValidator(_check_host_name), WithJsonSchema(_HOST_NAME_SCHEMA)]
"""A host name: one label of RFC 1123."""

_INTERFACE_SCHEMA = make_text_form(
    f"^(?!(?:{'|'.join(_NOT_INTERFACES)})$){_INTERFACE}$",
    "a network interface: letters, digits, '.', '_' and '-', a letter first, at most 15 characters",
    "enp24s0np0",
)
InterfaceName = Annotated[str, AfterValidator(_check_interface_name), WithJsonSchema(_INTERFACE_SCHEMA)]
"""A network interface of a node, as its operating system names it."""


InterfaceNames = Annotated[dict[str, InterfaceName], Field(description="The interfaces of a node profile, by port.")]


class Names(Model):
    """What devices are called. Addresses, ports and AS numbers do not depend on it."""

    switches: Templates = Field(
        default_factory=dict,
        description="A template for all switches, or by tier. Fields: cluster, fabric, tier, site, pod, su, rack, "
        "rail, rail-group, plane, port, a lower tier of `per`, n (number in the group), index (number in the tier, "
        "reserved places counted; by itself, in units of all kinds), default (the usual name). "
        "Switches that stand in a rack of a unit also have rack, its number.",
    )
    nodes: Templates = Field(
        default_factory=dict,
        description="A template for all nodes, or by node set. Fields: cluster, set, site, pod, su, rack, node "
        "(number in the unit), n (number in the rack), index (number among all nodes of the template, reserved units "
        "counted), "
        "default. Default: {pod}-su{su:02}-n{node:03}.",
    )
    racks: Templates = Field(
        default_factory=dict,
        description="A template for all racks, or by kind: nodes, network (racks of a unit without nodes), shared "
        "(those that serve more than a unit), panels (patch racks at the ends of rows). Fields: cluster, site, hall, "
        "row, column (where it stands unless `floor.racks` moves it), default; of a unit also pod, su, rack (number in "
        "the unit); of nodes also index (number in the cluster, reserved units counted); of shared ones run (what "
        "stands there), n (number in the run); of panels rule (of `cabling.patch`), place (their row), n (number "
        "there). Defaults: {pod}-su{su:02}-rk{rack:02}, {pod}-su{su:02}-net{rack:02}, net-{run}-{n:02}, "
        "patch-{rule}-{place}-{n:02}.",
    )
    devices: dict[str, HostName] = Field(
        default_factory=dict, description="Names of single devices, by the name that they have without this."
    )
    interfaces: dict[str, InterfaceNames] = Field(
        default_factory=dict,
        description="What the operating system of nodes calls their ports, for the part `hosts`: by node profile, "
        "then by port as links.csv has it, e.g. {dgx-b200: {SLOT1P2: enp170s0f1np1}}. Default: the port's own name.",
    )
