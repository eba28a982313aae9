"""A budget for templates that a user may have written: a sandbox that ends those that would run for ever.

Jinja2's sandbox limits what a template can reach, not how long it runs. The budget counts steps (iterations of loops,
calls, includes, items that filters read) and sizes of values, never time: the same template gets the same verdict on
every machine. One file of configuration has one budget, with all templates that it includes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from contextlib import contextmanager
from functools import wraps
from typing import Any

import jinja2
from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.runtime import Context, LoopContext
from jinja2.sandbox import ImmutableSandboxedEnvironment

MAX_STEPS = 1_000_000
"""Steps of one file; the largest switch of the examples takes fewer than a tenth of that."""
MAX_SIZE = 16 << 20
"""Characters of one file or value, or items of a list; the largest configuration has fewer than a tenth of that."""
MAX_ARGUMENT = 100_000
"""The largest number that a filter or method takes, as a width or count is; ranges have the same limit."""
MAX_BITS = 4096
"""Bits of a number; an IPv6 address has 128."""
NODES_PER_STEP = 50
"""Nodes of a loop's body (expressions and statements) that count as one more step of each iteration."""

_GROWING = ("batch", "center", "expandtabs", "format", "format_map", "indent", "ljust", "replace", "rjust", "translate")
_GROWING_FUNCTIONS = frozenset((*_GROWING, "zfill", "slice", "tojson", "truncate", "wordwrap"))
"""Filters and methods of text whose result may be longer than value and arguments together."""


class BudgetError(jinja2.TemplateRuntimeError):
    """A template asks for more than the budget has; its message holds no value that the template sees."""


class _CountingGenerator(CodeGenerator):
    """Generates code of templates in which the iterations of loops and the lengths of joined texts are counted."""

    def visit_For(self, node: nodes.For, frame: Frame) -> None:  # noqa: N802 - jinja2's name
        """Make a loop iterate over its values through `BudgetedEnvironment.counted`."""
        size = sum(1 for part in node.body for _ in part.find_all(nodes.Node))
        text = sum(len(data.data) for part in node.body for data in part.find_all(nodes.TemplateData))
        costs = [nodes.Const(1 + size // NODES_PER_STEP), nodes.Const(text)]
        counted = nodes.Call(nodes.EnvironmentAttribute("counted"), [node.iter, *costs], [], None, None)
        node.iter = counted.set_lineno(node.lineno)
        super().visit_For(node, frame)

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:  # noqa: N802 - jinja2's name
        """Make `~` join its texts through `BudgetedEnvironment.joined`."""
        parts = nodes.Tuple(node.nodes, "load")
        joined = nodes.Call(nodes.EnvironmentAttribute("joined"), [parts], [], None, None)
        self.visit(joined.set_lineno(node.lineno), frame)


class BudgetedEnvironment(ImmutableSandboxedEnvironment):
    """A sandbox whose templates have a budget, in `budget_for_file`."""

    code_generator_class = _CountingGenerator
    intercepted_binops = frozenset(["**", "*", "+", "%"])

    def __init__(self, **options: Any) -> None:
        super().__init__(finalize=self._count_printed, **options)
        self.steps = self.printed = self._depth = 0
        self.concat = self.joined  # type: ignore[method-assign]
        del self.globals["lipsum"]  # random text of any length
        self.filters = {name: self._limit_function(name, function) for name, function in self.filters.items()}

    @contextmanager
    def budget_for_file(self) -> Iterator[None]:
        """Give a file, and the tables that its templates render, one budget within this context."""
        if self._depth == 0:
            self.steps = self.printed = 0
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1

    def spend_steps(self, steps: int) -> None:
        """Count steps; raises BudgetError above MAX_STEPS."""
        self.steps += steps
        if self.steps > MAX_STEPS:
            raise BudgetError(
                f"more than {MAX_STEPS:,} steps (iterations of loops, calls, items read by filters) for one file; "
                "loop over the ports and sessions of the switch alone"
            )

    def counted(self, values: Iterable[Any], weight: int = 1, text: int = 0) -> Iterator[Any]:
        """Yield the values of a loop. Each of them costs `weight` steps, and counts `text` characters as printed, which
        is how much constant text the body of the loop has.
        """
        for value in values:
            self.spend_steps(weight)
            self._add_printed(text)
            yield value

    def joined(self, parts: Iterable[Any]) -> str:
        """Return texts one after another; raises BudgetError if they are too long, before they are put together."""
        texts = [part if isinstance(part, str) else str(part) for part in parts]
        _require_size(sum(map(len, texts)))
        return "".join(texts)

    def get_template(self, *arguments: Any, **options: Any) -> jinja2.Template:
        """Return a template as Jinja2 does, and count a step, as a template may run on without a loop by including
        itself twice.

        Raises BudgetError above MAX_STEPS.
        """
        self.spend_steps(1)
        return super().get_template(*arguments, **options)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Return the result of `**`, `*`, `+` or `%`; raises BudgetError if it is too large."""
        self.spend_steps(1)
        if operator == "**" and isinstance(left, int) and isinstance(right, int):
            _require_size(left.bit_length() * max(right, 0), MAX_BITS, "bits in a number")
        elif operator == "*" and (isinstance(left, Sized) or isinstance(right, Sized)):
            _require_size(_measure_extent(left) * _measure_extent(right))
        elif operator == "+" and isinstance(left, Sized):
            _require_size(_measure_extent(left) + _measure_extent(right))
        elif operator == "%" and isinstance(left, str):
            _require_size(_format_extent(left, (right,)))
        return _check_size(super().call_binop(context, operator, left, right))

    def call(__self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N805
        """Call what a template calls. The parameters have Jinja2's names, so that keyword arguments may have any."""
        __self.spend_steps(1)
        if isinstance(__obj, LoopContext):
            args = tuple(__self.counted(value) for value in args)
        method = getattr(__obj, "__wrapped__", __obj)  # jinja2 wraps `format` of a text in a function
        target = getattr(method, "__self__", None)
        if isinstance(target, str):
            _require_arguments(method.__name__, target, (*args, *kwargs.values()))
        return _check_size(super().call(__context, __obj, *args, **kwargs))

    def _limit_function(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a filter that counts steps by the length of its first value, and refuses large arguments and results.

        Raises BudgetError for these, and where the steps are spent.
        """
        # Jinja2 passes the context or environment to some functions first, which costs nothing
        passes = int(hasattr(function, "jinja_pass_arg"))

        @wraps(function)
        def limited(*arguments: Any, **options: Any) -> Any:
            passed, rest = arguments[:passes], list(arguments[passes:])
            value = rest[0] if rest else None
            if isinstance(value, Sized):
                self.spend_steps(1 + (len(value) // 1000 if isinstance(value, str) else len(value)))
            elif isinstance(value, Iterator):
                rest[0] = self.counted(value)
            else:
                self.spend_steps(1)
            _require_arguments(name, value, (*rest[1:], *options.values()))
            return _check_size(function(*passed, *rest, **options))

        return limited

    def _count_printed(self, value: Any) -> Any:
        """Return a value that a template prints, after counting a step and its characters.

        The text of a macro is counted each time that it is printed.
        """
        self.spend_steps(1)
        if isinstance(value, str):
            self._add_printed(len(value))
        return value

    def _add_printed(self, characters: int) -> None:
        """Count characters that a template prints; raises BudgetError above MAX_SIZE."""
        self.printed += characters
        _require_size(self.printed, label="characters printed for one file")


def _require_size(size: float, limit: int = MAX_SIZE, label: str = "characters or items in one value") -> None:
    """Raise BudgetError for a size above a limit; `label` says what is counted."""
    if size > limit:
        raise BudgetError(f"more than {limit:,} {label}")


def _require_arguments(name: str, value: Any, arguments: tuple[Any, ...]) -> None:
    """Raise BudgetError for a filter, or method of text, whose arguments would make its result too large."""
    for argument in arguments:
        if isinstance(argument, int) and abs(argument) > MAX_ARGUMENT:
            raise BudgetError(f"'{name}' takes numbers up to {MAX_ARGUMENT:,}")
    if name == "join":
        parts = arguments[0] if isinstance(value, str) and arguments else value
        between = value if isinstance(value, str) else (arguments[0] if arguments else "")
        if isinstance(parts, Sized) and isinstance(parts, Iterable):
            _require_size(sum(map(_measure_extent, parts)) + len(parts) * _measure_extent(between))
    elif name in ("format", "format_map") and isinstance(value, str):
        _require_size(_format_extent(value, arguments))
    elif name in _GROWING_FUNCTIONS and isinstance(value, Sized):
        _require_size((len(value) + 1) * (1 + sum(map(_measure_extent, arguments))))


def _format_extent(pattern: str, values: tuple[Any, ...]) -> float:
    """Return an upper limit of the length of a formatted text: each field may hold any value, padded to any width."""
    widths = [int(digits[:9]) for digits in re.findall(r"\d+", pattern)]
    fields = pattern.count("%") + pattern.count("{")
    return len(pattern) + max(widths, default=0) * fields + fields * math.fsum(_sum_extents(value) for value in values)


def _sum_extents(value: Any) -> float:
    """Return the length of all texts in a value, or in a mapping or list together (one level deep)."""
    if isinstance(value, Mapping):
        return sum(map(_measure_extent, value.values()))
    if isinstance(value, tuple | list):
        return sum(map(_measure_extent, value))
    return _measure_extent(value)


def _measure_extent(value: Any) -> int:
    """Return the length of a text or list; for a number its amount, since it may be a width or a count."""
    if isinstance(value, Sized):
        return len(value)
    return abs(value) if isinstance(value, int) else 32


def _check_size(value: Any) -> Any:
    """Return the value; raises BudgetError if it is too large."""
    if isinstance(value, int):
        _require_size(value.bit_length(), MAX_BITS, "bits in a number")
    elif isinstance(value, str | list | tuple):
        _require_size(len(value))
    return value
