"""What packages would do when they are imported, and nobody needs here: start-up is a budget.

Should one of them look elsewhere one day, only the time is lost.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from types import ModuleType
from typing import Any

_SELDOM_USED = (
    "base64",
    "csv",
    "ctypes",
    "glob",
    "hashlib",
    "linecache",
    "pickle",
    "textwrap",
    "tokenize",
    "unicodedata",
)


def leave_out() -> None:
    """Leave it out; to be called before any of these packages is imported.

    Looking for pydantic plug-ins reads the metadata of every installed package: 30 ms of start-up, and none are wanted.
    Even to be told so, pydantic's loader of them imports importlib.metadata, with e-mail, sockets and zip files: as
    much again. So there is one that knows of none.

    numpy puts the manual of each of its functions into place, an eighth of its import, and declares types for
    annotations, another fifth. Its BLAS starts a thread a processor, a third; nothing here multiplies matrices.

    Modules of Python's own that click, numpy, ruamel.yaml and we import, and that few commands use, are loaded when
    something is asked of them. uuid, which click imports, asks platform at once what os.uname tells.
    """
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    no_plugins = ModuleType("pydantic.plugin._loader")
    vars(no_plugins)["get_plugins"] = tuple
    manuals = map(ModuleType, ("numpy._core._add_newdocs", "numpy._core._add_newdocs_scalars"))
    later = map(_Later, _SELDOM_USED)
    for module in (no_plugins, *manuals, *later, _Platform("platform"), _Annotations("numpy._typing")):
        sys.modules.setdefault(module.__name__, module)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


class _Later(ModuleType):
    """Stands for a module until something is asked of it, and is like it from then on.

    Every attribute that it does not have makes it load, those that the import of a name or of a submodule looks for
    among them; a second `import` of the whole module looks for none.
    """

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        real = import_module(self.__name__)
        vars(self).update(vars(real))
        return getattr(real, name)


class _Platform(_Later):
    """Python's platform, of which uuid asks only this."""

    if hasattr(os, "uname"):

        @staticmethod
        def system() -> str:
            """The name of the operating system."""
            return os.uname().sysname


class _Annotations(_Later):
    """Stands for numpy's types of annotations until more is asked of them than what numpy's own import needs.

    That is one name, before brackets that nobody reads.
    """

    NDArray: Any = list

    def __getattr__(self, name: str) -> Any:
        package, _, own = self.__name__.rpartition(".")
        if name == "__path__":
            return [f"{folder}/{own}" for folder in sys.modules[package].__path__]
        if name.startswith("__"):
            raise AttributeError(name)
        return super().__getattr__(name)
