"""Golden files that come from no case: worked numbers of the random state, and parameter counts and names."""

import dataclasses

import torch

from cases import PAD
from compute import FORMAT
from model import ModelOptions, Transformer

SEED = 40
ROWS = [1212, 318, 257, 10586]

# first three entries of the first row of randn(6, 512), last three of its last row, first two of its product with its
# transpose, first three of each embedding row
PUBLISHED = {
    "first": [-0.2367, 1.8109, 0.1966],
    "last": [-0.1643, -1.4237, 1.1242],
    "product": [503.2782, 30.9015],
    "rows": [
        [0.8884, 3.1415, -0.7241],
        [0.6572, -1.5998, 1.3872],
        [0.5262, 0.3106, -0.4733],
        [-0.7888, 1.1974, -2.1260],
    ],
}

PAPER_VOCABULARY = 37000
PAPER_BASE = ModelOptions(d_model=512, encoder_layers=6, decoder_layers=6, num_heads=8, d_ff=2048, dropout=0.1,
                          tie_embeddings="all", max_positions=512)
PAPER_BIG = dataclasses.replace(PAPER_BASE, d_model=1024, num_heads=16, d_ff=4096, dropout=0.3)
PUBLISHED_COUNTS = {
    "base pre-norm": 63_084_680,
    "base post-norm": 63_084_680 - 2_048,
    "big pre-norm": 214_212_744,
    "big post-norm": 214_212_744 - 4_096,
}


def random_state():
    """(tensors, metadata, objections): what a seeded generator draws for randn, and for an embedding made after it."""
    torch.manual_seed(SEED)
    randn = torch.randn(6, 512)
    embedding = torch.nn.Embedding(50257, 512)
    rows = embedding(torch.tensor([ROWS])).detach()  # (1, 4, 512)
    found = {
        "first": (randn[0, :3], 5.1e-5),
        "last": (randn[5, -3:], 5.1e-5),
        "product": ((randn @ randn.T)[0, :2], 1e-3),
        "rows": (rows[0, :, :3], 5.1e-5),
    }
    objections = [
        f"{name}: {values.tolist()} instead of {PUBLISHED[name]}"
        for name, (values, tolerance) in found.items()
        if (values - torch.tensor(PUBLISHED[name])).abs().max() > tolerance
    ]
    tensors = {"randn": randn, "product": randn @ randn.T, "ids": torch.tensor([ROWS]), "embedding": rows}
    metadata = {"format": FORMAT, "seed": str(SEED), "embedding_shape": "[50257, 512]"}
    return tensors, metadata, objections


def describe(name, options, source_vocab_size, target_vocab_size, with_parameters):
    """One entry of initial.json; the model is only measured, never filled."""
    with torch.device("meta"):
        parameters = list(Transformer(options, source_vocab_size, target_vocab_size, PAD).named_parameters())
    entry = {
        "name": name,
        "model": options.to_json(),
        "source_vocab_size": source_vocab_size,
        "target_vocab_size": target_vocab_size,
        "parameter_count": sum(parameter.numel() for _, parameter in parameters),
    }
    if with_parameters:
        entry["parameters"] = [{"name": key, "shape": list(parameter.shape)} for key, parameter in parameters]
    return entry


def initial():
    """(initial.json as a dict, objections): parameter counts of the paper's models, and all names of small ones."""
    paper = {
        f"{size} {norm}-norm": dataclasses.replace(options, norm=norm)
        for size, options in (("base", PAPER_BASE), ("big", PAPER_BIG))
        for norm in ("pre", "post")
    }
    entries = [describe(name, options, PAPER_VOCABULARY, PAPER_VOCABULARY, False) for name, options in paper.items()]
    objections = [
        f"{entry['name']}: {entry['parameter_count']} parameters instead of {PUBLISHED_COUNTS[entry['name']]}"
        for entry in entries
        if entry["parameter_count"] != PUBLISHED_COUNTS[entry["name"]]
    ]
    small = ModelOptions(encoder_layers=1, decoder_layers=2)
    entries.append(describe("small", small, 24, 29, True))
    bias = dataclasses.replace(small, norm="post", positions="learned", tie_embeddings="decoder", attention_bias=True)
    entries.append(describe("small with options", bias, 24, 29, True))
    return {"format": FORMAT, "models": entries}, objections
