"""What a user of the PyTorch tutorial has on the disk: an older copy of its model, trained and saved its way."""

import torch
from torch import nn

import model as yardstick
from model import ModelOptions, Transformer
from programs import CORPUS
from pytorch_files import OlderDecoderBlock, PositionBuffer
from recipe import PAD, build_tokenizer, train_batch

OPTIONS = ModelOptions(d_model=32, num_heads=4, d_ff=64, attention_bias=True, max_positions=350)
LINES, BATCH_SIZE = 1500, 25


def with_position_tables(model, options):
    """The reference keeps its sinusoidal positions in buffers, which its state_dict holds too."""
    model.src_pos, model.tgt_pos = PositionBuffer(options), PositionBuffer(options)
    return model


def build_older_model(source_vocab_size, target_vocab_size, pad):
    """Attention with biases, norms of one element, the cross attention under the name it had, position tables."""
    model = with_position_tables(Transformer(OPTIONS, source_vocab_size, target_vocab_size, pad), OPTIONS)
    model.decoder.layers = nn.ModuleList(OlderDecoderBlock(OPTIONS) for _ in model.decoder.layers)
    for module in list(model.modules()):
        if isinstance(module, yardstick.LayerNormalization):
            module.alpha, module.bias = nn.Parameter(torch.ones(1)), nn.Parameter(torch.zeros(1))
    for parameter in model.parameters():
        if parameter.dim() > 1:
            nn.init.xavier_uniform_(parameter)
    return model


def read_lines(language):
    return (CORPUS / f"train.{language}").read_text(encoding="utf-8").split("\n")[:LINES]


def train(folder, epochs):
    """Trains for some epochs, and leaves tokenizer_en.json, tokenizer_fr.json and tmodel_00.pt in the folder."""
    torch.manual_seed(3)
    source, target = (build_tokenizer(read_lines(side), folder / f"tokenizer_{side}.json") for side in ("en", "fr"))
    model = build_older_model(source.get_vocab_size(), target.get_vocab_size(), PAD)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3, eps=1e-9)
    pairs = [(source.encode(en).ids, target.encode(fr).ids) for en, fr in zip(read_lines("en"), read_lines("fr"))]
    step = 0
    for _ in range(epochs):
        for begin in range(0, len(pairs), BATCH_SIZE):
            batch = pairs[begin : begin + BATCH_SIZE]
            train_batch(model, optimizer, batch, seq_len=max(len(ids) for pair in batch for ids in pair) + 2)
            step += 1
    state = {
        "epoch": epochs - 1,
        "model_state_dict": model.state_dict(),
        "optimizer_state_dict": optimizer.state_dict(),
        "global_step": step,
    }
    torch.save(state, folder / "tmodel_00.pt")
    return model
