"""The model that all parts of blueprints are made of; those of the catalogue are plain (plain_model.py)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self, TypeVar, dataclass_transform

from fabricgen.models.fields import CHECKED, Field, FieldInfo, declared_fields

M = TypeVar("M", bound="FrozenModel")


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(Field,))
class FrozenModel:
    """Unknown keys are errors, values never change; what is used of pydantic's models has its names.

    What is right is read without pydantic, whose import and classes were a third of a lint; for all else there is the
    same model of pydantic's (as_pydantic.py), which tells what is wrong and what editors should know.

    Modules of models do without `from __future__ import annotations`: a text would have to be compiled at every start.
    """

    __slots__ = ("__dict__", "__pydantic_extra__", "__pydantic_fields_set__", "__pydantic_private__")
    # pydantic's validator puts values, and which of them were stated, into these.

    __pydantic_fields_set__: set[str]
    model_fields: ClassVar[Mapping[str, FieldInfo]] = {}
    model_config: ClassVar[Mapping[str, Any]] = {}
    __checks__: ClassVar[Mapping[str, str]] = {}
    """Methods that check the whole, in the order in which they do, and when: before its fields are read, or after."""

    def __init_subclass__(cls) -> None:
        """Take down what the class declares."""
        cls.model_fields = {**cls.model_fields, **dict(declared_fields(cls))}
        own = {name: getattr(getattr(part, "__func__", part), CHECKED, "") for name, part in vars(cls).items()}
        cls.__checks__ = {**cls.__checks__, **{name: when for name, when in own.items() if when}}

    def __init__(self, **stated: Any) -> None:
        made = type(self).model_validate(stated)
        fill(self, vars(made), made.model_fields_set)

    @classmethod
    def model_validate(cls, data: Any) -> Self:
        """Read plain data, or what has some parts already; raises pydantic's ValidationError where it is not right."""
        from fabricgen.models.sure_reading import surely_read

        found = surely_read(cls, data)
        if found is None:
            from fabricgen.models.as_pydantic import adapter

            found = adapter(cls).validate_python(data)
        return found

    @classmethod
    def model_construct(cls, **stated: Any) -> Self:
        """One with values that are known to be right, and the usual ones for the rest."""
        given = {
            name: stated[name] if name in stated else info.get_default() for name, info in cls.model_fields.items()
        }
        return fill(object.__new__(cls), given, set(stated))

    def model_copy(self, *, update: Mapping[str, Any]) -> Self:
        """The same with other values, which are known to be right."""
        return fill(object.__new__(type(self)), {**vars(self), **update}, self.model_fields_set | update.keys())

    @property
    def model_fields_set(self) -> set[str]:
        """The fields that were stated."""
        return self.__pydantic_fields_set__

    def __eq__(self, other: object) -> bool:
        return vars(self) == vars(other) if other.__class__ is self.__class__ else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(vars(self).values()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        yield from vars(self).items()

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"cannot change {name!r} of {type(self).__name__}, which is frozen")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"cannot take {name!r} from {type(self).__name__}, which is frozen")

    def __getstate__(self) -> tuple[dict[str, Any], set[str]]:
        return vars(self), self.model_fields_set

    def __setstate__(self, state: tuple[dict[str, Any], set[str]]) -> None:
        fill(self, *state)


def fill(model: M, values: dict[str, Any], stated: set[str]) -> M:
    """Give a new model its values, and which of them were stated."""
    put = object.__setattr__
    put(model, "__dict__", values)
    put(model, "__pydantic_fields_set__", stated)
    put(model, "__pydantic_extra__", None)
    put(model, "__pydantic_private__", None)
    return model
