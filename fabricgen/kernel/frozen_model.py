"""The model that all parts of blueprints are made of; those of the catalogue are plain (plain_model.py)."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class FrozenModel(BaseModel):
    """Unknown keys are errors, values never change.

    The validator is made when it is first used: most models only ever stand inside another, whose validator holds
    theirs, and making one for each of them costs every start of the program as much as importing pydantic does. So an
    instance that is right as it stands, such as one of defaults, is made by `model_construct`, which needs none.

    Modules of models do without `from __future__ import annotations`: it makes texts of all annotations, and pydantic
    would compile each of them anew at every start.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)
