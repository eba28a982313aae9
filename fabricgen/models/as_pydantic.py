"""Our models as pydantic has them: for what is wrong in a file, for schemas, and for writing models as JSON.

Each model is declared to pydantic as one of its own, with the same fields, bounds and checks. What its validators make
and its serializers take are instances of ours.
"""

from __future__ import annotations

import dataclasses
from functools import cache
from types import UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    TypeAdapter,
    WithJsonSchema,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, SchemaSerializer, SchemaValidator

from fabricgen.models import fields
from fabricgen.models.frozen_model import FrozenModel
from fabricgen.models.plain_model import PlainModel

M = TypeVar("M")

_ours: dict[type, Any] = {}
"""Model of pydantic's -> ours."""

_NOT_TAKEN_OVER = frozenset({"__dict__", "__weakref__", "__slots__", "__annotations__", "__checks__", "model_fields"})
_NOT_TAKEN_OVER |= {"__annotate__", "__annotate_func__", "__annotations_cache__", "__dataclass_fields__"}
"""What every class has of its own, and what ours has where pydantic's has other things."""


class _Root(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Old names of fields are deprecated, and nothing has both."""
        schema = handler(core)
        inside = handler.resolve_ref_schema(schema)
        for name, info in _ours[cls].model_fields.items():
            for old in info.old_names:
                like = inside["properties"][name]
                inside["properties"][old] = {**like, "deprecated": True, "description": f"Old name of `{name}`."}
                inside["not"] = {"required": [name, old]}
        return schema


def adapter(model: type[M]) -> TypeAdapter[M]:
    """What validates, describes and writes instances of a model, made when it is first asked for."""
    kind: Any = model
    made: TypeAdapter[M] = _adapter(kind)
    return made


@cache
def _adapter(model: Any) -> TypeAdapter[Any]:
    made: TypeAdapter[Any] = TypeAdapter(_declared(model))
    ours = _with_ours(made.core_schema)
    made.validator, made.serializer = SchemaValidator(ours), SchemaSerializer(ours)
    return made


def _with_ours(schema: Any) -> Any:
    """A core schema whose instances are ours."""
    if isinstance(schema, list):
        return [_with_ours(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: value if key in ("metadata", "default") else _with_ours(value) for key, value in schema.items()}
    if made.get("type") in ("model", "dataclass"):
        made["cls"] = _ours[made["cls"]]
    return made


@cache
def _declared(model: Any) -> Any:
    if model is FrozenModel:
        return _Root
    made = _dataclass(model) if issubclass(model, PlainModel) else _model(model)
    _ours[made] = model
    return made


def _model(model: type[FrozenModel]) -> type[BaseModel]:
    inherited = {name for base in model.__bases__ for name in getattr(base, "model_fields", ())}
    own = {name: info for name, info in model.model_fields.items() if name not in inherited}
    namespace = {name: _method(part) for name, part in vars(model).items() if name not in _NOT_TAKEN_OVER}
    namespace["__annotations__"] = {name: _annotation(info.hint) for name, info in own.items()}
    namespace |= {name: _field(name, info.declared) for name, info in own.items()}
    return type(model.__name__, tuple(_declared(base) for base in model.__bases__), namespace)


def _field(name: str, own: fields.Declared) -> Any:
    terms = dict(own.terms)
    if "old_names" in terms:
        terms["validation_alias"] = AliasChoices(name, *terms.pop("old_names"))
    return Field(default_factory=own.default_factory, **terms) if own.default_factory else Field(own.default, **terms)


def _dataclass(model: type[Any]) -> type[Any]:
    """A dataclass for pydantic to look at, with the fields that the model's bases have too."""
    hints = get_type_hints(model, include_extras=True)
    above = [base for base in reversed(model.__mro__) if base not in (object, PlainModel)]
    namespace = {name: _method(part) for base in above for name, part in vars(base).items()}
    namespace = {name: part for name, part in namespace.items() if name not in _NOT_TAKEN_OVER}
    stated = dataclasses.fields(model)
    namespace["__annotations__"] = {field.name: _annotation(hints[field.name]) for field in stated}
    for field in stated:
        namespace[field.name] = dataclasses.field(default=field.default, default_factory=field.default_factory)
    made: Any = type(model.__name__, (PlainModel,), namespace)
    as_dataclass: Any = dataclasses.dataclass(eq=False, kw_only=True, init=False)
    return as_dataclass(made)  # type: ignore[no-any-return]


def _method(part: Any) -> Any:
    when: Any = getattr(getattr(part, "__func__", part), fields.CHECKED, "")
    as_pydantics: Any = model_validator(mode=when) if when else None
    return as_pydantics(part) if when else part


def _annotation(hint: Any) -> Any:
    """A type with our words in pydantic's, however deep."""
    origin, inside = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return Annotated[_annotation(inside[0]), *map(_word, inside[1:])]
    if origin in (Union, UnionType):
        return Union[tuple(map(_annotation, inside))]  # noqa: UP007 - of as many as there are
    if origin is not None and origin is not Literal:
        return origin[tuple(_annotation(each) for each in inside)]
    is_model = isinstance(hint, type) and issubclass(hint, FrozenModel | PlainModel)
    return _declared(hint) if is_model else hint


def _word(asked: Any) -> Any:
    if isinstance(asked, fields.Declared):
        return Field(**asked.terms)
    if isinstance(asked, fields.WithJsonSchema):
        return WithJsonSchema(asked.json_schema)
    if isinstance(asked, fields.BeforeValidator):
        return BeforeValidator(asked.func)
    return AfterValidator(asked.func) if isinstance(asked, fields.AfterValidator) else asked
