"""What commands are asked for, what they read beside a blueprint, and where they write."""

from __future__ import annotations

from fabricgen.lint.fault import Fault

FG020 = Fault(
    id="FG020",
    name="TargetNotOurs",
    title="the target of a build holds what fabricgen did not write",
    text="""
    The folder or archive to be written is there already and is not a build of ours.

    A build replaces its target whole, so it only replaces what it wrote itself, known by its manifest.json. Name a
    new or empty folder, or move the file that is in the way.
    """,
    in_words=True,
    bad="""
    fabricgen build example.yaml -o ~/Documents
    """,
    good="""
    fabricgen build example.yaml -o out
    """,
)

FG021 = Fault(
    id="FG021",
    name="UnknownArchive",
    title="no archive is known by the suffix",
    text="""
    `--archive` names a file whose suffix is none of .tar, .tar.zst and .zip.

    The suffix chooses the format; a wrong one would leave a file that no tool opens. Give the file one of these
    suffixes.
    """,
    in_words=True,
    bad="""
    fabricgen build example.yaml --archive out.rar
    """,
    good="""
    fabricgen build example.yaml --archive out.tar.zst
    """,
)

FG022 = Fault(
    id="FG022",
    name="BuildRunning",
    title="another build is writing the target",
    text="""
    A build into the same folder or archive has not ended.

    Two builds at once would mix their files. Wait for the other, or choose another target; a build that was killed
    leaves no lock that holds.
    """,
    in_words=True,
    bad="""
    Two jobs of a pipeline run `fabricgen build example.yaml -o out` at the same time.
    """,
    good="""
    Each job builds into a folder of its own.
    """,
)

FG023 = Fault(
    id="FG023",
    name="CannotWrite",
    title="a file cannot be written",
    text="""
    The system refuses to write a file: no permission, no space, or it is there already and would be lost.

    Nothing is left half written: files appear whole, by rename. The message has the system's reason. Name another
    place, or make room.
    """,
    in_words=True,
    bad="""
    fabricgen init superpod-b200.yaml, where that file exists
    """,
    good="""
    fabricgen init another.yaml
    """,
)

FG028 = Fault(
    id="FG028",
    name="NotABuild",
    title="a folder to read is no whole build",
    text="""
    A folder was given to `plan`, `bom --diff`, `check`, `as-built` or `lock --import` in which a build was killed
    while it landed in place, so that it holds files of two builds; to `plan`, one whose lists are missing, are no CSV,
    lack columns, or were made of several blueprints by `build --only`; to `checksums`, one without files of the device;
    or, in place of a folder, an archive that has no manifest.json.

    What changes is computed from the devices, links and cables that the older build wrote; a list of another build
    would show changes that are none. The next `fabricgen build` into the folder finishes what was stopped before it
    does anything else; where lists are missing, build the folder anew, with all three.
    """,
    in_words=True,
    bad="""
    fabricgen plan out example.yaml, where links.csv was removed from out
    """,
    good="""
    fabricgen build old.yaml -o out, then fabricgen plan out example.yaml
    """,
)

FG054 = Fault(
    id="FG054",
    name="NotAsBuilt",
    title="a file of a build is not as it was built",
    text="""
    A file in a built folder does not have the sha256 that the folder's manifest.json tells of it: somebody edited it,
    or a power cut kept it from the disk.

    `plan` and `bom --diff` compare builds. A row deleted by hand would be told as cables to pull, so they refuse the
    list; line ends alone do not count, since git may change them. A switch configuration is compared as it stands,
    with a note. `check` judges the file as it stands, with a warning, and warns of configurations that are gone.
    Build the folder anew: `--force` replaces edited files, and without it the new content lies beside as FILE.new. A
    change of the wiring belongs into the blueprint, or into a sheet for `fabricgen as-built`.
    """,
    in_words=True,
    bad="""
    fabricgen plan out example.yaml, where a row of out/links.csv was deleted by hand
    """,
    good="""
    fabricgen build example.yaml -o out --force, then fabricgen plan out example.yaml
    """,
)

FG029 = Fault(
    id="FG029",
    name="TooManyRows",
    title="a table does not fit an Excel sheet",
    text="""
    A table has more rows than a sheet of Excel: 1,048,576 with the header (Excel specifications and limits,
    Microsoft).

    Rows that were cut off would be cables that nobody lays. Use CSV or JSON, or build one pod at a time.
    """,
    in_words=True,
    bad="""
    fabricgen wiring colossus.yaml -o wiring.xlsx, with 1,200,000 links
    """,
    good="""
    fabricgen wiring colossus.yaml -o wiring.csv
    """,
)

FG030 = Fault(
    id="FG030",
    name="UnknownPart",
    title="a build has no such part, or nothing for it to write",
    text="""
    `--only` names a part that no build has, or one that has no file for this cluster: `ztp` where no switch boots by
    it, `trunks` where no fibre is patched.

    Parts are the stems of the files that a build writes, such as links or bom, and those of further exports. The
    hint names the nearest.
    """,
    in_words=True,
    bad="""
    fabricgen build example.yaml -o out --only cable
    """,
    good="""
    fabricgen build example.yaml -o out --only cables
    """,
)

FG031 = Fault(
    id="FG031",
    name="BadPriceFile",
    title="a price file cannot be used",
    text="""
    The price file is no CSV with the columns part and unit_price, a price or a lead time is no number, a part is
    priced twice, or prices are in two currencies. It is a warning where a name is of no part of the bill, nor of the
    catalogue: the part that was meant has no price then.

    A price that were left out, or added up with one of another currency, would make the sum of a bill of materials
    wrong without a word. Write one line a part, with a number such as 1250.00, in one currency.
    """,
    in_words=True,
    bad="""
    part,unit_price
    sn5600,call us
    """,
    good="""
    part,unit_price
    sn5600,125000.00
    """,
)

FG032 = Fault(
    id="FG032",
    name="UnknownExample",
    title="there is no such example",
    text="""
    `init` was asked for an example that does not ship.

    `fabricgen init --example list` prints those that do.
    """,
    in_words=True,
    bad="""
    fabricgen init --example superpod
    """,
    good="""
    fabricgen init --example superpod-b200
    """,
)

FG034 = Fault(
    id="FG034",
    name="UnknownCode",
    title="there is no such code",
    text="""
    `rules` was asked for a code, or the beginning of one, that nothing has.

    `fabricgen rules` lists all of them; `fabricgen rules FG2` those that begin so.
    """,
    in_words=True,
    bad="""
    fabricgen rules FG999
    """,
    good="""
    fabricgen rules FG203
    """,
)

FG046 = Fault(
    id="FG046",
    name="UnknownChange",
    title="--fail-on of plan does not know the word",
    text="""
    `plan --fail-on` takes kinds of change, and was given none or one that it does not know.

    A word that were ignored would let through what it should have stopped. The hint lists them; docs/plan.md says
    what each means.
    """,
    in_words=True,
    bad="""
    fabricgen plan old.yaml new.yaml --fail-on renumberd
    """,
    good="""
    fabricgen plan old.yaml new.yaml --fail-on renumbered
    """,
)

FG073 = Fault(
    id="FG073",
    name="PartNotNeeded",
    title="a part to trace is not in the bill of materials",
    text="""
    `fabricgen bom --trace` was asked for a part that nothing in this cluster needs.

    A part is traced by the number that the bill has, lengths of cables included. Copy it from `fabricgen bom`; the
    nearest one is named.
    """,
    in_words=True,
    bad="""
    fabricgen bom example.yaml --trace sn5601
    """,
    good="""
    fabricgen bom example.yaml --trace sn5600
    """,
)

FG074 = Fault(
    id="FG074",
    name="NotABill",
    title="a file to compare with is no bill of materials",
    text="""
    `fabricgen bom --diff` was given a CSV or JSON file that is no bill of materials as `fabricgen bom` writes it.

    Pieces more and fewer are told by part number; a list without part, kind, quantity or spares, or with a part twice,
    would show differences that are none. Name a bom.csv or bom.json, a built folder, or the older blueprint.
    """,
    in_words=True,
    bad="""
    fabricgen bom example.yaml --diff prices.csv
    """,
    good="""
    fabricgen bom old.yaml -o old.csv, then fabricgen bom example.yaml --diff old.csv
    """,
)

FG058 = Fault(
    id="FG058",
    name="NoPrinter",
    title="Chromium, which prints a picture as PDF, is not installed or fails",
    text="""
    `fabricgen view --format pdf` prints the picture with the Chromium or Chrome of this machine, which is not found.

    A browser knows fonts and paper better than a library that would come with fabricgen. Install it, or take
    `--format svg`, which needs nothing and goes into most documents.
    """,
    in_words=True,
    bad="""
    fabricgen view example.yaml --format pdf -o example.pdf, without Chromium
    """,
    good="""
    fabricgen view example.yaml --format svg -o example.svg
    """,
)

FG870 = Fault(
    id="FG870",
    name="PlugInFails",
    title="a plug-in cannot be used, or fails",
    text="""
    An installed package offers an output or a rule by an entry point that cannot be loaded, that is not what
    docs/api.md asks for, or that fails.

    The message names the package and its version, and where it raised an error, the line; FABRICGEN_TRACEBACK=1 shows
    all of it. An output fails only a build that names it with `--only`. A rule is an error among the findings of every
    `lint` and `build`, which judge and write all else: `lint --ignore CODE`, or the project's settings, leave it out.
    Mend the package, or uninstall it.
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
