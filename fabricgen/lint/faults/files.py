"""Files, YAML, `--set`, and the keys of the language."""

from __future__ import annotations

from fabricgen.lint.fault import Fault

FG001 = Fault(
    id="FG001",
    name="UnreadableFile",
    title="a file cannot be read",
    text="""
    A file that is named is not there, is no text in UTF-8, is larger than 4 MiB, or may not be read.

    Nothing can be said of a blueprint that cannot be read whole; YAML 1.2.2 (5.2) makes UTF-8 the encoding that
    every reader takes. A link to another kind of file is refused too, since an error would show a line of it.
    Correct the name, or save the file as UTF-8.
    """,
    bad="""
    floor: !include hall.yaml  # <-
    """,
    good="""
    floor: {row_pitch_m: 2.4}
    """,
)

FG002 = Fault(
    id="FG002",
    name="InvalidYaml",
    title="a file is not YAML, or not one document of it",
    text="""
    The text breaks the grammar of YAML, holds no document or more than one, or has a key that is not text.

    A reader that guesses would guess differently from the next one. YAML 1.2.2 (6.1) forbids tabs in indentation;
    keys that are numbers or truth values mean different things to different readers. The caret is where the parser
    had to stop: the cause is there or on the line above, often an unclosed bracket or quote.
    """,
    bad="""
    pods: {p1: {su: 2}}}  # <-
    """,
    good="""
    pods: {p1: {su: 2}}
    """,
)

FG003 = Fault(
    id="FG003",
    name="DuplicateKey",
    title="a key is given twice in one mapping",
    text="""
    The same key stands twice in a mapping.

    Most readers keep the last one without a word, so that a line that is plainly there has no effect. YAML 1.2.2
    (3.2.1.3) requires keys to be unique. Keep one of the two; to change what an included file or an anchor says,
    give the key in the file that includes, or beside `<<`.
    """,
    bad="""
    floor:
      row_pitch_m: 2.4
      row_pitch_m: 3.0  # <-
    """,
    good="""
    floor:
      row_pitch_m: 3.0
    """,
)

FG004 = Fault(
    id="FG004",
    name="AmbiguousScalar",
    title="an unquoted value means something else to other YAML readers",
    text="""
    A value without quotes is text to YAML 1.2 and a truth value or another number to YAML 1.1, or is no number that
    can be kept.

    `on` and `no` are truth values, `4:3` is 243 and `010` is 8 to YAML 1.1 readers (yaml.org/type/bool.html and
    int.html), which most editors and CI tools still have. What a reviewer's tool shows must be what is built. Put
    the value in quotes, or write the number or truth value that is meant.
    """,
    bad="""
    fabrics: {compute: {oversubscription: 1:1}}  # <-
    """,
    good="""
    fabrics: {compute: {oversubscription: "1:1"}}
    """,
)

FG005 = Fault(
    id="FG005",
    name="BadAlias",
    title="an alias leads nowhere, to itself, or to too much",
    text="""
    An alias (`*name`) has no anchor before it or lies inside its own, a merge (`<<`) is of no mapping, or aliases
    stand for more than 20,000 values.

    YAML 1.2.2 (7.1) takes an alias for the value that was given its anchor before. Aliases of aliases grow without
    bound ("billion laughs", CWE-776), so their sum is limited. Write `&name` at the first use, above all others.
    """,
    bad="""
    pods: {p1: *usual}  # <-
    """,
    good="""
    pods: {p1: &usual {su: 2}, p2: *usual}
    """,
)

FG006 = Fault(
    id="FG006",
    name="UnknownTag",
    title="a tag is unknown or not that of its value",
    text="""
    A tag (`!name` or `!!name`) is none that is known here, or its value is not of that kind.

    Tags can make a YAML reader run code; here only `!include FILE` and the core schema of YAML 1.2.2 (10.3) mean
    something, and only blueprints may include. Remove the tag, or quote text that begins with '!'.
    """,
    bad="""
    name: !upper example  # <-
    """,
    good="""
    name: example
    """,
)

FG007 = Fault(
    id="FG007",
    name="RefusedInclude",
    title="an include is not allowed",
    text="""
    An include leaves the blueprint's folder, includes itself, goes too deep, or does not hold what its place needs.

    A blueprint may come from a stranger's pull request, and what it includes can be shown in an error: so it reads
    files of its own folder alone (CWE-22), and ends. Move the file below the blueprint, or pass `--allow-outside`
    where you trust it.
    """,
    bad="""
    floor: !include ../hall.yaml  # <-
    """,
    good="""
    floor: {row_pitch_m: 2.4}
    """,
)

FG008 = Fault(
    id="FG008",
    name="BadSetting",
    title="a --set value cannot be put into the blueprint",
    text="""
    What `--set` was given is not PATH=VALUE, or its path leads into a scalar or past a list.

    The value is read as YAML and laid over the blueprint after all includes. A path that nothing can be below would
    drop what stands there. Name keys by dots and list items by index, such as `pods.p1.su=3`; quote a key with
    dots.
    """,
    in_words=True,
    bad="""
    fabricgen lint example.yaml --set name.site=hall2
    """,
    good="""
    fabricgen lint example.yaml --set site=hall2
    """,
)

FG010 = Fault(
    id="FG010",
    name="DoesNotFit",
    title="a key is unknown, missing, or its value is not of the kind it takes",
    text="""
    A key is not of the language, a required one is missing, or a value is of the wrong kind or out of its range.

    A misspelt key that were ignored would silently leave its default in force. The message says what was expected
    and what was found; docs/language.md lists every key, and the JSON Schema (`fabricgen schema`) lets an editor
    complete them.
    """,
    bad="""
    fabrics: {compute: {oversubscripton: 2}}  # <-
    """,
    good="""
    fabrics: {compute: {oversubscription: 2}}
    """,
)

FG045 = Fault(
    id="FG045",
    name="NoSuchRevision",
    title="a revision of git cannot be read",
    text="""
    `git:REVISION:PATH` names no revision, no repository, a file that is not in it, or one that includes a file
    outside.

    What is compared must be of that revision whole, so nothing of it is taken from the work tree. Check the
    revision with `git rev-parse`, and fetch it where a CI job has a shallow clone.
    """,
    in_words=True,
    bad="""
    fabricgen plan git:main:site.yaml site.yaml, in a clone that has only the current branch
    """,
    good="""
    git fetch origin main, then fabricgen plan git:origin/main:site.yaml site.yaml
    """,
)
