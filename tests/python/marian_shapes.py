"""Twenty MarianMT folders of random weights, each unlike the others in what an imported model may differ by."""

import dataclasses
import random

import torch

import marian_folders

LOGITS = 1.5  # the standard deviation of the random logits


@dataclasses.dataclass(frozen=True)
class Shape:
    """What a folder is made of; the defaults are an OPUS-MT model's, but for its size."""

    seed: int = 1  # those of SHAPES give models with many different translations, some of which end, and little rounding
    d_model: int = 64
    heads: int = 4
    layers: tuple = (2, 2)  # of encoder and decoder
    d_ff: int = 128
    activation: str = "swish"
    scale: bool = True  # of the embeddings
    separate: bool = False  # a vocabulary for each language
    tied: bool = True  # separate embeddings are tied to the projection of the target language
    pickled: bool = False  # pytorch_model.bin instead of model.safetensors
    positions: str = ""  # tables of positions that are in the file: "sinusoidal" or "random"
    dtype: torch.dtype = torch.float32  # of the weights in the file
    languages: tuple = ()  # target language tokens, one at the head of each line
    lacking: float = 0.0  # the share of pieces that the vocabulary lacks
    bias: float = 0.0  # the standard deviation of final_logits_bias
    pad_row: float = 0.0  # that of the embedding of the pad, with which the decoder starts
    max_positions: int = 512

    def config(self):
        """The keys of config.json that the vocabularies do not give."""
        return {
            "d_model": self.d_model, "encoder_attention_heads": self.heads, "decoder_attention_heads": self.heads,
            "encoder_layers": self.layers[0], "decoder_layers": self.layers[1], "encoder_ffn_dim": self.d_ff,
            "decoder_ffn_dim": self.d_ff, "activation_function": self.activation, "scale_embedding": self.scale,
            "share_encoder_decoder_embeddings": not self.separate, "tie_word_embeddings": self.tied,
            "max_position_embeddings": self.max_positions, "static_position_embeddings": True,
            "normalize_before": False, "normalize_embedding": False, "add_final_layer_norm": False,
        }  # fmt: skip


SHAPES = {
    "opus": Shape(seed=5, bias=0.5),
    "one layer each": Shape(seed=2, layers=(1, 1)),
    "deep encoder": Shape(seed=24, d_model=32, heads=8, layers=(4, 1), bias=0.5),
    "deep decoder": Shape(seed=5, d_model=48, heads=3, layers=(1, 4)),
    "wide": Shape(seed=2, d_model=256, heads=8, layers=(1, 1), d_ff=512),
    "narrow feed-forward": Shape(seed=12, d_model=96, heads=2, d_ff=40, bias=0.5, dtype=torch.bfloat16),
    "one head": Shape(seed=5, d_model=24, heads=1, d_ff=96),
    "relu": Shape(seed=2, activation="relu"),
    "gelu": Shape(seed=2, activation="gelu", layers=(2, 1)),
    "unscaled": Shape(seed=12, scale=False, bias=0.5),
    "unscaled relu pickled": Shape(seed=6, scale=False, activation="relu", pickled=True, layers=(1, 2)),
    "pickled": Shape(seed=17, pickled=True, bias=0.5, dtype=torch.float16),
    "positions in the file": Shape(seed=1, positions="sinusoidal", d_model=32),
    "other positions": Shape(seed=1, positions="random", pickled=True, layers=(1, 2), max_positions=128),
    "languages": Shape(seed=1, languages=(">>fra<<", ">>deu<<", ">>zlm_Latn<<"), bias=0.5),
    "lacking pieces": Shape(seed=6, lacking=0.15),
    "pad row": Shape(seed=5, pad_row=1.0, bias=0.5),
    "separate": Shape(seed=2, separate=True, bias=0.5),
    "separate pickled gelu": Shape(seed=8, separate=True, pickled=True, activation="gelu", d_model=32, layers=(2, 1)),
    "separate untied lacking": Shape(seed=23, separate=True, tied=False, lacking=0.1, scale=False),
}


def vocabularies(shape, source, target, generator):
    """(source, target or None): one vocabulary of both lists of pieces, or one for each."""
    lists = [[piece for piece in pieces if generator.random() >= shape.lacking] for pieces in (source, target)]
    if not shape.separate:
        return marian_folders.vocabulary(shape.languages, *lists), None
    # transformers reads the special ids of the source vocabulary in the target's, so that one must be the smaller.
    return marian_folders.vocabulary(*lists), marian_folders.vocabulary(lists[1])


def deviation(name, shape):
    """The standard deviation of a matrix's values, times the square root of its columns. Attention outweighs what it is added to, so
    that a subword depends on the one before it and on the source: other random models repeat one subword for ever. With
    sharper attention, rounding would grow from layer to layer, in transformers as well."""
    if "embed_tokens" in name or name in ("model.shared.weight", "lm_head.weight"):
        return embedding(shape)
    if "fc" in name:
        return 0.3
    return 1.4 if "q_proj" in name or "k_proj" in name else 3.0


def embedding(shape):
    """Times the square root of d_model: larger than the positions, or they would be all that a model sees."""
    return 4.0 if shape.scale else 4.0 * shape.d_model**0.5 / 1.5


def randomise(model, shape):
    """Random weights whose outputs depend on the source, are neither flat nor certain, and come to an end."""
    generator = torch.Generator().manual_seed(shape.seed)

    def normal(value, deviation, mean=0.0):
        value.copy_(mean + deviation * torch.randn(value.shape, generator=generator))

    last = f"decoder.layers.{model.config.decoder_layers - 1}.final_layer_norm.weight"
    with torch.no_grad():
        for name, value in model.named_parameters():
            if "layer_norm.weight" in name:
                normal(value, 0.2, mean=LOGITS / embedding(shape) if name.endswith(last) else 1.0)
            elif name.endswith("bias"):
                normal(value, 0.1)
            elif "embed_positions" in name:
                normal(value, 0.7) if shape.positions == "random" else None
            else:
                normal(value, deviation(name, shape) / value.shape[1] ** 0.5)
            if "embed_tokens" in name or name in ("model.shared.weight", "lm_head.weight"):
                value[model.config.eos_token_id] *= 3.0  # likely at some steps, unlikely at others
                value[model.config.pad_token_id] *= shape.pad_row
        for layer in model.model.decoder.layers:  # subwords attend to themselves most
            attention = layer.self_attn
            attention.k_proj.weight.mul_(0.4).add_(attention.q_proj.weight, alpha=0.9)
        normal(model.final_logits_bias, shape.bias)


def make(folder, shape, spm):
    """Writes the folder; `spm`: where source.spm and target.spm are."""
    folder.mkdir()
    for name in ("source.spm", "target.spm"):
        (folder / name).write_bytes((spm / name).read_bytes())
    pieces = [marian_folders.pieces_of(folder / name) for name in ("source.spm", "target.spm")]
    source, target = vocabularies(shape, *pieces, random.Random(shape.seed))
    marian_folders.save_tokenizer(folder, source, target)
    model = marian_folders.MarianMTModel(marian_folders.configuration(source, target, **shape.config()))
    randomise(model, shape)
    marian_folders.save_model(folder, model.eval(), shape.pickled, bool(shape.positions), shape.dtype)
