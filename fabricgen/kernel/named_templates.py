"""One template file for many templates that differ in their names alone, such as the tables of SONiC."""

from __future__ import annotations

import re
from collections.abc import Callable

import jinja2

STAND_IN = "NAME"


class NamedTemplates(jinja2.BaseLoader):
    """Loads the templates of another loader. The file `NAME.j2` of a folder stands for each template of the folder
    that has no file of its own: the word NAME in it becomes the template's name.
    """

    def __init__(self, files: jinja2.BaseLoader) -> None:
        self._files = files

    def get_source(
        self, environment: jinja2.Environment, template: str
    ) -> tuple[str, str | None, Callable[[], bool] | None]:
        """Return the text and the file of a template. Raises TemplateNotFound if there is neither it nor a NAME.j2."""
        try:
            return self._files.get_source(environment, template)
        except jinja2.TemplateNotFound:
            folder, _, file = template.rpartition("/")
            name = file.removesuffix(".j2")
            # blocks and variables are named after it, so that it has to be a name in Jinja2
            if name == STAND_IN or not name.isidentifier():
                raise
        try:
            text, path, fresh = self._files.get_source(environment, f"{folder}/{STAND_IN}.j2")
        except jinja2.TemplateNotFound:
            raise jinja2.TemplateNotFound(template) from None
        return re.sub(rf"\b{STAND_IN}\b", name, text), path, fresh
