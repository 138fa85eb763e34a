"""One of our checkpoints as a model of CTranslate2, by the converter API of its Python package."""

import json
import math
import pathlib

import numpy as np
import sentencepiece
from ctranslate2.converters import Converter
from ctranslate2.specs import TransformerSpec
from ctranslate2.specs.common_spec import Activation
from safetensors.numpy import load_file

ACTIVATIONS = {"relu": Activation.RELU, "gelu": Activation.GELU, "swish": Activation.SWISH}
LEAST_POSITIONS = 2048  # of the sinusoidal table: ours goes on past any length, CTranslate2's tables do not


class CannotConvert(RuntimeError):
    """CTranslate2 has no such model, or this converter does not know how to say it."""


def sinusoidal_positions(length, width):
    """(length, width): sine and cosine in turn, as ours."""
    rate = np.exp(np.arange(0, width, 2, dtype=np.float32) * np.float32(-math.log(10000.0) / width))
    angle = np.arange(length, dtype=np.float32)[:, None] * rate
    return np.stack([np.sin(angle), np.cos(angle)], axis=2).reshape(length, width)


def special_pieces(tokenizer):
    """The pieces of a SentencePiece model that stand for something else than text, by what they are for."""
    ids = {"unk": tokenizer.unk_id(), "sos": tokenizer.bos_id(), "eos": tokenizer.eos_id(), "pad": tokenizer.pad_id()}
    return {kind: tokenizer.id_to_piece(id) for kind, id in ids.items()}


def load_tokenizer(checkpoint, side):
    file = pathlib.Path(checkpoint) / f"{side}.spm"
    if not file.is_file():
        raise CannotConvert(f"{file} is not there: only models with SentencePiece tokenizers are compared")
    return sentencepiece.SentencePieceProcessor(model_file=str(file))


def refuse_what_cannot_be_said(options, source, target):
    """Raises CannotConvert for models that would compute something else there."""
    if options["layer_norm"] != "torch":
        raise CannotConvert(
            f"model.layer_norm is {options['layer_norm']}: CTranslate2 normalises by the biased variance with the "
            'epsilon inside the root, which is "torch"'
        )
    if options["positions"] == "none":
        raise CannotConvert("model.positions is none: CTranslate2 has no such encoder")
    if options["activation"] not in ACTIVATIONS:
        raise CannotConvert(f"model.activation is {options['activation']}; known: {', '.join(ACTIVATIONS)}")
    if special_pieces(source) != special_pieces(target):
        raise CannotConvert("the special pieces of the two tokenizers differ: CTranslate2 has one set for both")


class Weights:
    """The weights by our names; which of them were not used is told in the end."""

    def __init__(self, file):
        self.tensors = load_file(file)
        self.left = set(self.tensors)

    def take_first(self, *names):
        """The tensor of the first name that there is: a tied weight is held once, under one of its names."""
        found = next((name for name in names if name in self.tensors), None)
        if found is None:
            raise CannotConvert(f"the checkpoint has no weight {' or '.join(names)}")
        self.left.discard(found)
        return self.tensors[found]

    def joined(self, modules, kind):
        """The weights or biases of some modules, one below the other; None where they have no such thing."""
        names = [f"{module}.{kind}" for module in modules]
        if names[0] not in self.tensors:
            return None
        parts = [self.take_first(name) for name in names]
        return np.concatenate(parts) if len(parts) > 1 else parts[0]


class OurConverter(Converter):
    """Converts a checkpoint folder. Nothing is left out silently: a weight without a place is an error."""

    def __init__(self, checkpoint):
        self.checkpoint = pathlib.Path(checkpoint)
        self.options = json.loads((self.checkpoint / "config.json").read_text(encoding="utf-8"))["model"]
        self.source, self.target = (load_tokenizer(self.checkpoint, side) for side in ("source", "target"))
        refuse_what_cannot_be_said(self.options, self.source, self.target)

    def _load(self):
        self.weights = Weights(self.checkpoint / "model.safetensors")
        options = self.options
        spec = TransformerSpec.from_config(
            (options["encoder_layers"], options["decoder_layers"]),
            options["num_heads"],
            pre_norm=options["norm"] == "pre",
            activation=ACTIVATIONS[options["activation"]],
        )
        self.set_embeddings(spec)
        for side, stack in (("encoder", spec.encoder), ("decoder", spec.decoder)):
            for index, layer in enumerate(stack.layer):
                self.set_layer(layer, f"{side}.layers.{index}", side == "decoder")
            if options["norm"] == "pre":
                self.set_norm(stack.layer_norm, f"{side}.norm")
        if self.weights.left:
            raise CannotConvert(f"no place for these weights: {', '.join(sorted(self.weights.left))}")
        self.set_vocabularies(spec)
        return spec

    def set_embeddings(self, spec):
        source, target, projection = "src_embed.embedding", "tgt_embed.embedding", "projection_layer.proj"
        spec.encoder.embeddings[0].weight = self.weights.take_first(f"{source}.weight")
        spec.decoder.embeddings.weight = self.weights.take_first(f"{target}.weight", f"{source}.weight")
        tied = f"{projection}.weight", f"{target}.weight", f"{source}.weight"
        spec.decoder.projection.weight = self.weights.take_first(*tied)
        spec.decoder.projection.bias = self.weights.take_first(f"{projection}.bias")
        for stack, side in ((spec.encoder, "src"), (spec.decoder, "tgt")):
            stack.scale_embeddings = self.options["embedding_scale"]
            stack.position_encodings.encodings = self.positions(side)

    def positions(self, side):
        if self.options["positions"] == "learned":
            return self.weights.take_first(f"{side}_pos.embedding.weight")
        return sinusoidal_positions(max(LEAST_POSITIONS, self.options["max_positions"]), self.options["d_model"])

    def set_layer(self, layer, name, crosses):
        """Of encoder or decoder: the attention blocks and the feed-forward block, each with its norm."""
        norms = [f"{name}.residual_connections.{i}.norm" for i in range(3)]
        own, cross = f"{name}.self_attention_block", f"{name}.cross_attention_block"
        self.set_attention(layer.self_attention, own, [("w_q", "w_k", "w_v"), ("w_o",)], norms[0])
        if crosses:
            self.set_attention(layer.attention, cross, [("w_q",), ("w_k", "w_v"), ("w_o",)], norms[1])
        self.set_linear(layer.ffn.linear_0, [f"{name}.feed_forward_block.linear_1"])
        self.set_linear(layer.ffn.linear_1, [f"{name}.feed_forward_block.linear_2"])
        self.set_norm(layer.ffn.layer_norm, norms[2 if crosses else 1])

    def set_attention(self, attention, name, products, norm):
        """`products`: the projections that are one product in CTranslate2."""
        for linear, parts in zip(attention.linear, products, strict=True):
            self.set_linear(linear, [f"{name}.{part}" for part in parts])
        self.set_norm(attention.layer_norm, norm)

    def set_linear(self, linear, modules):
        linear.weight = self.weights.joined(modules, "weight")
        bias = self.weights.joined(modules, "bias")
        if bias is not None:
            linear.bias = bias

    def set_norm(self, norm, name):
        norm.gamma = self.weights.take_first(f"{name}.alpha")
        norm.beta = self.weights.take_first(f"{name}.bias")

    def set_vocabularies(self, spec):
        for tokenizer, register in (
            (self.source, spec.register_source_vocabulary),
            (self.target, spec.register_target_vocabulary),
        ):
            register([tokenizer.id_to_piece(id) for id in range(len(tokenizer))])
        special = special_pieces(self.target)
        spec.config.unk_token = special["unk"]
        spec.config.bos_token = special["sos"]
        spec.config.eos_token = special["eos"]
        spec.config.decoder_start_token = special["sos"]
        spec.config.add_source_bos = True
        spec.config.add_source_eos = True
        spec.config.layer_norm_epsilon = self.options["layer_norm_epsilon"]
