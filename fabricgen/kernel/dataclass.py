"""`dataclass` at a tenth of what it costs to declare one.

The standard decorator writes up to ten methods for each class as text and compiles them anew at every start: 0.3 to
1 ms a class, a fifth of a lint of the 150 classes that it loads. Classes need no methods of their own: those here are
told the names of the fields. All else is the standard decorator's: fields, slots, `replace`, `asdict`. To make a value
takes twice as long, so classes whose values a build makes by the ten thousand have the standard decorator.
"""

from __future__ import annotations

import dataclasses
import inspect
from typing import TYPE_CHECKING

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    from collections.abc import Callable, Sequence
    from operator import attrgetter, ge, gt, le, lt
    from typing import Any

    _NO_FIELDS = ("ClassVar", "InitVar", "KW_ONLY")

    def dataclass(
        *, frozen: bool = False, order: bool = False, eq: bool = True, slots: bool = False, kw_only: bool = False
    ) -> Callable:
        """As the standard decorator of that name; raises ValueError for an order without equality, as it does."""
        if order and not eq:
            raise ValueError("eq must be true if order is true")

        def made(cls: type) -> type:
            bare = _bare(cls, slots=slots, kw_only=kw_only)
            fields = dataclasses.fields(bare)
            if not all(field.init and field.kw_only == kw_only for field in fields):
                told = "every field is given to the constructor"
                raise TypeError(f"{cls.__name__}: {told}, all by place or all by name")
            methods = _methods(bare, fields)
            if frozen:
                methods |= _keeping(fields)
            if eq:
                methods |= _comparing(fields, hashes=frozen, orders=order)
            for name, method in methods.items():
                if name not in cls.__dict__:
                    setattr(bare, name, method)
            return bare

        return made

    def _bare(cls: type, **told: bool) -> type:
        """A dataclass without methods.

        The standard decorator looks into the text of each annotation for those that declare no field, with three
        patterns; a look for their names is enough where there are none.
        """
        stated = inspect.get_annotations(cls)
        usual = stated and not any(name in str(text) for text in stated.values() for name in _NO_FIELDS)
        if usual:
            cls.__annotations__ = dict.fromkeys(stated, object)
        bare = dataclasses.dataclass(init=False, repr=False, eq=False, **told)(cls)
        if usual:
            bare.__annotations__ = stated
            for field in dataclasses.fields(bare):
                field.type = stated.get(field.name, field.type)
        return bare

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
