"""Compiled profiles are the models that their YAML makes, and count only while that is as it was."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from fabricgen.catalog import compiled_profiles
from fabricgen.catalog.compiled_profiles import BUILT_IN, compiled_file, compiled_profile, compiled_text
from fabricgen.catalog.loader import read_built_in
from fabricgen.catalog.models import PROFILE_KINDS, RackProfile
from fabricgen.catalog.naming import NosNaming
from fabricgen.catalog.sonic_models import SonicPlatform
from fabricgen.kernel.dataclass import dataclass
from fabricgen.models.plain_model import PlainModel

RACK = "racks/eia-48u-600.yaml"
FOLDERS = {
    **{f"data/{kind}": model for kind, model in PROFILE_KINDS.items()},
    "platforms": NosNaming,
    "platforms/sonic": SonicPlatform,
}


@dataclass(frozen=True, kw_only=True)
class Measured(PlainModel):
    """A model with what JSON has no word for."""

    when: object


@pytest.mark.parametrize("folder", FOLDERS)
def test_compiled_profiles_are_what_their_yaml_says(folder: str) -> None:
    for file in sorted((BUILT_IN / folder).glob("*.yaml")):
        compiled, read = compiled_profile(file), read_built_in(FOLDERS[folder], file)
        assert _whole(compiled) == _whole(read), file.name


def _whole(value: object) -> object:
    """A value with its types and the order of its keys: models only compare values."""
    if isinstance(value, PlainModel):
        return type(value), [(field.name, _whole(getattr(value, field.name))) for field in fields(value)]  # type: ignore[arg-type]
    if isinstance(value, dict):
        return [(_whole(key), _whole(item)) for key, item in value.items()]
    return (type(value), [_whole(item) for item in value]) if isinstance(value, tuple) else (type(value), value)


def test_a_profile_that_changed_since_is_read_as_yaml(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled_profiles, "BUILT_IN", tmp_path)
    file = tmp_path / RACK
    file.parent.mkdir()
    file.write_bytes((BUILT_IN / "data" / RACK).read_bytes())
    kept = compiled_file(file.parent)
    kept.parent.mkdir()
    kept.write_text(compiled_text({file: read_built_in(RackProfile, file)}))
    assert compiled_profile(file) == read_built_in(RackProfile, file)
    file.write_text(file.read_text() + "# seen again\n")
    assert compiled_profile(file) is None


def test_a_profile_that_is_not_compiled_is_read_as_yaml(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled_profiles, "BUILT_IN", tmp_path)
    assert compiled_profile(tmp_path / RACK) is None


def test_what_would_not_come_back_is_not_compiled() -> None:
    with pytest.raises(TypeError, match="a value of set is not kept"):
        compiled_text({BUILT_IN / "data" / RACK: Measured(when={1})})
