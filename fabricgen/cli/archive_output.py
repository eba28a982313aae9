"""Write an archive to a file, or to standard output once it is whole."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from fabricgen.cli.output import refuse_input, standard_output
from fabricgen.publish import FileBundle, PublishReport, Told
from fabricgen.publish.archive import publish_archive


def write_archive(
    archive: Path,
    bundles: Sequence[FileBundle],
    *,
    header: Mapping[str, object],
    parts: frozenset[str] | None,
    jobs: int,
    tell_progress: Told,
) -> PublishReport:
    """Write an archive as `publish_archive` does; `-` is a tar archive to standard output.

    That is made in a temporary folder first: what is written out is whole, and after an error nothing is. Raises
    InputError as `publish_archive` and `standard_output` do, and click.UsageError on a terminal and over an input.
    """
    if str(archive) != "-":
        refuse_input(Path(archive).resolve(), str(archive))
        return publish_archive(archive, bundles, header=header, parts=parts, jobs=jobs, tell=tell_progress)
    with (
        standard_output("an archive is no text for a terminal; name a file, or pipe it: `| tar -x`") as stream,
        tempfile.TemporaryDirectory(prefix="fabricgen-") as folder,
    ):
        file = Path(folder) / "build.tar"
        report = publish_archive(file, bundles, header=header, parts=parts, jobs=jobs, tell=tell_progress)
        with file.open("rb") as content:
            shutil.copyfileobj(content, stream, 1 << 20)
    return report
