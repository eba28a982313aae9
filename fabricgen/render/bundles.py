"""Configurations as file bundles, one a switch or whole fabric, which one `ConfigMaker` renders.

A NOS whose files must be installed in some order has a template README.md.j2 that says so; it is rendered once for all
switches of the NOS, into a file beside their folders.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, partial

from fabricgen.cluster import Cluster
from fabricgen.kernel.discovery import find_resource_dir
from fabricgen.publish import FileBundle, Private
from fabricgen.render.engine import Renderer, RenderOptions, Subject, list_subjects, make_subject_renderer

READ_ME = "README.md.j2"


def make_config_bundles(cluster: Cluster, options: RenderOptions, part: str) -> list[FileBundle]:
    """Return bundles of files of all switches (in the order of the device table), of whole fabrics, and of READMEs.

    `part` is the part of a build that they are of. Raises InputError if two of these would have the same folder.
    """
    subjects = list_subjects(cluster)
    maker = ConfigMaker(cluster, options)
    # switches share what is computed for the first; a whole fabric shares nothing, and takes as long again
    prepare = partial(maker.prepare, next((subject for subject in subjects.values() if isinstance(subject, int)), None))
    return [
        FileBundle(
            part,
            name,
            partial(maker.files, subject),
            prepare=prepare,
        )
        for name, subject in subjects.items()
    ] + [
        FileBundle(part, nos, partial(_render_read_me, nos, options))
        for nos in _list_nos_with_read_me(cluster, subjects.values())
    ]


def _list_nos_with_read_me(cluster: Cluster, subjects: Iterable[Subject]) -> list[str]:
    """Return, sorted, the NOSes of the switches among `subjects` that have a README template."""
    devices, folder = cluster.plan.devices, find_resource_dir("templates")
    used = {devices.device_class[row] for row in subjects if isinstance(row, int)}
    return sorted(nos for nos in {devices.classes[cls].nos for cls in used} if (folder / nos / READ_ME).is_file())


def _render_read_me(nos: str, options: RenderOptions) -> Iterator[tuple[str, bytes]]:
    """Yield the path and content of the README of a NOS."""
    yield f"configs/README-{nos}.md", Renderer(options).render_text(f"{nos}/{READ_ME}", {}).encode()


class ConfigMaker:
    """Renders the switches of a cluster. Texts that several switches share are cached in each process."""

    def __init__(self, cluster: Cluster, options: RenderOptions) -> None:
        self._cluster = cluster
        self._options = options

    def __getstate__(self) -> dict[str, object]:
        """Leave the cache out when the object is sent to another process."""
        return {name: value for name, value in self.__dict__.items() if name != "_files_of"}

    @cached_property
    def _files_of(self) -> Callable[[Subject], Iterator[tuple[str, bytes]]]:
        """Return the function that renders a subject, with its caches."""
        return make_subject_renderer(self._cluster, list(list_subjects(self._cluster).values()), self._options)

    def prepare(self, subject: Subject | None) -> None:
        """Fill the caches by rendering `subject` (None: nothing is done), before others are rendered; raises the errors
        of `files`.
        """
        if subject is not None:
            deque(self.files(subject), maxlen=0)

    def files(self, subject: Subject) -> Iterator[tuple[str, bytes]]:
        """Yield (path in the output folder, content), marked private if it contains a secret; raises the InputErrors of
        `render_configs`.
        """
        for path, content in self._files_of(subject):
            has_secret = any(secret in content for secret in self._options.secrets)
            yield path, Private(content) if has_secret else content
