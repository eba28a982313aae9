"""A user's own templates, run in a sandbox, as they may come from a pull request that nobody has read.

The sandbox (jinja2.sandbox, ImmutableSandboxedEnvironment) denies attributes that lead to Python and changes of values;
templates only see strings, numbers, tuples and mappings. It has a budget (budget.py), so that every template ends. The
loader follows no link out of its folder.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jinja2
import jinja2.meta

from fabricgen.kernel.diagnostics import Diagnostic, InputError, did_you_mean, fault, find_nearest
from fabricgen.kernel.discovery import find_resource_dir
from fabricgen.kernel.named_templates import NamedTemplates
from fabricgen.kernel.nos_rooms import list_nos
from fabricgen.kernel.templates import format_json
from fabricgen.render.budget import BudgetedEnvironment, BudgetError
from fabricgen.render.nos_protocol import NamesTemplates, load_writer

MAX_TEMPLATE_BYTES = 1 << 20

MAX_MESSAGE = 400

_SANDBOX = "templates of the overriding folder run in a sandbox; the built-in ones show what values they get"

_BUDGET = "a template has a budget, counted not timed, far above what a switch needs (docs/configs.md)"

BUILT_IN = "builtin"
"""The path prefix under which a template reaches the built-in templates."""

_FAILURES = (
    jinja2.TemplateError,
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    RecursionError,
    TypeError,
    ValueError,
)
"""Exceptions that a template can cause."""


class ContainedLoader(jinja2.BaseLoader):
    """Loads templates of one folder by relative path, and none outside it, even through links."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()

    def get_source(self, environment: jinja2.Environment, template: str) -> tuple[str, str, None]:  # noqa: ARG002
        """Return the text and path of a template; raises TemplateNotFound if the folder does not have it."""
        file = Path(os.path.realpath(self._folder / template))
        if not (file.is_relative_to(self._folder) and file.is_file()):
            raise jinja2.TemplateNotFound(template)
        if file.stat().st_size > MAX_TEMPLATE_BYTES:
            raise fault("FG033", f"template {template} is larger than {MAX_TEMPLATE_BYTES} bytes")
        try:
            return file.read_text(encoding="utf-8"), str(file), None
        except UnicodeDecodeError:
            raise fault("FG033", f"template {template} is not UTF-8 text") from None


def sandboxed_environment(folder: Path) -> BudgetedEnvironment:
    """Return an environment in which templates in `folder` replace built-in ones of the same path.

    To change one block of a built-in template, a template extends it by its path below `builtin/`. Raises InputError if
    the folder does not exist, and for files in it that replace no template.
    """
    if not folder.is_dir():
        raise fault("FG033", f"there is no templates folder {folder}")
    require_replacing(folder)
    built_in = ContainedLoader(find_resource_dir("templates"))
    files = jinja2.ChoiceLoader([jinja2.PrefixLoader({BUILT_IN: built_in}), ContainedLoader(folder), built_in])
    environment = BudgetedEnvironment(
        loader=NamedTemplates(files),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
        auto_reload=False,
    )
    environment.filters["as_json"] = format_json
    return environment


def require_replacing(folder: Path) -> None:
    """Raise InputError (FG033) for files of an overriding folder that have no effect, and for links out of it.

    A file has an effect if it replaces a template, or if such a file uses it. Hidden files and READMEs may be there.
    """
    replaceable = _list_replaceable()
    faults: list[Diagnostic] = []
    files: set[str] = set()
    for file in sorted(folder.rglob("*")):
        name = file.relative_to(folder).as_posix()
        if any(step.startswith(".") for step in name.split("/")) or file.name.upper().startswith("README"):
            continue
        if not Path(os.path.realpath(file)).is_relative_to(folder.resolve()):
            hint = "put the file itself there; no link is followed out of the folder"
            faults += fault("FG033", f"{folder / name} is a link out of {folder}", hint=hint).diagnostics
        elif file.is_file():
            files.add(name)
    idle = files - _find_used_files(folder, files & replaceable, files)
    for name in sorted(idle):
        elsewhere = [path for path in replaceable if Path(path).name == Path(name).name]
        suggestion = (
            did_you_mean(name, elsewhere or replaceable) if elsewhere or find_nearest(name, replaceable) else ""
        )
        hint = suggestion or "templates of a NOS are replaced by their path, such as eos/_bgp.j2"
        faults += fault("FG033", f"{folder / name} replaces no template, and none uses it", hint=hint).diagnostics
    if faults:
        raise InputError(faults)


def _list_replaceable() -> set[str]:
    """Return the built-in templates of all NOSes by path: files, and templates that one file NAME.j2 stands for."""
    built_in, paths = find_resource_dir("templates"), set[str]()
    for nos in list_nos("writer"):
        paths |= {file.relative_to(built_in).as_posix() for file in (built_in / nos).rglob("*.j2")}
        writer = load_writer(nos)
        if isinstance(writer, NamesTemplates):
            paths |= {f"{nos}/{template}" for template in writer.list_templates()}
    return paths


def _find_used_files(folder: Path, replacing: set[str], files: set[str]) -> set[str]:
    """Return the files that have an effect: those that replace templates, and those that they include, import or
    extend.

    `files` are all files of the folder, and are returned if one names a template by a value, or cannot be read:
    rendering will then say why.
    """
    used, unread = set(replacing), sorted(replacing)
    while unread:
        try:
            text = (folder / unread.pop()).read_text(encoding="utf-8")
            named = list(jinja2.meta.find_referenced_templates(jinja2.Environment(autoescape=True).parse(text)))
        except (OSError, UnicodeDecodeError, jinja2.TemplateError, RecursionError):
            return files
        if None in named:
            return files
        more = {name for name in named if name in files and name not in used}
        used |= more
        unread += sorted(more)
    return used


def render_guarded(environment: BudgetedEnvironment, name: str, values: Mapping[str, Any], *, tells: bool) -> str:
    """Render a template that a user may have written; if it fails, raise InputError with template and line.

    With `tells` the error includes Python's message, which may contain any value that the template sees.
    """
    try:
        with environment.budget_for_file():
            return environment.get_template(name).render(values)
    except InputError:
        raise
    except BudgetError as error:
        raise fault(
            "FG033", f"template {_locate_error(error, name)} asks for too much: {error}", hint=_BUDGET
        ) from None
    except _FAILURES as error:
        if tells or isinstance(error, jinja2.TemplateSyntaxError):
            raise fault(
                "FG033", f"template {_locate_error(error, name)} fails: {_shorten_error(error)}", hint=_SANDBOX
            ) from error
        # Python's message may contain a secret, and a stranger's template could arrange that.
        hint = "build with --redact-secrets to see why"
        raise fault(
            "FG033", f"template {_locate_error(error, name)} fails: {type(error).__name__}", hint=hint
        ) from None


def _shorten_error(error: BaseException) -> str:
    """Return the type and message of an error, `KeyError: 'x'`, cut to MAX_MESSAGE characters: it may repeat text of
    the template, of any length.

    Line breaks in it stay: they are spelled out where a finding is printed (`make_printable`).
    """
    text = f"{type(error).__name__}: {error}"
    return text if len(text) <= MAX_MESSAGE else f"{text[:MAX_MESSAGE]}..."


def _locate_error(error: BaseException, name: str) -> str:
    """Return `template:line` of the innermost template line in the traceback of an error."""
    if isinstance(error, jinja2.TemplateSyntaxError):
        return f"{error.name or name}:{error.lineno}"
    position, trace = name, error.__traceback__
    while trace:
        file = trace.tb_frame.f_code.co_filename
        if file.endswith(".j2"):
            position = f"{'/'.join(Path(file).parts[-2:])}:{trace.tb_lineno}"
        trace = trace.tb_next
    return position
