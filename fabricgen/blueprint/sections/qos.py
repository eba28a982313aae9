"""The language of quality of service: RoCE in a class of its own, paused or dropped, and packet trimming."""

import re
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from fabricgen.blueprint.base import Model
from fabricgen.kernel.units import parse_speed
from fabricgen.models import forms
from fabricgen.models.forms import make_text_form


class Watchdog(Model):
    """The PFC watchdog: what ends a storm of pauses."""

    detect_ms: int = Field(200, ge=100, le=5000, description="A queue paused so long is in a storm, ms.")
    restore_ms: int = Field(400, ge=100, le=60000, description="Quiet for so long, it is over, ms.")
    poll_ms: int = Field(100, ge=100, le=1000, description="Between looks at the queues, ms.")
    action: Literal["drop", "forward"] = Field("drop", description="What becomes of the queue's packets meanwhile.")

    @model_validator(mode="after")
    def _check_poll(self) -> Self:
        """Raise ValueError unless queues are looked at twice at least while a storm begins or ends."""
        if 2 * self.poll_ms > min(self.detect_ms, self.restore_ms):
            raise ValueError(
                f"poll_ms {self.poll_ms} is more than half of detect_ms {self.detect_ms} or restore_ms "
                f"{self.restore_ms}, and would miss them"
            )
        return self


TrafficClass = Annotated[int, Field(ge=2, le=6)]
"""A traffic class, 802.1p priority and queue: they have one number here. 0 and 1 carry all else, 7 is the network's."""


class Trim(Model):
    """Packet trimming: of a packet that finds no room its head goes on, so that the receiver asks for it at once.

    Defaults and ranges: profile packet-trim-default of Cumulus Linux (user guide, Packet Trimming).
    """

    dscp: int = Field(11, ge=1, le=63, description="DSCP of what is left of a packet.")
    size: int = Field(256, ge=256, le=1024, multiple_of=4, description="Bytes that are left of it, a multiple of 4.")
    traffic_class: TrafficClass = Field(
        4,
        description="Traffic class in which it goes on. Trimmed are packets of RoCE with profile: roce-lossy, and of "
        "class 0, which has all else, with best-effort.",
    )


MOST_KB = 999_999
"""The longest queue that a threshold names: more than any switch can hold."""


def _read_thresholds(value: Any) -> Any:
    """Return MIN and MAX, kB, of a text such as 256-512. Raises ValueError for anything else."""
    if not isinstance(value, str):
        raise ValueError("expected MIN-MAX in kB, such as 256-512")
    match = re.fullmatch(r"(\d{1,6}) *- *(\d{1,6})", value, re.ASCII)
    if not match or not 0 < int(match[1]) < int(match[2]):
        raise ValueError(f"'{value}' is not MIN-MAX in kB with MIN below MAX, such as 256-512")
    return int(match[1]), int(match[2])


_THRESHOLDS = make_text_form(r"^(?!0+ *-)\d{1,6} *- *\d{1,6}$", "MIN-MAX in kB, such as 256-512", "256-512")
Thresholds = Annotated[
    tuple[int, int],
    BeforeValidator(_read_thresholds),
    WithJsonSchema(_THRESHOLDS),
]
"""Queue lengths, kB, from which marking starts and from which all is marked."""


def _read_by_speed(value: Any) -> Any:
    """Return a map with its keys, speeds such as 400G, in Gb/s. Raises ValueError for a key that is no speed."""
    return {parse_speed(k): v for k, v in value.items()} if isinstance(value, dict) else value


DEFAULTS = {
    "roce_dscp": 26,
    "cnp_dscp": 48,
    "mark_percent": 100,
    "roce_class": 3,
    "cnp_class": 6,
    "roce_percent": 50,
    "cnp_max_percent": 0,
}
"""What settings of `Qos` are if neither the fabric nor the cluster states them; notifications are then not shaped (0).
A `Qos` itself has None there, as a fabric's stands over that of the cluster."""


class Qos(Model):
    """Which traffic is RoCE, when it is marked, and whether it is paused or dropped."""

    profile: Literal["roce-lossless", "roce-lossy", "best-effort"] | None = Field(
        None,
        description="roce-lossless: RoCE is marked (ECN) and paused (PFC). roce-lossy: it is marked, and dropped or "
        "trimmed where a queue is full; best-effort with thresholds of ECN beside it means the same. best-effort: no "
        "class of its own. Default: roce-lossless in RoCE fabrics, best-effort elsewhere.",
    )
    roce_dscp: int | None = Field(
        None, ge=0, le=63, description=f"DSCP of RoCE data. Default: {DEFAULTS['roce_dscp']}."
    )
    cnp_dscp: int | None = Field(
        None, ge=0, le=63, description=f"DSCP of congestion notifications. Default: {DEFAULTS['cnp_dscp']}."
    )
    ecn_min_kb: int | None = Field(None, gt=0, lt=MOST_KB, description="Marking starts at this queue length, kB.")
    ecn_max_kb: int | None = Field(
        None, gt=1, le=MOST_KB, description="Everything is marked from this queue length, kB."
    )
    ecn: Annotated[
        dict[int, Thresholds],
        BeforeValidator(_read_by_speed),
        WithJsonSchema({"type": "object", "patternProperties": {forms.SPEED: _THRESHOLDS}}),
    ] = Field(
        default_factory=dict,
        description="Thresholds by port speed, kB, e.g. {400G: 256-512}; they win over the two above. Default: 256-512 "
        "at a leaf and 512-768 above for 400G, in proportion for other speeds.",
    )
    mark_percent: int | None = Field(
        None, ge=1, le=100, description=f"Marked at the upper threshold. Default: {DEFAULTS['mark_percent']}."
    )
    roce_class: TrafficClass | None = Field(
        None, description=f"Traffic class of RoCE data. Default: {DEFAULTS['roce_class']}."
    )
    cnp_class: TrafficClass | None = Field(
        None,
        description=f"Traffic class of congestion notifications, strict priority. Default: {DEFAULTS['cnp_class']}.",
    )
    roce_percent: int | None = Field(
        None,
        ge=1,
        le=99,
        description="Share of a busy port for RoCE data, the rest is for all else. "
        f"Default: {DEFAULTS['roce_percent']}.",
    )
    cnp_max_percent: int | None = Field(
        None, ge=1, le=100, description="Of a port that congestion notifications may take. Default: not shaped."
    )
    watchdog: Watchdog | None = Field(None, description="The PFC watchdog.")
    trim: Trim | None = Field(
        None,
        description="Trim packets instead of dropping them (Ultra Ethernet, MRC). Needs profile: roce-lossy or "
        "best-effort beside it.",
    )

    @model_validator(mode="after")
    def _check_trim(self) -> Self:
        """Raise ValueError if packets are trimmed and the profile beside it is not one that drops packets."""
        if self.trim and self.profile not in ("roce-lossy", "best-effort"):
            raise ValueError(
                "trim needs profile: best-effort or roce-lossy beside it: a lossless class pauses its senders, and "
                "drops nothing that could be trimmed"
            )
        return self

    @model_validator(mode="after")
    def _check_thresholds(self) -> Self:
        """Raise ValueError if marking starts no lower than where all is marked, or notifications share the class of
        data.
        """
        if self.ecn_min_kb and self.ecn_max_kb and self.ecn_min_kb >= self.ecn_max_kb:
            raise ValueError(f"ecn_min_kb {self.ecn_min_kb} must be below ecn_max_kb {self.ecn_max_kb}")
        if self.roce_class is not None and self.roce_class == self.cnp_class:
            raise ValueError(
                f"roce_class and cnp_class are both {self.cnp_class}; notifications need a class of their own"
            )
        return self


THRESHOLDS = ("ecn", "ecn_min_kb", "ecn_max_kb")
"""The settings of where marking begins and ends."""


def interpret_profile(qos: Qos) -> str | None:
    """Return the name of the QoS profile that a section means; None if it means none.

    `best-effort` with ECN thresholds beside it means `roce-lossy`: who states where marking begins wants RoCE to be
    marked, for which it needs a class of its own.
    """
    marks = qos.profile == "best-effort" and any(getattr(qos, name) for name in THRESHOLDS)
    return "roce-lossy" if marks else qos.profile


def choose_setting(fabric_qos: Qos, cluster_qos: Qos, name: str) -> int:
    """Return a setting of the fabric, else that of the cluster, else the one in `DEFAULTS`."""
    of_fabric, of_cluster = getattr(fabric_qos, name), getattr(cluster_qos, name)
    return int(next(value for value in (of_fabric, of_cluster, DEFAULTS[name]) if value is not None))
