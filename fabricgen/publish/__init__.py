"""Transactional publishing: a build lands whole or not at all, in a folder or in an archive.

Knows nothing of networks: bundles make files, each with a part, a path and its content; a manifest is added. On Linux
a folder is staged beside its target and the two are exchanged in one step; where that cannot be, it is staged inside
and moved file by file under a journal, which the next run finishes if this one is killed. Data are not flushed file by
file: after a power cut the manifest's digests tell what is whole, and the next build repairs the rest.

`publish_archive` is in a module of its own, which no build into a folder loads.
"""

from fabricgen.publish.folder import publish_folder, recover_build
from fabricgen.publish.manifest import MANIFEST, Content, Private, PublishReport
from fabricgen.publish.stage import FileBundle, Told, ignore_bundle

__all__ = [
    "MANIFEST",
    "Content",
    "FileBundle",
    "Private",
    "PublishReport",
    "Told",
    "ignore_bundle",
    "publish_folder",
    "recover_build",
]
