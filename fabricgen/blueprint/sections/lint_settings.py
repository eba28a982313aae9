"""What the linter is told, by a blueprint of itself and by a project of all; and what of drift a blueprint accepts."""

import re
from datetime import date
from itertools import accumulate
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from fabricgen.blueprint.base import Model
from fabricgen.blueprint.scalars import PERCENT_FORM, Line, Percent, Ratio
from fabricgen.blueprint.sections.expect import Collective, Least, Pattern, Size
from fabricgen.kernel.diagnostics import Path
from fabricgen.kernel.units import parse_percent
from fabricgen.models.forms import CATALOGUE, CODE_PREFIX, PERCENT, RULE_CODE, make_text_form

RuleCode = Annotated[str, Field(pattern=RULE_CODE)]
"""Of fabricgen's own rules, FG and three digits, or of a plug-in's."""
CodePrefix = Annotated[str, Field(pattern=CODE_PREFIX)]


def _check_spare_ports(value: int | str) -> int | str:
    """Refuse what is neither a number of ports nor a share of them."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    if isinstance(value, str) and value.strip().endswith("%") and 0 <= parse_percent(value) <= 1:
        return value
    raise ValueError("expected a number of ports such as 2, or a share such as 5%")


Gravity = Literal["error", "warning", "info", "ignore"]
"""How grave the findings of a rule are taken to be; `ignore` drops them."""


def _check_day(text: str) -> str:
    """Return a day of the calendar, written like 2027-06-30. Raises ValueError for any other text."""
    try:
        if re.fullmatch(_DAY, text):
            date.fromisoformat(text)
            return text
    except ValueError:
        pass
    raise ValueError(f"write the date as 2027-06-30, not '{text}'")


_DAY = r"^\d{4}-\d{2}-\d{2}$"
Day = Annotated[str, Field(json_schema_extra={"pattern": _DAY, "format": "date"}), AfterValidator(_check_day)]


def split_steps(place: str) -> tuple[str, ...]:
    """Return the steps of a place such as `fabrics.storage` or `fabrics/storage`; a port such as Ethernet1/1 is two
    steps.
    """
    return tuple(step for step in place.replace(".", "/").split("/") if step)


class Waiver(Model):
    """A finding that is accepted, for a reason and until a day."""

    rule: RuleCode = Field(examples=["FG203"], description="Code of the rule.")
    at: str = Field("", description="Place it covers, for example fabrics/storage; empty: everywhere.")
    why: Line = Field(min_length=3, json_schema_extra={"minLength": 3}, description="The reason, for the next reader.")
    until: Day | None = Field(None, description="Last day it holds.")

    @property
    def place(self) -> tuple[str, ...]:
        """The steps of `at`, split at dots and slashes: ("fabrics", "storage") for `fabrics/storage`; () for
        everywhere.
        """
        return split_steps(self.at.strip("./"))

    def covers(self, path: Path) -> bool:
        """Whether a place is the one that is stated, or below it."""
        keys = [split_steps(str(part)) for part in path]
        ends = accumulate((len(key) for key in keys), initial=0)
        path_steps = tuple(step for key in keys for step in key)
        return len(self.place) in ends and path_steps[: len(self.place)] == self.place


class AfterLoss(Model):
    """The least share of a fabric's bisection that is left after the loss of any one of something."""

    switch: Percent | None = Field(None, description="After the loss of any one switch, of whatever tier.")
    plane: Percent | None = Field(None, description="After the loss of one of several planes.")
    rack: Percent | None = Field(None, description="After the loss of any one rack.")
    row: Percent | None = Field(None, description="After the loss of any one row of racks.")
    feed: Percent | None = Field(None, description="After the loss of any one power feed of `floor.feeds`.")

    @classmethod
    def read(cls, value: Any) -> Any:
        """Return a share that is written without a map, such as `90%`, as a map with that share for every kind of loss.

        Any other value is returned as it is.
        """
        shares = isinstance(value, str | int | float)
        return dict.fromkeys(cls.model_fields, value) if shares else value


_SHARE = PERCENT_FORM | {"examples": ["75%"]}

AfterLossOf = Annotated[
    AfterLoss,
    BeforeValidator(AfterLoss.read),
    WithJsonSchema(
        {
            "anyOf": [
                _SHARE,
                {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {
                        name: {"anyOf": [_SHARE, {"type": "null"}], "description": field.description}
                        for name, field in AfterLoss.model_fields.items()
                    },
                },
            ],
            "examples": ["75%", {"switch": "90%", "plane": "50%"}],
        }
    ),
]
"""One share for every kind of loss, or a table by what is lost."""

_SHARE_FORM = make_text_form(PERCENT, "a share such as 5%", "5%")
SparePorts = Annotated[
    int | str,
    Field(union_mode="left_to_right", examples=[2, "5%"]),
    AfterValidator(_check_spare_ports),
    WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 0}, _SHARE_FORM]}),
]
"""Ports of a switch: so many, or a share of all that it has."""


class Limits(Model):
    """From where on a figure is a finding. What is left out takes the rule's own measure, or is not judged."""

    watchdog_detect_ms: int | None = Field(
        None, ge=100, le=5000, description="FG709: the longest that a storm of pauses may stand, ms. Default: 1000."
    )
    ecn_queue_ms: float | None = Field(
        None, gt=0, le=1000, description="FG711: the longest queue before all is marked, ms. Default: 1."
    )
    pool_use: Percent = Field(
        0.8,
        description="FG506: share of a pool of addresses or AS numbers that may be taken.",
    )
    after_loss: AfterLossOf = Field(
        default_factory=AfterLoss.model_construct,
        description="Least share of a fabric's bisection that is left when something fails, one for all or by what is "
        "lost: {switch: 90%, plane: 50%, rack: 50%, row: 0%, feed: 50%}. Default: not judged.",
    )
    spare_ports: SparePorts | None = Field(
        None, description="Ports that every switch has spare, a number or a share such as 5%. Default: not judged."
    )
    oversubscription: Ratio | None = Field(
        None, description="Most from the nodes up to the top. Default: the most that a single tier allows."
    )
    bisection_gbps_per_accelerator: float | None = Field(
        None,
        gt=0,
        description="Least that each accelerator of one half of a compute fabric can send to the other half, Gb/s. "
        "Default: its ports over the oversubscription allowed.",
    )
    storage_gbps_per_accelerator: float | None = Field(
        None, gt=0, description="Least that a storage fabric gives each accelerator, Gb/s. Default: not judged."
    )
    inband_gbps_per_node: float | None = Field(
        None, gt=0, description="Least that an in-band fabric gives each node, Gb/s. Default: not judged."
    )
    hops: int | None = Field(
        None, ge=1, description="FG211: most switches between any two accelerators. Default: not judged."
    )
    paths: int | None = Field(
        None,
        ge=1,
        description="FG211: fewest equal shortest paths between accelerators that share no leaf. Default: not judged.",
    )
    latency_us: float | None = Field(
        None,
        gt=0,
        description="FG211: longest latency of switches and cables between two accelerators, one way, us. "
        "Default: not judged.",
    )
    slowdown: dict[Pattern, Least] = Field(
        {},
        description="FG211: most times that crowded uplinks make a pattern of traffic slower than its ports "
        "({ring: 1, everyone: 2}). Default: not judged.",
    )
    busbw_gbytes: dict[Collective, dict[Size, Least]] = Field(
        {},
        description="FG211: least bus bandwidth of collectives of all accelerators by size of message, GB/s "
        "({all-reduce: {8G: 380}}). Default: not judged.",
    )
    rack_plugs: int | None = Field(
        None, ge=1, le=100_000, description="FG647: plugs that the cable managers of a rack take. Default: 1800."
    )

    def lay_over(self, base: Self) -> Self:
        """Return these limits, and those of `base` where none is stated here."""
        stated = {key: getattr(self, key) for key in self.model_fields_set}
        if "after_loss" in stated:
            losses = {key: getattr(self.after_loss, key) for key in self.after_loss.model_fields_set}
            stated["after_loss"] = base.after_loss.model_copy(update=losses)
        return base.model_copy(update=stated)


class _Judgement(Model):
    """What a blueprint and a project can both say of rules: how grave findings are, and from where on."""

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


Step = Annotated[str, Field(min_length=1, examples=["PORT", "Ethernet*", "mtu"])]


class DriftWaiver(Model):
    """A difference between what devices run and the plan that is accepted, for a reason and until a day."""

    nos: str = Field(description="NOS of the devices.", json_schema_extra={CATALOGUE: "nos"})
    path: list[Step] = Field(
        min_length=1,
        description="Where it is, step by step as `check --running` tells it: table, row and field of SONiC, sections "
        "and the line in them, keys of NVUE. `*` stands for any text within a step, never for further steps.",
    )
    why: Line = Field(min_length=3, json_schema_extra={"minLength": 3}, description="The reason, for the next reader.")
    until: Day | None = Field(None, description="Last day it holds.")


class BlueprintDrift(Model):
    """What `check --running` is told."""

    waive: tuple[DriftWaiver, ...] = Field((), description="Differences that are accepted.")
