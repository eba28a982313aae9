"""Plug-ins: what other packages add."""

from __future__ import annotations

from fabricgen.lint.fault import Fault

FG870 = Fault(
    id="FG870",
    name="PlugInFails",
    title="a plug-in cannot be used, or fails",
    text="""
    An installed package offers an output or a rule by an entry point that cannot be loaded, that is not what
    docs/api.md asks for, or that fails.

    The message names the package and its version, and where it raised an error, the line; FABRICGEN_TRACEBACK=1 shows
    all of it. An output fails only a build that names it with `--only`, a rule every `lint` and `build` of a blueprint:
    `lint --ignore CODE`, or the project's settings, leave it out. Mend the package, or uninstall it.
    """,
    in_words=True,
    bad="""
    [project.entry-points."fabricgen.rules"]
    FG101 = "acme_fabric.rules:SpareNodes"
    """,
    good="""
    [project.entry-points."fabricgen.rules"]
    ACME101 = "acme_fabric.rules:SpareNodes"
    """,
)
