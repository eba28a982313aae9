"""The settings of a project: a file that holds for every blueprint in its folder and below."""

from __future__ import annotations

from pathlib import Path

from fabricgen.blueprint.sections.lint_settings import Project
from fabricgen.models.validation import validate
from fabricgen.yaml.located import Located, read_located

SETTINGS = ".fabricgen.yaml"
"""The file's name."""


def find_settings(folder: Path) -> Path | None:
    """The settings file nearest to a folder, going up from where it really lies: however a blueprint is named, it is
    judged alike. None above the folder that holds `.git`."""
    at = folder.resolve()
    for place in (at, *at.parents):
        if (place / SETTINGS).is_file():
            return _shown(place / SETTINGS)
        if (place / ".git").exists():
            return None
    return None


def _shown(file: Path) -> Path:
    """As seen from the working directory where it lies below it, so that messages stay short."""
    here = Path.cwd()
    return file.relative_to(here) if file.is_relative_to(here) else file


def read_settings(file: Path | None) -> tuple[Project, Located | None]:
    """Read a settings file, and where its values stand; or the defaults where there is none.

    Raises InputError: FG001 to FG006 for a file that cannot be read or parsed, FG010 and others for what is in it.
    """
    if file is None:
        return Project.model_construct(), None
    source = read_located(file)
    return validate(Project, source), source
