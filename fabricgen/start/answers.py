"""What is asked of a person who starts a cluster: questions on a terminal and keys of a YAML file are one model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from fabricgen.blueprint.base import Model
from fabricgen.blueprint.scalars import Name
from fabricgen.kernel.units import parse_count
from fabricgen.models.forms import FieldError
from fabricgen.models.validation import validate
from fabricgen.yaml.located import Located, read_located


def _split_list(value: Any) -> Any:
    """Return a list from `a, b`, or as it is."""
    return [word.strip() for word in value.split(",") if word.strip()] if isinstance(value, str) else value


def _read_nodes(value: Any) -> Any:
    """Return `128 x dgx-b300` as a count and a profile."""
    if not isinstance(value, str):
        return value
    count, profile = parse_count(value)
    return {"count": count, "profile": profile}


def _read_provider(value: Any) -> Any:
    """Return `isp-1 64500` as a name and an AS number."""
    if not isinstance(value, str):
        return value
    name, _, number = value.partition(" ")
    if not (number.strip().isascii() and number.strip().isdigit()):
        raise ValueError(f"'{value}' is no provider: write its name and AS number, such as isp-1 64500")
    return {"name": name, "asn": int(number)}


def _read_tenant(value: Any) -> Any:
    """Return `blue isp-2` as a name and the providers that are its own."""
    if not isinstance(value, str):
        return value
    name, *providers = value.split()
    return {"name": name, "providers": providers}


def _read_hall(value: Any) -> Any:
    """Return `4 x 12` as rows and racks of a row."""
    if not isinstance(value, str | int) or isinstance(value, bool):
        return value
    value = str(value)
    if not value:
        return None
    rows, _, racks = (word.strip() for word in value.partition("x"))
    if not all(number.isascii() and number.isdigit() for number in (rows, racks)):
        raise ValueError(f"'{value}' is no hall: write its rows and the racks of a row, such as 4 x 12")
    return {"rows": int(rows), "racks": int(racks)}


class NodeKind(Model):
    """So many nodes of a profile."""

    count: int = Field(ge=1, le=100_000)
    profile: str


class Provider(Model):
    """Who takes traffic out of the cluster."""

    name: Name
    asn: int = Field(ge=1, le=4_294_967_294)


class Tenant(Model):
    """Whose nodes are kept apart; providers that it names take its traffic alone."""

    name: Name
    providers: tuple[Name, ...] = ()


class Hall(Model):
    """The rows of a hall, and how many racks stand in one."""

    rows: int = Field(ge=1, le=1000)
    racks: int = Field(ge=1, le=1000)


class Answers(Model):
    """What is known of a cluster before its page is written; the descriptions are the questions."""

    name: Name = Field("cluster", description="Name of the cluster")
    nodes: Annotated[
        tuple[Annotated[NodeKind, BeforeValidator(_read_nodes)], ...],
        BeforeValidator(_split_list),
        Field(min_length=1, description="Nodes, such as 128 x dgx-b300; several kinds with commas"),
    ]
    grow_to: int = Field(1, ge=1, le=64, description="How many times as many units it may grow to")
    protocol: Literal["roce", "infiniband"] = Field("roce", description="Protocol of the GPUs' network")
    switch: str = Field("", description="Switch of the GPUs' network; empty: one that takes the NICs at full speed")
    nos: str = Field("", description="NOS of the Ethernet switches; empty: one that they run")
    rack_kw: float = Field(0, ge=0, le=1000, description="What a rack of nodes may draw, kW; 0: not limited")
    hall: Annotated[Hall | None, BeforeValidator(_read_hall)] = Field(
        None, description="Rows of the hall and racks of a row, such as 4 x 12; empty: as many as it takes"
    )
    storage: Literal["own", "none"] = Field("own", description="Network of storage")
    inband: Literal["own", "storage", "none"] = Field("own", description="In-band network; storage: on its switches")
    bonds: Literal["none", "mlag", "esi"] = Field(
        "none", description="Bonds of a node's ports there, over two switches: mlag, linked; esi, by EVPN"
    )
    oob: Literal["own", "none"] = Field("own", description="Out-of-band network, for BMCs and switches")
    ethernet_switch: str = Field("", description="Switch of storage and in-band; empty: one that runs the NOS")
    providers: Annotated[
        tuple[Annotated[Provider, BeforeValidator(_read_provider)], ...],
        BeforeValidator(_split_list),
        Field(description="Providers and their AS numbers, such as isp-1 64500, isp-2 64501; empty: none"),
    ] = ()
    tenants: Annotated[
        tuple[Annotated[Tenant, BeforeValidator(_read_tenant)], ...],
        BeforeValidator(_split_list),
        Field(description="Tenants kept apart, with own providers behind a name: blue, green isp-2; empty: none"),
    ] = ()
    node_names: str = Field("", description="Names of nodes, such as gpu{index:04}; empty: as usual")

    @model_validator(mode="after")
    def _refuse_what_does_not_go_together(self) -> Answers:
        """Refuse an in-band network on switches of storage that there are not, and providers that nothing meets."""
        if self.inband == "storage" and self.storage == "none":
            raise FieldError("inband", "there is no network of storage to share: answer own, or none")
        if self.providers and self.inband == "none":
            raise FieldError("providers", "providers are met in-band: answer `inband: own`, or storage")
        known = {provider.name for provider in self.providers}
        for tenant in self.tenants:
            for name in tenant.providers:
                if name not in known:
                    raise FieldError("tenants", f"{tenant.name} names {name}, which is none of `providers`")
        return self

    @property
    def shared_providers(self) -> tuple[Provider, ...]:
        """Those that no tenant has for itself."""
        taken = {name for tenant in self.tenants for name in tenant.providers}
        return tuple(provider for provider in self.providers if provider.name not in taken)


def read_answers(file: str) -> tuple[Answers, Located]:
    """Return the answers of a YAML file, and where each stands; raises InputError where it cannot be read or has what
    is not asked for.
    """
    source = read_located(Path(file))
    return validate(Answers, source), source
