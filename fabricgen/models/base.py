"""What every model of a file is made of."""

from pydantic import BaseModel, ConfigDict


class FrozenModel(BaseModel):
    """Unknown keys are errors, and values never change.

    What reads a model is made when the first one is read (`defer_build`): most commands read few of them.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class FieldError(ValueError):
    """What a validator of a whole model finds wrong with one of its keys, which it names."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key
