"""`dataclass` at a tenth of what it costs to declare one.

The standard decorator writes up to ten methods for each class as text and compiles them anew at every start: 0.3 to
1 ms a class, a fifth of a lint of the 150 classes that it loads. Classes need no methods of their own: those here are
told the names of the fields, and a class with slots is made once more with all it has, which is cheaper than to give
it one by one. For `fields`, `replace`, `asdict` and pydantic it is a dataclass like any other. To make a value takes
twice as long, so classes whose values a build makes by the ten thousand have the standard decorator.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    from collections.abc import Callable, Collection, Sequence
    from operator import attrgetter, ge, gt, le, lt
    from typing import Any

    def dataclass(
        *, frozen: bool = False, order: bool = False, eq: bool = True, slots: bool = False, kw_only: bool = False
    ) -> Callable:
        """As the standard decorator of that name; raises ValueError for an order without equality, as it does."""
        if order and not eq:
            raise ValueError("eq must be true if order is true")

        def made(cls: type) -> type:
            fields = _fields(cls, kw_only=kw_only)
            shown = tuple(fields.values())
            if not all(field.init and field.kw_only == kw_only for field in shown):
                told = "every field is given to the constructor"
                raise TypeError(f"{cls.__name__}: {told}, all by place or all by name")
            marks = {
                "__dataclass_fields__": fields,
                "__dataclass_params__": _Sample.__dataclass_params__,
                "__match_args__": () if kw_only else tuple(fields),
            }
            methods = _methods(cls, shown)
            if frozen:
                methods |= _keeping(shown)
            if eq:
                methods |= _comparing(shown, hashes=frozen, orders=order)
            more = marks | {name: method for name, method in methods.items() if name not in vars(cls)}
            return _class_with_slots(cls, more, fields) if slots else _completed_class(cls, more)

        return made

    @dataclasses.dataclass(init=False, repr=False, eq=False)
    class _Sample:
        """Has what the standard library knows a dataclass and its fields by."""

        field: int

    _KIND = _Sample.__dataclass_fields__["field"]._field_type

    def _fields(cls: type, *, kw_only: bool) -> dict[str, dataclasses.Field]:
        """Fields of a class and its bases by name, for `fields`, `replace`, `asdict` and pydantic too."""
        found: dict[str, dataclasses.Field] = {}
        for base in cls.__mro__[:0:-1]:
            found |= vars(base).get("__dataclass_fields__", {})
        for name, told in cls.__annotations__.items():
            kind = str(told).partition("[")[0]
            if kind.endswith(("InitVar", "KW_ONLY")):
                raise TypeError(f"{cls.__name__}.{name}: no {kind} here")
            if not kind.endswith("ClassVar"):
                found[name] = _field(cls, name, told, kw_only=kw_only)
        return found

    def _field(cls: type, name: str, told: object, *, kw_only: bool) -> dataclasses.Field:
        stated = vars(cls).get(name, dataclasses.MISSING)
        field = stated if isinstance(stated, dataclasses.Field) else dataclasses.field(default=stated)
        if field.default.__class__.__hash__ is None:
            raise ValueError(f"{cls.__name__}.{name}: use default_factory, or all values share one default")
        field.name, field.type, field._field_type = name, told, _KIND
        if field.kw_only is dataclasses.MISSING:
            field.kw_only = kw_only
        return field

    def _completed_class(cls: type, more: dict[str, Any]) -> type:
        """The class itself with more in it, and with defaults in place of fields."""
        for name, stated in [*vars(cls).items()]:
            if isinstance(stated, dataclasses.Field):
                delattr(cls, name)
                if stated.default is not dataclasses.MISSING:
                    setattr(cls, name, stated.default)
        for name, value in more.items():
            setattr(cls, name, value)
        return cls

    def _class_with_slots(cls: type, more: dict[str, Any], fields: Collection[str]) -> type:
        """The class made once more, with more in it and slots in place of fields."""
        if "__slots__" in vars(cls):
            raise TypeError(f"{cls.__name__} has slots already")
        taken = {name for base in cls.__mro__[1:-1] for name in _slots_of(base)}
        named = {"__slots__": tuple(name for name in fields if name not in taken), "__qualname__": cls.__qualname__}
        kept = {name: value for name, value in vars(cls).items() if name not in ("__dict__", "__weakref__", *fields)}
        return type(cls)(cls.__name__, cls.__bases__, {**kept, **more, **named})

    def _slots_of(cls: type) -> Sequence[str]:
        slots = vars(cls).get("__slots__", ())
        return (slots,) if isinstance(slots, str) else slots

    def _methods(cls: type, fields: Sequence[dataclasses.Field]) -> dict[str, Callable]:
        """Construction and representation of a class."""
        names = tuple(field.name for field in fields)
        usual = tuple((field.name, field.default, field.default_factory) for field in fields)
        put, finish = object.__setattr__, getattr(cls, "__post_init__", None)

        def init(self: Any, *given: Any, **named: Any) -> None:
            if named or len(given) != len(names):
                given = _completed(cls, names, usual, given, named)
            for name, value in zip(names, given, strict=True):
                put(self, name, value)
            if finish is not None:
                finish(self)

        def represent(self: Any) -> str:
            shown = ", ".join(f"{field.name}={getattr(self, field.name)!r}" for field in fields if field.repr)
            return f"{type(self).__qualname__}({shown})"

        return {"__init__": init, "__repr__": represent}

    def _keeping(fields: Sequence[dataclasses.Field]) -> dict[str, Callable]:
        """Nothing can be set or deleted once it is made, but for what pickle does."""
        names = tuple(field.name for field in fields)

        def get_state(self: Any) -> list[Any]:
            return [getattr(self, name) for name in names]

        def set_state(self: Any, state: list[Any]) -> None:
            for name, value in zip(names, state, strict=True):
                object.__setattr__(self, name, value)

        refused = {"__setattr__": _refuse, "__delattr__": _refuse}
        return {**refused, "__getstate__": get_state, "__setstate__": set_state}

    def _refuse(_: object, name: str, *__: object) -> None:
        raise dataclasses.FrozenInstanceError(f"cannot change field {name!r}")

    def _comparing(fields: Sequence[dataclasses.Field], *, hashes: bool, orders: bool) -> dict[str, Callable | None]:
        """Equality, hash and order, by the values of the fields that are compared."""
        names = [field.name for field in fields if field.compare]
        several = attrgetter(*names) if len(names) > 1 else lambda self: [getattr(self, name) for name in names]

        def equal(self: Any, other: object) -> bool:
            return several(self) == several(other) if other.__class__ is self.__class__ else NotImplemented

        def hashed(self: Any) -> int:
            return hash(tuple(several(self)))

        def by(compare: Callable[[Any, Any], bool]) -> Callable:
            def ordered(self: Any, other: object) -> bool:
                return compare(several(self), several(other)) if other.__class__ is self.__class__ else NotImplemented

            return ordered

        order = {f"__{compare.__name__}__": by(compare) for compare in (lt, le, gt, ge)} if orders else {}
        return {"__eq__": equal, "__hash__": hashed if hashes else None, **order}

    def _completed(
        cls: type, names: tuple[str, ...], usual: Sequence[tuple[str, Any, Any]], given: Sequence[Any], named: dict
    ) -> list[Any]:
        """The values of all fields in order; raises TypeError for unknown, doubled or missing ones."""
        values = list(given)
        for name, default, factory in usual[len(given) :]:
            if name in named:
                values.append(named.pop(name))
            elif default is not dataclasses.MISSING:
                values.append(default)
            elif factory is not dataclasses.MISSING:
                values.append(factory())
            else:
                raise TypeError(f"{cls.__name__}({', '.join(names)}) lacks {name!r}")
        if named or len(values) > len(names):
            raise TypeError(f"{cls.__name__}({', '.join(names)}) takes neither more values nor {[*named]}")
        return values
