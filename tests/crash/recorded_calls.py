"""Runs a program with the library of file_calls.cpp, and reads the calls that it has recorded."""

import dataclasses
import os
import pathlib
import subprocess

from programs import BIN_DIR, ROOT

LIBRARY = pathlib.Path(os.environ.get("TRANSLATE_FILE_CALLS", ROOT / "build" / "release" / "tests" / "libfile_calls.so"))
TIMEOUT = 120  # seconds; a program that hangs is a failure


@dataclasses.dataclass(frozen=True)
class Call:
    """A call that wrote, as call_recorder.cpp records it; paths are relative to the watched folder."""

    number: int
    name: str
    path: str
    other_path: str
    note: str
    inode: int
    offset: int
    length: int
    result: int
    error: int
    data: bytes

    @property
    def can_be_interrupted(self):
        return self.name in ("open", "write", "fsync", "truncate", "fallocate")

    def __str__(self):
        return f"call {self.number}, {self.name} {self.path or '.'}" + (f" to {self.other_path}" if self.other_path else "")


def watched_program(folder, program, *arguments, plan="", log=None, cache=None):
    """Runs a program in `folder`, whose calls that write there are treated as `plan` says (call_plan.h)."""
    environment = plain_environment(cache) | {
        "LD_PRELOAD": str(LIBRARY),
        "FILE_CALLS_ROOT": str(folder),
        "FILE_CALLS_PLAN": plan,
    }
    if log is not None:
        environment |= {"FILE_CALLS_LOG": str(log), "FILE_CALLS_DATA": "1"}
    return run_in(environment, folder, program, *arguments)


def plain_program(folder, program, *arguments, cache=None):
    return run_in(plain_environment(cache), folder, program, *arguments)


def plain_environment(cache=None):
    """`cache`: the folder for what programs remember."""
    return os.environ | {"OMP_WAIT_POLICY": "PASSIVE"} | ({"XDG_CACHE_HOME": str(cache)} if cache else {})


def run_in(environment, folder, program, *arguments):
    return subprocess.run(
        [BIN_DIR / program, *map(str, arguments)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        timeout=TIMEOUT,
    )


def read_calls(log, folder):
    """The calls in a log, in their order. `folder`: the folder that was watched."""
    calls = []
    rest = log.read_bytes()
    while rest:
        line, _, rest = rest.partition(b"\n")
        number, name, path, other, note, *numbers = line.decode("utf-8", "surrogateescape").split("\t")
        inode, offset, length, result, error, size = map(int, numbers)
        calls.append(
            Call(
                number=int(number),
                name=name,
                path=relative(path, folder),
                other_path=relative(other, folder) if other else "",
                note=note,
                inode=inode,
                offset=offset,
                length=length,
                result=result,
                error=error,
                data=rest[:size],
            )
        )
        rest = rest[size:]
    return calls


def relative(path, folder):
    name = os.path.relpath(path, folder)
    return "" if name == "." else name
