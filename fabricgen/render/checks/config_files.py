"""Finding config_db.json files on disk, and reporting their problems as located diagnostics."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from fabricgen.catalog.loader import Catalog
from fabricgen.kernel.diagnostics import Diagnostic, InputError, Severity, Span, fault
from fabricgen.kernel.text_input import decode_text, read_bytes
from fabricgen.publish.reading import Surroundings, describe_edited, describe_missing
from fabricgen.render.checks.config_db import check_config_db
from fabricgen.render.checks.problem import ConfigProblem
from fabricgen.yaml.located import Located, parse_located

FILE_NAME = "config_db.json"
CODE = "FG901"
"""The code of problems that need no YANG models of the user's."""

MAX_BYTES = 64 << 20

ConfigCheck = Callable[[Any], Iterable[ConfigProblem]]
"""A further check: the problems in the parsed content of a file."""


def list_config_files(path: Path) -> list[Path]:
    """Return the file itself, or all config_db.json files in a folder, sorted, except those of unfinished builds.

    Raises InputError if there is none.
    """
    if not path.is_dir():
        return [path]
    files = sorted(file for file in path.rglob(FILE_NAME) if not _is_staged(file.relative_to(path)))
    if not files:
        raise fault("FG001", f"there is no {FILE_NAME} in '{path}'", hint="name a file, or a folder that was built")
    return files


def _is_staged(file: Path) -> bool:
    """Whether a file is in the stage of a build: in `.fabricgen-stage`, or beside it in `.NAME.fabricgen-stage-...`."""
    return any(name.startswith(".") and ".fabricgen-stage" in name for name in file.parts)


def find_missing_files(path: Path, builds: Surroundings) -> list[Diagnostic]:
    """Return findings on config_db.json files that a build wrote into a folder, or below, and that are gone.

    Raises InputError (FG028) if a build was stopped while it landed there.
    """
    build = builds.of(path) if path.is_dir() else None
    if build is None:
        return []
    built, below = build
    config_paths = (name for name in built.entries or () if name.endswith(f"/{FILE_NAME}"))
    inside = [Path(name).relative_to(below or ".") for name in config_paths if Path(name).is_relative_to(below or ".")]
    return [describe_missing(path / name) for name in inside if not (path / name).exists()]


def check_file(
    file: Path,
    catalog: Catalog,
    further_checks: Iterable[tuple[str, ConfigCheck]] = (),
    builds: Surroundings | None = None,
) -> tuple[Diagnostic, ...]:
    """Check a file with SONiC's schema, with our own checks and with `further_checks`, each with a code of its own.

    A file that was changed after its build is checked as it is, with a warning (FG054). Raises InputError: FG002 if it
    is not valid JSON, FG028 in a folder in which a build was stopped while it landed.
    """
    # (the build that wrote the file or is in its folder, the path of the file there), None without a build
    built = (builds or Surroundings()).of(file)
    content = read_bytes(file, str(file), limit=MAX_BYTES)
    text = decode_text(content, str(file), limit=MAX_BYTES, kind="JSON")
    repeated: list[str] = []
    data = _parse_json(text, str(file), repeated)
    problems = [(CODE, ConfigProblem(key, found="the key is there twice", wanted="one of them")) for key in repeated]
    problems += [(CODE, problem) for problem in check_config_db(data, catalog)]
    problems += [(code, problem) for code, judge in further_checks for problem in judge(data)]
    located = _parse_located(text, str(file)) if problems else None
    edited = []
    if built is not None and built[0].is_edited(built[1], content):
        edited = [describe_edited(file, f"it is judged as it stands; {built[0].make_hint(built[1])}", Severity.WARNING)]
    return (*edited, *(_make_diagnostic(code, problem, located, str(file)) for code, problem in problems))


def _parse_json(text: str, name: str, repeated: list[str]) -> Any:
    """Return the content of a JSON text; keys that occur twice in an object are added to `repeated`."""

    def collect_members(members: list[tuple[str, Any]]) -> dict[str, Any]:
        """Make an object of its members, and note the keys that are repeated."""
        content: dict[str, Any] = {}
        for key, value in members:
            if key in content:
                repeated.append(key)
            content[key] = value
        return content

    try:
        return json.loads(text, object_pairs_hook=collect_members)
    except json.JSONDecodeError as error:
        span = Span(name, error.lineno, error.colno)
        raise fault("FG002", f"this is not JSON: {error.msg}", span=span) from None
    except (RecursionError, ValueError) as error:
        why = "this is nested too deeply" if isinstance(error, RecursionError) else "a number has too many digits"
        raise fault("FG002", why, span=Span(name, 1, 1)) from None


def _parse_located(text: str, name: str) -> Located | None:
    """Return the JSON text parsed as YAML, for line numbers; None if it is not valid YAML."""
    try:
        return parse_located(text, name)
    except InputError:
        return None


def _make_diagnostic(code: str, problem: ConfigProblem, located: Located | None, name: str) -> Diagnostic:
    """Return a problem as a diagnostic at its place in the file, or at the start if there are no line numbers."""
    severity = Severity.ERROR if problem.grave else Severity.WARNING
    span = Span(name, 1, 1)
    if located is not None:
        span = (located.span if problem.field else located.key_span)(problem.path)
    prefix = f"{problem.place}: " if problem.place else ""
    return Diagnostic(code, severity, f"{prefix}{problem.found}", problem.shown_path, problem.hint, span)
