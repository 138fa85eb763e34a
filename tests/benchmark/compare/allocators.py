"""Allocators that PyTorch may be given with LD_PRELOAD: its default one gives large tensors back at every step."""

import ctypes.util
import pathlib

LIBRARIES = {  # the best known first
    "tcmalloc": ("tcmalloc_minimal", "tcmalloc"),
    "mimalloc": ("mimalloc",),
    "jemalloc": ("jemalloc",),
}
# glibc's own, told to serve large blocks from its heap and to keep them.
GLIBC = {
    "MALLOC_MMAP_THRESHOLD_": "4294967296",
    "MALLOC_TRIM_THRESHOLD_": "17179869184",
    "MALLOC_TOP_PAD_": "67108864",
}


def find(folder):
    """Name -> library, of those that this machine has: in `folder`, where scripts/benchmark-peers unpacks some, or in
    the system's places."""
    found = {}
    for allocator, names in LIBRARIES.items():
        for name in names:
            unpacked = sorted(pathlib.Path(folder).rglob(f"lib{name}.so.*"))
            library = str(unpacked[0].resolve()) if unpacked else ctypes.util.find_library(name)
            if library and allocator not in found:
                found[allocator] = library
    return found


def environment(allocator, found):
    """The environment variables that bring a process to use it."""
    if allocator == "default":
        return {}
    if allocator == "glibc":
        return dict(GLIBC)
    return {"LD_PRELOAD": found[allocator]}
