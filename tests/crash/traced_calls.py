"""The calls of a program that write, as strace sees them: to show that the library of file_calls.cpp misses none."""

import collections
import os
import re
import shutil
import subprocess

from recorded_calls import BIN_DIR

NAMES = {
    "open": ("open", "openat", "creat"),
    "write": ("write", "pwrite64", "writev", "pwritev", "pwritev2", "copy_file_range", "sendfile"),
    "fsync": ("fsync", "fdatasync", "sync_file_range", "syncfs", "sync"),
    "truncate": ("truncate", "ftruncate"),
    "fallocate": ("fallocate",),
    "rename": ("rename", "renameat", "renameat2"),
    "mkdir": ("mkdir", "mkdirat"),
    "unlink": ("unlink", "unlinkat", "rmdir"),
    "link": ("link", "linkat", "symlink", "symlinkat"),
}
OF_NAME = {call: name for name, calls in NAMES.items() for call in calls}
# In the records of the library, calls that strace counts together here.
RECORDED = {"exchange": "rename", "rmdir": "unlink"}
LINE = re.compile(r"\d+ +(\w+)\((.*)")


def is_available():
    """Whether strace is installed and may trace."""
    return shutil.which("strace") and subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"]).returncode == 0


def traced_counts(folder, log, environment, program, *arguments):
    """Runs a program in `folder`; how many calls of each name concern it."""
    trace = ",".join(OF_NAME)
    subprocess.run(
        ["strace", "-f", "-qq", "-y", "-s", "4096", "-e", f"trace={trace}", "-o", log, BIN_DIR / program, *map(str, arguments)],
        cwd=folder,
        env=environment,
        capture_output=True,
        check=True,
    )
    counts = collections.Counter()
    for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
        found = LINE.match(line)
        # libc removes a folder in two calls, of which the first fails.
        if found and "EISDIR" not in line and concerns(folder, *found.groups()):
            counts[OF_NAME[found.group(1)]] += 1
    return counts


def concerns(folder, call, arguments):
    """Whether a call writes under the folder."""
    if OF_NAME[call] == "open" and call != "creat" and not re.search(r"O_WRONLY|O_RDWR|O_CREAT", arguments):
        return False
    opened = re.match(r"(?:AT_FDCWD|\d+)<([^>]*)>", arguments)
    if opened and not call.endswith(("at", "at2")):
        path = opened.group(1)
    else:  # a path, perhaps from an open folder
        path = os.path.join(opened.group(1) if opened else folder, re.search(r'"([^"]*)"', arguments).group(1))
    path = os.path.normpath(path.removesuffix(" (deleted)"))
    return path == str(folder) or path.startswith(f"{folder}/")


def recorded_counts(calls):
    return collections.Counter(RECORDED.get(call.name, call.name) for call in calls if call.name != "close")
