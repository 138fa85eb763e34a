#!/usr/bin/env python3
"""Writes the seeds of a fuzz target into a folder: make_seeds.py TARGET FOLDER. They are the files of seeds/TARGET, small
files that the project has for other tests, and parts of such files (the pickle in a .pt file)."""

import pathlib
import shutil
import struct
import sys
import zipfile

FUZZ = pathlib.Path(__file__).resolve().parent
ROOT = FUZZ.parent.parent

# Files that are valid input as they are.
FILES = {
    "config": ["configs/*.json"],
    "example": ["docs/examples/*.json", "docs/examples/slips/*.json"],
    "json": ["configs/*.json", "docs/examples/*.json", "tests/fuzz/seeds/*/*.json"],
    "marian_bin": ["tests/golden/marian/firefox/lex.*.bin"],
    "marian_yaml": ["tests/golden/marian/all/*.yml"],
    "pytorch_file": ["tests/golden/pytorch/*.pt"],
    "safetensors": ["tests/golden/pytorch/views.safetensors"],
    "sentencepiece": ["tests/golden/marian/*/*.spm"],
}
LARGEST = 20000  # bytes: larger seeds make a target slow


def parts_of(target):
    """Parts of files: (name, content)."""
    if target in ("pickle", "pytorch_file"):
        for path in sorted(ROOT.glob("tests/golden/pytorch/*.pt")):
            if zipfile.is_zipfile(path):
                with zipfile.ZipFile(path) as archive:
                    for name in archive.namelist():
                        if name.endswith("data.pkl"):
                            yield f"{path.stem}.pkl", archive.read(name)
    if target in ("npz", "marian_yaml", "marian_model"):
        with zipfile.ZipFile(ROOT / "tests/golden/marian/all/model.npz") as archive:
            if target == "npz":
                for name in ("encoder_l1_self_bq.npy", "special:model.yml.npy"):
                    yield name.replace(":", "_"), archive.read(name)
            else:
                content = archive.read("special:model.yml.npy")
                header = 10 + int.from_bytes(content[8:10], "little")
                yield "model.yml", content[header:].rstrip(b"\0")


def small_container():
    """A .bin file of three of the golden model's items."""
    whole = (ROOT / "tests/golden/marian/firefox/model.enfr.intgemm.alphas.bin").read_bytes()
    count = struct.unpack_from("<Q", whole, 8)[0]
    headers = [struct.unpack_from("<4Q", whole, 16 + 32 * i) for i in range(count)]
    names, place = [], 16 + 32 * count
    for header in headers:
        names.append(whole[place:place + header[0]])
        place += header[0]
    shapes = []
    for header in headers:
        shapes.append(whole[place:place + 4 * header[2]])
        place += 4 * header[2]
    place += 8 + struct.unpack_from("<Q", whole, place)[0]
    items = []
    for header, name, shape in zip(headers, names, shapes, strict=True):
        if name in (b"decoder_l1_rnn_W\0", b"decoder_l1_rnn_bf\0", b"special:model.yml\0"):
            items.append((header, name, shape, whole[place:place + header[3]]))
        place += header[3]
    return b"".join([struct.pack("<2Q", 1, len(items)), *(struct.pack("<4Q", *item[0]) for item in items),
                     *(item[1] for item in items), *(item[2] for item in items), bytes(8), *(item[3] for item in items)])


def small_archive(path):
    """An .npz file of two arrays, one of them compressed."""
    with zipfile.ZipFile(ROOT / "tests/golden/marian/all/model.npz") as whole, zipfile.ZipFile(path, "w") as archive:
        for name, method in (("encoder_l1_self_bq.npy", zipfile.ZIP_STORED), ("Wemb.npy", zipfile.ZIP_DEFLATED)):
            entry = zipfile.ZipInfo(name)  # its date is fixed, so that the seed is the same in every run
            entry.compress_type = method
            archive.writestr(entry, whole.read(name))


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    target, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for pattern in [f"tests/fuzz/seeds/{target}/*", *FILES.get(target, [])]:
        for path in sorted(ROOT.glob(pattern)):
            if path.stat().st_size <= LARGEST:
                shutil.copyfile(path, folder / f"{path.parent.name}-{path.name}")
    for name, content in parts_of(target):
        if len(content) <= LARGEST:
            (folder / name).write_bytes(content)
    if target == "npz":
        small_archive(folder / "small.npz")
    if target == "marian_bin":
        (folder / "small.bin").write_bytes(small_container())


if __name__ == "__main__":
    main()
