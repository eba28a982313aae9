"""What the linter is told: by a blueprint of itself, and by a project of all of its blueprints."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from fabricgen.blueprint.base import Model
from fabricgen.blueprint.scalars import Line, Percent

RuleCode = Annotated[str, StringConstraints(pattern=r"^FG\d{3}$")]
CodePrefix = Annotated[str, StringConstraints(pattern=r"^FG\d{0,3}$")]
Gravity = Literal["error", "warning", "info", "ignore"]
"""How grave the findings of a rule are taken to be; `ignore` drops them."""


class Waiver(Model):
    """A finding that is accepted, for a reason and until a day."""

    rule: RuleCode = Field(examples=["FG203"], description="Code of the rule.")
    at: str = Field("", description="Place it covers, for example fabrics/storage; empty: everywhere.")
    why: Line = Field(min_length=3, json_schema_extra={"minLength": 3}, description="The reason, for the next reader.")
    until: str | None = Field(None, pattern=r"^\d{4}-\d{2}-\d{2}$", description="Last day it holds.")

    @property
    def place(self) -> tuple[str, ...]:
        """The keys that lead to what it covers."""
        return tuple(self.at.replace(".", "/").strip("/").split("/")) if self.at else ()


class Limits(Model):
    """From where on a figure is a finding. What is left out takes the rule's own measure, or is not judged."""

    pool_use: Percent = Field(
        0.8,
        gt=0,
        le=1,
        description="FG506: share of a pool of addresses or AS numbers that may be taken.",
    )

    def over(self, others: Limits) -> Limits:
        """These limits where they are stated, else the others."""
        stated = {key: getattr(self, key) for key in self.model_fields_set}
        return others.model_copy(update=stated)


class _Judgement(Model):
    severity: dict[RuleCode, Gravity] = Field(
        default_factory=dict,
        examples=[{"FG303": "error", "FG105": "ignore"}],
        description="How grave the findings of a rule are, instead of its own severity.",
    )
    limits: Limits = Field(default_factory=Limits.model_construct, description="From where on a figure is a finding.")


class BlueprintLint(_Judgement):
    """What the linter is told by the blueprint."""

    waive: tuple[Waiver, ...] = Field((), description="Findings that are accepted.")


class ProjectLint(_Judgement):
    """What the linter is told by the project, of all blueprints; a blueprint's own word and options go before it."""

    select: tuple[CodePrefix, ...] = Field((), description="Only rules whose codes begin so. Default: all.")
    ignore: tuple[CodePrefix, ...] = Field((), description="No rules whose codes begin so.")
    fail_on: Literal["info", "warning", "error", "never"] = Field(
        "error", description="From which severity on findings fail `lint` and `build`."
    )


class Project(Model):
    """A project's settings file, `.fabricgen.yaml`: what holds for all blueprints in its folder and below."""

    lint: ProjectLint = Field(default_factory=ProjectLint.model_construct, description="What the linter is told.")
