"""Overlays that commands write beside a blueprint, which takes them with `include:`."""

from __future__ import annotations

import os
from pathlib import Path

import click


def spell_include(blueprint: str, overlay: str | None) -> str:
    """Return the overlay's path as the blueprint includes it."""
    if overlay is None or blueprint == "-":
        return overlay or "as-built.yaml"
    return Path(os.path.relpath(overlay, Path(blueprint).parent)).as_posix()


def tell_to_include(blueprint: str, overlay: str) -> None:
    """Say on standard error that the blueprint does not take the overlay yet."""
    name = spell_include(blueprint, overlay)
    click.echo(f"{blueprint} does not take {overlay} yet: write `include: {name}` into it", err=True)
