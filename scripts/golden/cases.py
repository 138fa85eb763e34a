"""The golden cases: which options each one covers, its start parameters and its batch."""

import dataclasses
import math

import torch

from model import ModelOptions, Transformer

UNK, SOS, EOS, PAD = 0, 1, 2, 3
FIRST_WORD = 4
BATCH_SIZE = 4
LONGEST = 9  # positions of a batch, sos or eos counted


@dataclasses.dataclass(frozen=True)
class Case:
    """One model, one batch. The seed draws both, and is chosen so that `compute.verify` has nothing to object to."""

    name: str
    seed: int
    options: ModelOptions
    source_vocab_size: int
    target_vocab_size: int
    label_smoothing: float = 0.1


CASES = (
    Case("reference", 14, ModelOptions(), 24, 29),
    Case("paper", 773, ModelOptions(norm="post", layer_norm="torch", tie_embeddings="all"), 32, 32),
    Case("post_reference_learned", 1110,
         ModelOptions(norm="post", positions="learned", activation="gelu", attention_bias=True, num_heads=4,
                      max_positions=12), 21, 34),
    Case("deep_decoder", 67,
         ModelOptions(layer_norm="torch", tie_embeddings="decoder", activation="swish", attention_bias=True,
                      encoder_layers=1, decoder_layers=3), 40, 20),
    Case("deep_encoder", 195,
         ModelOptions(layer_norm="torch", positions="learned", tie_embeddings="all", activation="gelu",
                      encoder_layers=3, decoder_layers=1, max_positions=20), 26, 26),
    Case("no_positions", 92,
         ModelOptions(positions="none", activation="swish", tie_embeddings="decoder", embedding_scale=False), 23, 27),
    Case("unscaled", 19,
         ModelOptions(norm="post", layer_norm="torch", positions="learned", activation="swish", embedding_scale=False,
                      max_positions=16), 31, 22, label_smoothing=0.2),
    Case("past_the_table", 50,
         ModelOptions(d_model=32, num_heads=4, d_ff=64, encoder_layers=1, decoder_layers=1, max_positions=4), 28, 33,
         label_smoothing=0.0),
    Case("three_heads", 905,
         ModelOptions(d_model=24, num_heads=3, d_ff=40, layer_norm="torch", layer_norm_epsilon=1e-2,
                      tie_embeddings="all", attention_bias=True, encoder_layers=1, decoder_layers=2), 30, 30),
    Case("one_head", 425,
         ModelOptions(d_model=20, num_heads=1, d_ff=36, norm="post", layer_norm_epsilon=1e-2, positions="none",
                      activation="gelu", tie_embeddings="decoder", attention_bias=True, encoder_layers=2,
                      decoder_layers=1), 25, 38),
    Case("rms", 12,
         ModelOptions(d_model=24, num_heads=2, d_ff=44, layer_norm="rms", layer_norm_epsilon=1e-3,
                      activation="swish", encoder_layers=2, decoder_layers=2), 27, 31),
    Case("ssru", 44,
         ModelOptions(d_model=20, d_ff=36, norm="post", layer_norm="torch", tie_embeddings="all", encoder_layers=1,
                      decoder="ssru", zero_start=True), 29, 29),
    Case("ssru_pre", 77,
         ModelOptions(d_model=24, num_heads=3, encoder_layers=1, decoder_layers=2, activation="swish", decoder="ssru"),
         26, 30),
)


def uniform(generator, shape, deviation):
    """A uniform draw of mean 0: unlike a normal one it gives the same bits on every processor."""
    return (torch.rand(shape, generator=generator) * 2 - 1) * (math.sqrt(3) * deviation)


def build_model(case):
    """The case's model in float32 with its start parameters; norms and biases are away from their usual 1 and 0."""
    generator = torch.Generator().manual_seed(case.seed)
    model = Transformer(case.options, case.source_vocab_size, case.target_vocab_size, PAD)
    # what enters the first layer; a tied pre-norm model of larger embeddings says its last word again and again
    tied_pre_norm = case.options.norm == "pre" and case.options.tie_embeddings != "none"
    embedding_deviation = 0.5 if tied_pre_norm or not case.options.embedding_scale else 1.0
    if case.options.embedding_scale:
        embedding_deviation /= math.sqrt(case.options.d_model)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.endswith("alpha"):
                parameter.copy_(1 + uniform(generator, parameter.shape, 0.25))
            elif name.endswith("bias"):
                parameter.copy_(uniform(generator, parameter.shape, 0.2))
            elif name.endswith("_pos.embedding.weight"):
                parameter.copy_(uniform(generator, parameter.shape, 0.5))
            elif name.endswith("_embed.embedding.weight"):
                parameter.copy_(uniform(generator, parameter.shape, embedding_deviation))
            else:
                parameter.copy_(uniform(generator, parameter.shape, 1.2 * parameter.size(1) ** -0.5))
    return model


def draw_words(generator, count, vocab_size):
    words = torch.randint(FIRST_WORD, vocab_size, (count,), generator=generator).tolist()
    if torch.rand((), generator=generator) < 0.3:
        words[0] = UNK
    return words


def padded(rows):
    width = max(len(row) for row in rows)
    return torch.tensor([row + [PAD] * (width - len(row)) for row in rows])


def draw_batch(case):
    """(encoder_input, decoder_input, label), ids (batch, length), with padding in each."""
    generator = torch.Generator().manual_seed(1000 + case.seed)
    source_words, target_words = (
        # one sentence of the greatest length, the others from 3 words up: there is always padding
        [LONGEST - extra] + torch.randint(3, LONGEST - extra, (BATCH_SIZE - 1,), generator=generator).tolist()
        for extra in (2, 1)
    )
    target_words.reverse()
    sources = [draw_words(generator, count, case.source_vocab_size) for count in source_words]
    targets = [draw_words(generator, count, case.target_vocab_size) for count in target_words]
    return (
        padded([[SOS, *words, EOS] for words in sources]),
        padded([[SOS, *words] for words in targets]),
        padded([[*words, EOS] for words in targets]),
    )
