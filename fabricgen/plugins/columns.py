"""Tables of the view: named columns of one length, made when they are first read, and read-only."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from fabricgen.numbering.lazy_columns import EncodedColumn, LazyColumn, Strings, encode_column
from fabricgen.reports.table import Table
from fabricgen.wiring.arrays import Flags, Floats, Ints, Ints64

if TYPE_CHECKING:
    import numpy.typing as npt

Array = TypeVar("Array", bound="npt.NDArray[Any]")


class Column(cached_property[Array]):
    """A column of a table: a numpy array."""


def column(make: Callable[[Any], Array], doc: str = "") -> Column[Array]:
    """Return a column of a table: a property whose array `make` makes when it is first read, and which is read-only.

    Its documentation is `doc`, else that of `make`.
    """

    @wraps(make)
    def frozen(table: Columns) -> Array:
        array: Any = make(table).view()
        array.flags.writeable = False
        return array  # type: ignore[no-any-return]

    frozen.__doc__ = doc or make.__doc__
    return Column(frozen)


def table_column(convert: Callable[[Any], Array], doc: str, name: str = "") -> Column[Array]:
    """Return a column of a `TableColumns`, made by `convert` of the column `name` of the table that is given to it.

    `name` is "" if both columns have the same name.
    """

    def read(table: TableColumns) -> Array:
        return convert(table._table.columns[name or str(made.attrname)])

    made = column(read, doc)
    return made


class Columns:
    """A table: each attribute is a column, a numpy array with an entry for each row; also as `table[name]`."""

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Return the names of the columns, in order."""
        return tuple(name for name, value in vars(cls).items() if isinstance(value, Column))

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        """Return a column by name; raises KeyError for any other name."""
        if name not in self.names():
            raise KeyError(name)
        values: npt.NDArray[Any] = getattr(self, name)
        return values

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def __len__(self) -> int:
        return len(self[self.names()[0]])

    def rows(self) -> Iterator[dict[str, Any]]:
        """Return the rows, each a dict of all columns with values of Python."""
        columns = [self[name].tolist() for name in self.names()]
        return (dict(zip(self.names(), row, strict=True)) for row in zip(*columns, strict=True))

    def to_pandas(self) -> Any:
        """Return a `pandas.DataFrame` of all columns, a copy; raises ModuleNotFoundError where pandas is not
        installed.
        """
        try:
            import pandas
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError("to_pandas needs pandas: `pip install pandas`", name=error.name) from error
        return pandas.DataFrame({name: self[name].copy() for name in self.names()})


class TableColumns(Columns):
    """A table made from another: from that of a file of a build, such as devices.csv, or from one made for the view."""

    def __init__(self, table: Table) -> None:
        self._table = table


def to_text_array(values: Any) -> Strings:
    """Return values as an object array of str; "" where a row has none."""
    if isinstance(values, LazyColumn):
        return values.texts()
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def to_integer_array(values: EncodedColumn | Sequence[int]) -> Ints:
    """Return values, numbers or text, as int32; 0 where a row has none."""
    if not isinstance(values, EncodedColumn):
        return np.array(values, dtype=np.int32)
    return np.array([int(text or 0) for text in values.vocabulary], dtype=np.int32)[values.codes]


def to_flag_array(values: Sequence[bool]) -> Flags:
    """Return truth values as a bool array."""
    return np.array(values, dtype=bool)


def to_long_array(values: Sequence[str]) -> Ints64:
    """Return numbers that are written as text as int64; 0 where a row has none."""
    return np.array([int(text or 0) for text in values], dtype=np.int64)


def to_float_array(values: EncodedColumn | Sequence[Any]) -> Floats:
    """Return values, numbers or text, as float64; NaN where a row has none."""
    encoded = values if isinstance(values, EncodedColumn) else encode_column(values, np.arange(len(values)))
    return np.array([np.nan if text == "" else float(text) for text in encoded.vocabulary])[encoded.codes]
