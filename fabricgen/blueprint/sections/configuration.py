"""The user's hand in configurations: raw text at named places, and what single ports have of their own."""

import re
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, ConfigDict, Field, WithJsonSchema, model_validator

from fabricgen.blueprint.base import Model
from fabricgen.blueprint.scalars import Line, Name
from fabricgen.models.forms import CATALOGUE

_LEAVES = r"(?i)\s*(end|abort)\s*"


def _check_config_text(text: str) -> str:
    """Refuse control characters, and lines that would end the configuration they are put into."""
    bad = next((c for c in text if (ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160 or c in "\u2028\u2029"), "")
    if bad:
        raise ValueError(f"U+{ord(bad):04X} is a control character; only line breaks and tabs are allowed here")
    for number, line in enumerate(text.splitlines(), 1):
        if re.fullmatch(_LEAVES, line):
            raise ValueError(f"line {number} is '{line.strip()}', which would end the configuration; leave it out")
    return text


ConfigText = Annotated[
    str,
    AfterValidator(_check_config_text),
    Field(min_length=1, max_length=65536),
    WithJsonSchema(
        {
            "type": "string",
            "description": "Lines of configuration: no control characters, and no `end` or `abort` alone on a line.",
            "pattern": r"^[^\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]*$",
            "not": {"pattern": r"(?:^|\n)\s*(?:[Ee][Nn][Dd]|[Aa][Bb][Oo][Rr][Tt])\s*(?:\n|$)"},
            "minLength": 1,
            "maxLength": 65536,
        }
    ),
]
"""Lines of configuration."""


class Snippet(Model):
    """Raw configuration for switches of one NOS, put in as it is: fabricgen does not read it.

    It is `text` for a place of a file of lines, or a `tree` that is merged into a file of data. The places of each NOS
    are in docs/catalog.md.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "oneOf": [
                {"required": ["text"], "properties": {"text": {"type": "string"}}},
                {"required": ["tree"], "properties": {"tree": {"type": "object"}}},
            ]
        }
    )

    nos: Name = Field(
        description="The NOS whose words these are; other switches do not take it.",
        json_schema_extra={CATALOGUE: "nos"},
    )
    at: Name | None = Field(None, description="Where it goes. Default: the end of the file; of a tree its root.")
    text: ConfigText | None = Field(None, description="Lines of configuration.")
    tree: dict[str, Any] | None = Field(None, description="Data to merge, e.g. {CRM: {Config: {polling_interval: 60}}}")

    @model_validator(mode="after")
    def _check_content(self) -> Self:
        """Raise ValueError unless a snippet is either lines or a tree."""
        if (self.text is None) == (self.tree is None):
            raise ValueError("a snippet has either `text` or `tree`")
        return self


Snippets = dict[Name, Snippet]
"""Snippets by name; they are put in by order of their names, the cluster's first, then fabric, tier and device."""


class PortSettings(Model):
    """What a cabled port has instead of what follows from the plan."""

    description: Line | None = Field(None, description="Instead of the far end and cable.")
    mtu: int | None = Field(None, ge=1280, le=9216, description="The largest IP packet, bytes; EOS takes 9214 at most.")
    shutdown: bool = Field(False, description="Keeps the port down.")
    fec: Literal["rs", "fc", "none"] | None = Field(None, description="Forward error correction.")


class DeviceConfiguration(Model):
    """What the configuration of a single switch has of its own."""

    maintenance: bool = Field(
        False,
        description="Drains the switch: sessions stay up, and what it announces by BGP is the last choice.",
    )
    ports: dict[str, PortSettings] = Field(default_factory=dict, description="Cabled ports by name, as in links.csv.")
    snippets: Snippets = Field(default_factory=dict, description="Raw configuration for this switch.")
