"""The Transformer of our configuration as a strong PyTorch user writes it: joint projections, fused attention."""

import dataclasses
import math

import torch
from torch import nn
from torch.nn import functional

REQUIRED = {  # what this model can be; anything else would not be the same work
    "layer_norm": "torch",
    "embedding_scale": True,
    "positions": "sinusoidal",
    "activation": "relu",
    "tie_embeddings": "all",
    "attention_dropout": 0,
    "activation_dropout": 0,
}


@dataclasses.dataclass(frozen=True)
class Shape:
    """The sizes of a model, from the `model` object of a configuration."""

    d_model: int
    encoder_layers: int
    decoder_layers: int
    num_heads: int
    d_ff: int
    dropout: float
    norm: str
    layer_norm_epsilon: float
    attention_bias: bool
    vocabulary: int

    @classmethod
    def of(cls, options, vocabulary):
        for key, value in REQUIRED.items():
            if options[key] != value:
                raise SystemExit(f"model.{key} is {options[key]!r}; the PyTorch loop knows only {value!r}")
        names = {field.name for field in dataclasses.fields(cls)} - {"vocabulary"}
        return cls(vocabulary=vocabulary, **{name: options[name] for name in names})


class Attention(nn.Module):
    """Multi-head attention; `heads` splits, `attend` does the rest."""

    def __init__(self, shape, queries):
        super().__init__()
        d_model = shape.d_model
        self.num_heads = shape.num_heads
        self.parts = queries  # 3: queries, keys and values of one input; 1: queries alone
        self.joint = nn.Linear(d_model, queries * d_model, bias=shape.attention_bias)
        self.out = nn.Linear(d_model, d_model, bias=shape.attention_bias)

    def heads(self, x, parts):
        """(batch, length, parts * d_model) -> `parts` views (batch, heads, length, d_k)"""
        return x.view(x.size(0), x.size(1), parts, self.num_heads, -1).permute(2, 0, 3, 1, 4).unbind(0)

    def attend(self, query, key, value, bias, causal):
        mask = None if bias is None else bias.to(query.dtype)
        x = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask, is_causal=causal)
        return x.transpose(1, 2).flatten(2)  # (batch, length, d_model)


class FeedForward(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.linear_1 = nn.Linear(shape.d_model, shape.d_ff)
        self.linear_2 = nn.Linear(shape.d_ff, shape.d_model)

    def forward(self, x):
        return self.linear_2(functional.relu(self.linear_1(x)))


class EncoderLayer(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.self_attention = Attention(shape, 3)
        self.feed_forward = FeedForward(shape)
        self.norms = nn.ModuleList(nn.LayerNorm(shape.d_model, shape.layer_norm_epsilon) for _ in range(2))

    def forward(self, x, rows, bias, residual):
        def attention(y):
            query, key, value = self.self_attention.heads(rows.padded(self.self_attention.joint(y)), 3)
            return self.self_attention.out(rows.packed(self.self_attention.attend(query, key, value, bias, False)))

        x = residual(x, self.norms[0], attention)
        return residual(x, self.norms[1], self.feed_forward)


class DecoderLayer(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.self_attention = Attention(shape, 3)
        self.cross_attention = Attention(shape, 1)
        self.feed_forward = FeedForward(shape)
        self.norms = nn.ModuleList(nn.LayerNorm(shape.d_model, shape.layer_norm_epsilon) for _ in range(3))

    def forward(self, x, rows, memory, bias, residual):
        # Padding stands at the end: what is causal sees none of it from a real position.
        def attention(y):
            query, key, value = self.self_attention.heads(rows.padded(self.self_attention.joint(y)), 3)
            return self.self_attention.out(rows.packed(self.self_attention.attend(query, key, value, None, True)))

        def cross(y):
            (query,) = self.cross_attention.heads(rows.padded(self.cross_attention.joint(y)), 1)
            return self.cross_attention.out(rows.packed(self.cross_attention.attend(query, *memory, bias, False)))

        x = residual(x, self.norms[0], attention)
        x = residual(x, self.norms[1], cross)
        return residual(x, self.norms[2], self.feed_forward)


def position_table(length, d_model):
    rates = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
    angles = torch.arange(length)[:, None] * rates
    return torch.stack((angles.sin(), angles.cos()), dim=2).view(length, d_model)


class Transformer(nn.Module):
    """features(batch): the decoder's output at the real labels. One embedding table serves both sides and projects."""

    LONGEST = 512

    def __init__(self, shape, dropout, make_rows, stream=torch.float32):
        super().__init__()
        self.shape = shape
        self.dropout = dropout
        self.make_rows = make_rows
        self.stream = stream  # the type of what runs along the residual connections
        self.embedding = nn.Embedding(shape.vocabulary, shape.d_model)
        self.projection_bias = nn.Parameter(torch.empty(shape.vocabulary))
        self.encoder = nn.ModuleList(EncoderLayer(shape) for _ in range(shape.encoder_layers))
        self.decoder = nn.ModuleList(DecoderLayer(shape) for _ in range(shape.decoder_layers))
        width = shape.decoder_layers * 2 * shape.d_model
        self.memory = nn.Linear(shape.d_model, width, bias=shape.attention_bias)  # keys and values of all layers
        self.last_norms = nn.ModuleDict()
        if shape.norm == "pre":
            for side in ("encoder", "decoder"):
                self.last_norms[side] = nn.LayerNorm(shape.d_model, shape.layer_norm_epsilon)
        self.register_buffer("positions", position_table(self.LONGEST, shape.d_model), persistent=False)

    def residual(self, x, norm, sublayer):
        if self.shape.norm == "pre":
            return self.dropout.add(x, sublayer(norm(x)))
        return norm(self.dropout.add(x, sublayer(x)))

    def embed(self, batch):
        """Both sides by one look-up, whose gradient is then one table."""
        count = batch.source.numel()
        ids = torch.cat((batch.source.flatten(), batch.decoder_input.flatten()))
        vectors = self.embedding(ids) * math.sqrt(self.shape.d_model)
        return self.placed(batch.source, vectors[:count]), self.placed(batch.decoder_input, vectors[count:])

    def placed(self, ids, vectors):
        """Adds positions: (batch, length, d_model)"""
        return vectors.view(*ids.shape, -1) + self.positions[: ids.size(1)]

    def features(self, batch):
        source_rows, target_rows = self.make_rows(batch)
        source, target = self.embed(batch)
        x = self.dropout(source_rows.packed(source)).to(self.stream)
        for layer in self.encoder:
            x = layer(x, source_rows, batch.source_bias, self.residual)
        x = self.last_norms["encoder"](x) if self.last_norms else x
        memory = self.decoder[0].cross_attention.heads(source_rows.padded(self.memory(x)), 2 * len(self.decoder))
        x = self.dropout(target_rows.packed(target)).to(self.stream)
        for i, layer in enumerate(self.decoder):
            x = layer(x, target_rows, memory[2 * i : 2 * i + 2], batch.source_bias, self.residual)
        x = self.last_norms["decoder"](x) if self.last_norms else x
        return target_rows.real(x)  # (N, d_model)
