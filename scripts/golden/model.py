"""An encoder-decoder Transformer in PyTorch, the yardstick of the golden files.

It is written for comparison, not for speed: no dropout, no cache, every formula spelled out. Modules and parameters
carry the names of the well-known PyTorch reference implementation, and are registered in its order.
"""

import dataclasses
import math

import torch
from torch import nn
from torch.nn import functional

MASKED_SCORE = -1e9  # any value whose softmax is exactly 0


@dataclasses.dataclass(frozen=True)
class ModelOptions:
    """The `model` object of a configuration: the same keys, the same meaning."""

    d_model: int = 16
    encoder_layers: int = 2
    decoder_layers: int = 2
    num_heads: int = 2
    d_ff: int = 32
    dropout: float = 0.0
    norm: str = "pre"
    layer_norm: str = "reference"
    layer_norm_epsilon: float = 1e-6
    embedding_scale: bool = True
    positions: str = "sinusoidal"
    activation: str = "relu"
    tie_embeddings: str = "none"
    attention_bias: bool = False
    max_positions: int = 64
    decoder: str = "transformer"
    zero_start: bool = False

    def to_json(self):
        """The object, without the keys that older files do not have where they are as by default."""
        later = {"decoder": "transformer", "zero_start": False}
        return {key: value for key, value in dataclasses.asdict(self).items() if later.get(key) != value}


class InputEmbeddings(nn.Module):
    """ids (batch, seq_len) -> embedding, times the root of d_model where `embedding_scale` says so; 0 for `zero_id`."""

    def __init__(self, options, vocab_size, zero_id=-1):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, options.d_model)
        self.scale = math.sqrt(options.d_model) if options.embedding_scale else 1.0
        self.zero_id = zero_id

    def forward(self, ids):
        x = self.embedding(ids) * self.scale  # (batch, seq_len, d_model)
        return x.masked_fill((ids == self.zero_id).unsqueeze(-1), 0.0)


class SinusoidalPositions(nn.Module):
    """pe[pos, 2i] = sin(pos * 10000^(-2i / d_model)), pe[pos, 2i + 1] = cos(same); defined for every position."""

    def __init__(self, options):
        super().__init__()
        self.rates = [10000.0 ** (-2.0 * i / options.d_model) for i in range(options.d_model // 2)]

    def forward(self, x):
        table = [[f(pos * rate) for rate in self.rates for f in (math.sin, math.cos)] for pos in range(x.size(1))]
        return x + torch.tensor(table, dtype=torch.float64).to(x.dtype)


class LearnedPositions(nn.Module):
    """x plus one learned row for each position."""

    def __init__(self, options):
        super().__init__()
        self.embedding = nn.Embedding(options.max_positions, options.d_model)

    def forward(self, x):
        return x + self.embedding.weight[: x.size(1)]


def make_positions(options):
    kinds = {"sinusoidal": SinusoidalPositions, "learned": LearnedPositions, "none": lambda _: nn.Identity()}
    return kinds[options.positions](options)


class LayerNormalization(nn.Module):
    """`torch`: (x - mean) / sqrt(biased variance + eps); `reference`: (x - mean) / (unbiased deviation + eps); `rms`:
    torch.nn.RMSNorm."""

    def __init__(self, options):
        super().__init__()
        self.kind = options.layer_norm
        self.epsilon = options.layer_norm_epsilon
        self.alpha = nn.Parameter(torch.ones(options.d_model))
        if self.kind != "rms":
            self.bias = nn.Parameter(torch.zeros(options.d_model))

    def forward(self, x):
        if self.kind == "rms":
            return functional.rms_norm(x, self.alpha.shape, self.alpha, self.epsilon)
        if self.kind == "torch":
            return functional.layer_norm(x, self.alpha.shape, self.alpha, self.bias, self.epsilon)
        mean = x.mean(dim=-1, keepdim=True)
        deviation = x.std(dim=-1, keepdim=True)
        return self.alpha * (x - mean) / (deviation + self.epsilon) + self.bias


class FeedForwardBlock(nn.Module):
    ACTIVATIONS = {"relu": functional.relu, "gelu": functional.gelu, "swish": functional.silu}

    def __init__(self, options):
        super().__init__()
        self.linear_1 = nn.Linear(options.d_model, options.d_ff)
        self.linear_2 = nn.Linear(options.d_ff, options.d_model)
        self.activation = self.ACTIVATIONS[options.activation]

    def forward(self, x):
        return self.linear_2(self.activation(self.linear_1(x)))


class MultiHeadAttentionBlock(nn.Module):
    """softmax(Q K^T / sqrt(d_k)) V in each head; the mask is boolean, true = may attend."""

    def __init__(self, options):
        super().__init__()
        self.num_heads = options.num_heads
        self.d_k = options.d_model // options.num_heads
        self.w_q, self.w_k, self.w_v, self.w_o = (
            nn.Linear(options.d_model, options.d_model, bias=options.attention_bias) for _ in range(4)
        )

    def split(self, x):
        # (batch, seq_len, d_model) -> (batch, h, seq_len, d_k)
        return x.view(x.size(0), x.size(1), self.num_heads, self.d_k).transpose(1, 2)

    def forward(self, query, key_value, mask):
        q, k, v = self.split(self.w_q(query)), self.split(self.w_k(key_value)), self.split(self.w_v(key_value))
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d_k)  # (batch, h, query, key)
        weights = scores.masked_fill(~mask, MASKED_SCORE).softmax(dim=-1)
        joined = (weights @ v).transpose(1, 2).flatten(2)  # (batch, query, d_model)
        return self.w_o(joined)


class RecurrentUnit(nn.Module):
    """The simpler simple recurrent unit (Kim et al. 2019), one position after the other: g = sigmoid(w_f(x)),
    c_t = g c_(t-1) + (1 - g) w(x), output relu(c_t); no bias in w, c before the first position 0."""

    def __init__(self, options):
        super().__init__()
        self.w = nn.Linear(options.d_model, options.d_model, bias=False)
        self.w_f = nn.Linear(options.d_model, options.d_model)

    def forward(self, x):
        candidate, gate = self.w(x), torch.sigmoid(self.w_f(x))  # (batch, seq_len, d_model)
        state = torch.zeros_like(candidate[:, 0])
        outputs = []
        for g, u in zip(gate.unbind(1), candidate.unbind(1)):
            state = g * state + (1 - g) * u
            outputs.append(torch.relu(state))
        return torch.stack(outputs, dim=1)


class ResidualConnection(nn.Module):
    """pre: x + sublayer(norm(x)); post: norm(x + sublayer(x))."""

    def __init__(self, options):
        super().__init__()
        self.pre = options.norm == "pre"
        self.norm = LayerNormalization(options)

    def forward(self, x, sublayer):
        return x + sublayer(self.norm(x)) if self.pre else self.norm(x + sublayer(x))


class EncoderBlock(nn.Module):
    def __init__(self, options):
        super().__init__()
        self.self_attention_block = MultiHeadAttentionBlock(options)
        self.feed_forward_block = FeedForwardBlock(options)
        self.residual_connections = nn.ModuleList(ResidualConnection(options) for _ in range(2))

    def forward(self, x, src_mask):
        x = self.residual_connections[0](x, lambda y: self.self_attention_block(y, y, src_mask))
        return self.residual_connections[1](x, self.feed_forward_block)


class DecoderBlock(nn.Module):
    def __init__(self, options):
        super().__init__()
        self.is_recurrent = options.decoder == "ssru"
        if self.is_recurrent:
            self.recurrent_unit = RecurrentUnit(options)
        else:
            self.self_attention_block = MultiHeadAttentionBlock(options)
        self.cross_attention_block = MultiHeadAttentionBlock(options)
        self.feed_forward_block = FeedForwardBlock(options)
        self.residual_connections = nn.ModuleList(ResidualConnection(options) for _ in range(3))

    def forward(self, x, encoder_output, src_mask, tgt_mask):
        if self.is_recurrent:
            x = self.residual_connections[0](x, self.recurrent_unit)
        else:
            x = self.residual_connections[0](x, lambda y: self.self_attention_block(y, y, tgt_mask))
        x = self.residual_connections[1](x, lambda y: self.cross_attention_block(y, encoder_output, src_mask))
        return self.residual_connections[2](x, self.feed_forward_block)


class Stack(nn.Module):
    """`layers`, then with pre-norm a last `norm` (post-norm ends in one anyway)."""

    def __init__(self, options, block, count):
        super().__init__()
        self.layers = nn.ModuleList(block(options) for _ in range(count))
        if options.norm == "pre":
            self.norm = LayerNormalization(options)

    def forward(self, x, *context):
        for layer in self.layers:
            x = layer(x, *context)
        return self.norm(x) if hasattr(self, "norm") else x


class ProjectionLayer(nn.Module):
    def __init__(self, options, vocab_size):
        super().__init__()
        self.proj = nn.Linear(options.d_model, vocab_size)

    def forward(self, x):
        return self.proj(x)


class Transformer(nn.Module):
    """ids in, logits out; both masks are made from the ids."""

    def __init__(self, options, source_vocab_size, target_vocab_size, pad, sos=1):
        super().__init__()
        self.pad = pad
        self.encoder = Stack(options, EncoderBlock, options.encoder_layers)
        self.decoder = Stack(options, DecoderBlock, options.decoder_layers)
        self.src_embed = InputEmbeddings(options, source_vocab_size)
        self.tgt_embed = InputEmbeddings(options, target_vocab_size, sos if options.zero_start else -1)
        self.src_pos = make_positions(options)
        self.tgt_pos = make_positions(options)
        self.projection_layer = ProjectionLayer(options, target_vocab_size)
        if options.tie_embeddings == "all":
            self.tgt_embed.embedding.weight = self.src_embed.embedding.weight
        if options.tie_embeddings != "none":
            self.projection_layer.proj.weight = self.tgt_embed.embedding.weight

    def source_mask(self, src):
        return (src != self.pad)[:, None, None, :]  # (batch, 1, 1, source)

    def target_mask(self, tgt):
        causal = torch.ones(tgt.size(1), tgt.size(1), dtype=torch.bool).tril()
        return (tgt != self.pad)[:, None, None, :] & causal  # (batch, 1, target, target)

    def encode(self, src):
        return self.encoder(self.src_pos(self.src_embed(src)), self.source_mask(src))

    def decode(self, encoder_output, src, tgt):
        x = self.tgt_pos(self.tgt_embed(tgt))
        return self.decoder(x, encoder_output, self.source_mask(src), self.target_mask(tgt))

    def forward(self, src, tgt):
        return self.projection_layer(self.decode(self.encode(src), src, tgt))
