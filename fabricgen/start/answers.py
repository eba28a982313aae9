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
    """Return the words of a text such as `a, b` as a list; return any other value as it is."""
    return [word.strip() for word in value.split(",") if word.strip()] if isinstance(value, str) else value


def _read_nodes(value: Any) -> Any:
    """Return the count and the profile of a text such as `128 x dgx-b300`; return any other value as it is."""
    if not isinstance(value, str):
        return value
    count, profile = parse_count(value)
    return {"count": count, "profile": profile}


def _read_provider(value: Any) -> Any:
    """Return the name and the AS number of a text such as `isp-1 64500`; return any other value as it is. Raises
    ValueError for a text without a number.
    """
    if not isinstance(value, str):
        return value
    name, _, number = value.partition(" ")
    if not (number.strip().isascii() and number.strip().isdigit()):
        raise ValueError(f"'{value}' is no provider: write its name and AS number, such as isp-1 64500")
    return {"name": name, "asn": int(number)}


def _read_tenant(value: Any) -> Any:
    """Return the name of a tenant and its own providers, of a text such as `blue isp-2`; return any other value as
    it is.
    """
    if not isinstance(value, str):
        return value
    name, *providers = value.split()
    return {"name": name, "providers": providers}


def _read_hall(value: Any) -> Any:
    """Return the rows, and the racks of a row, of a text such as `4 x 12`; None for an empty text, and any other
    value as it is. Raises ValueError for a text without two numbers.
    """
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
    """A number of nodes of one hardware profile."""

    count: int = Field(ge=1, le=100_000)
    profile: str


class Provider(Model):
    """A provider that takes traffic out of the cluster."""

    name: Name
    asn: int = Field(ge=1, le=4_294_967_294)


class Tenant(Model):
    """A tenant whose nodes are kept apart; the providers that it names take the traffic of this tenant alone."""

    name: Name
    providers: tuple[Name, ...] = ()


class Hall(Model):
    """The rows of a hall, and how many racks stand in one."""

    rows: int = Field(ge=1, le=1000)
    racks: int = Field(ge=1, le=1000)


class Answers(Model):
    """What is known of a cluster before its page is written; the descriptions of the fields are the questions."""

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
    def _refuse_conflicts(self) -> Answers:
        """Raise FieldError if in-band is to share the switches of a storage network that is not built, if there are
        providers and no in-band network to meet them, or if a tenant names an unknown provider.
        """
        if self.inband == "storage" and self.storage == "none":
            raise FieldError("inband", "there is no network of storage to share: answer own, or none")
        if self.providers and self.inband == "none":
            raise FieldError("providers", "providers are met in-band: answer `inband: own`, or storage")
        provider_names = {provider.name for provider in self.providers}
        for tenant in self.tenants:
            for name in tenant.providers:
                if name not in provider_names:
                    raise FieldError("tenants", f"{tenant.name} names {name}, which is none of `providers`")
        return self

    @property
    def shared_providers(self) -> tuple[Provider, ...]:
        """The providers that no tenant has for itself."""
        tenant_providers = {name for tenant in self.tenants for name in tenant.providers}
        return tuple(provider for provider in self.providers if provider.name not in tenant_providers)


def read_answers(file: str) -> tuple[Answers, Located]:
    """Read the answers of a YAML file. Return them with their source, which knows the line of each. Raises
    InputError if the file cannot be read, or answers something that is not asked for.
    """
    source = read_located(Path(file))
    return validate(Answers, source), source
