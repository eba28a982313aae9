"""A --set value cannot be put into the blueprint."""

from __future__ import annotations

from fabricgen.lint.fault import Fault


class BadSetting(Fault):
    """What `--set` was given is not PATH=VALUE, or its path leads into a scalar or past a list.

    The value is read as YAML and laid over the blueprint after all includes. A path that nothing can be below would
    drop what stands there. Name keys by dots and list items by index, such as `pods.p1.su=3`; quote a key with
    dots.
    """

    id = "FG008"
    title = "a --set value cannot be put into the blueprint"
    in_words = True
    bad = """
        fabricgen lint example.yaml --set name.site=hall2
    """
    good = """
        fabricgen lint example.yaml --set site=hall2
    """
