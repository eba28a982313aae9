"""Compile generated blueprints, with one catalogue for all of them."""

from __future__ import annotations

import json
from pathlib import Path
from unittest.mock import patch

from hypothesis import HealthCheck, assume, event, settings

from fabricgen.blueprint.beside.lock import Lock
from fabricgen.blueprint.load import LoadedBlueprint
from fabricgen.blueprint.models import Blueprint
from fabricgen.catalog.loader import Catalog
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.build import build_design
from fabricgen.kernel.diagnostics import InputError
from fabricgen.models.validation import validate
from fabricgen.yaml.located import parse_located
from tests.laws import law_examples
from tests.properties.halls import Tree

FOLDER = Path(__file__).parent
USUAL_CASES = 100
_CATALOG = Catalog(FOLDER / "catalog")


def cases(number: int) -> settings:
    """Settings for so many cases of a law, or a tenth; `--hypothesis-profile=thorough` takes ten times as many."""
    scale = settings.default.max_examples / USUAL_CASES if settings.default else 1
    return settings(
        max_examples=law_examples(round(number * scale)),
        suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow, HealthCheck.data_too_large],
    )


def compiled(tree: Tree, lock: Lock | None = None) -> Cluster:
    """The cluster of a blueprint, with what a lock holds.

    Raises InputError where it is refused, which must come with a message and a place. Hints are left out: finding them
    takes longer than all the rest, and tests/test_advice.py judges those of generated refusals.
    """
    source = parse_located(json.dumps(tree), "generated.yaml")
    with (
        patch("fabricgen.design.build.Catalog", return_value=_CATALOG),
        patch("fabricgen.design.advice.hints.add_hints", lambda refusal, _: refusal),
    ):
        try:
            loaded = LoadedBlueprint(validate(Blueprint, source), source, FOLDER, lock or Lock())
            return build_cluster(build_design(loaded))
        except InputError as refusal:
            if not all(d.span and d.message for d in refusal.diagnostics):
                raise AssertionError(f"refused without a place or reason: {refusal.diagnostics}") from refusal
            raise


def compiled_or_dropped(tree: Tree) -> Cluster:
    """The cluster of a blueprint; the example is dropped where it is refused."""
    try:
        return compiled(tree)
    except InputError as refusal:
        event(f"refused {refusal.diagnostics[0].code}")
        assume(False)
        raise
