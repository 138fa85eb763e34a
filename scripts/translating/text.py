"""Text files, plain or .gz, a sentence a line."""

import contextlib
import gzip
import os
import pathlib
import shutil


def opened(path, mode="rt"):
    """The file, its lines as the programs see them: UTF-8, LF, a byte that is not UTF-8 carried along as it is."""
    how = gzip.open if pathlib.Path(path).suffix == ".gz" else open
    return how(path, mode, encoding="utf-8", errors="surrogateescape", newline="\n")


def read_lines(path):
    """One after the other, without their ends (LF or CR LF)."""
    with opened(path) as lines:
        for line in lines:
            yield line.rstrip("\n").rstrip("\r")


def count_lines(path):
    """How many there are."""
    return sum(1 for _ in read_lines(path))


def check_line_count(path, wanted, first):
    """Line N of `path` belongs to line N of `first`, which has `wanted` lines. ValueError where that cannot be."""
    count = count_lines(path)
    if count != wanted:
        raise ValueError(f"{path} has {count} lines, but {first} has {wanted}: expected a line for each line")


def write_lines(path, lines):
    """Whole or not at all: into a file beside it, which then takes its name. ValueError for a line that is several."""
    with whole(path) as unfinished, opened(unfinished, "wt") as out:
        for line in lines:
            if "\n" in line:
                raise ValueError(f"{path}: expected one line, found {line!r}")
            out.write(line + "\n")


@contextlib.contextmanager
def whole(path):
    """A name to write to; the file takes its own one when all went well."""
    path = pathlib.Path(path)
    unfinished = path.with_name(f".unfinished-{path.name}")
    try:
        yield unfinished
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def join_files(paths, out_path):
    """One file of them all (of gzip files, too: their members follow each other)."""
    with whole(out_path) as unfinished, open(unfinished, "wb") as out:
        for path in paths:
            with open(path, "rb") as part:
                shutil.copyfileobj(part, out)
