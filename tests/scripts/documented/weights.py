"""Stand-ins for what a PyTorch training leaves: word-level tokenizers and a file of weights."""

import json
import struct

from documented.workspace import BIN_DIR, corpus, write

SPECIAL = ("[UNK]", "[PAD]", "[SOS]", "[EOS]")
# Of the model whose tensors are enlarged; each size is another number than all others.
SMALL = {"model.d_model": 20, "model.num_heads": 2, "model.d_ff": 30}
LARGE = {20: 512, 30: 2048}


def word_level(split, language):
    """A tokenizer_xx.json as the package `tokenizers` writes it."""
    words = sorted(set(corpus(split, language).split()))
    vocabulary = {word: number for number, word in enumerate([*SPECIAL, *words])}
    added = [{"id": vocabulary[token], "content": token, "special": True} for token in SPECIAL]
    return json.dumps({"version": "1.0", "truncation": None, "padding": None, "added_tokens": added, "normalizer": None,
                       "pre_tokenizer": {"type": "WhitespaceSplit"}, "post_processor": None, "decoder": None,
                       "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]"}})


def tokenizers(work):
    for language in ("en", "fr"):
        write(work.folder / f"tokenizer_{language}.json", word_level("train", language))


def small_weights(work, name):
    """Of the sizes that short trainings have."""
    work.train("runs/for-weights", options=TOKENIZERS)
    (work.folder / name).write_bytes((work.checkpoint_of("runs/for-weights") / "model.safetensors").read_bytes())


TOKENIZERS = ["--set", "tokenizer.source_model=tokenizer_en.json", "--set", "tokenizer.target_model=tokenizer_fr.json",
              "--set", "tokenizer.shared=false"]


def reference_weights(work, name):
    """Of the reference's sizes, all zero, so that the file takes no room on the disk."""
    options = [*TOKENIZERS, *(f"--set={key}={value}" for key, value in SMALL.items()), "--set=training.max_steps=1"]
    work.train("runs/small", options=options, program=BIN_DIR / "translate-train")
    data = (work.checkpoint_of("runs/small") / "model.safetensors").read_bytes()
    small = json.loads(data[8:8 + struct.unpack("<Q", data[:8])[0]])
    header, end = {}, 0
    for tensor, about in small.items():
        if tensor != "__metadata__":
            shape, begin = [LARGE.get(size, size) for size in about["shape"]], end
            end += 4 * product(shape)
            header[tensor] = {"dtype": "F32", "shape": shape, "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with (work.folder / name).open("wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        file.truncate(8 + len(text) + end)


def product(numbers):
    result = 1
    for number in numbers:
        result *= number
    return result
