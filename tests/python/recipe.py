"""The training recipe of tutorials on "coding a Transformer from scratch", in PyTorch: model, tokenizers and training as
they have them. The names of modules and parameters are those of the well-known reference implementation."""

import math

import torch
from torch import nn
from torch.nn import functional

SPECIAL_TOKENS = ["[UNK]", "[PAD]", "[SOS]", "[EOS]"]
UNK, PAD, SOS, EOS = range(4)
MASKED_SCORE = -1e9


class InputEmbeddings(nn.Module):
    def __init__(self, d_model, vocab_size):
        super().__init__()
        self.d_model = d_model
        self.embedding = nn.Embedding(vocab_size, d_model)

    def forward(self, x):
        return self.embedding(x) * math.sqrt(self.d_model)


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, seq_len, dropout):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        position = torch.arange(seq_len, dtype=torch.float64)[:, None]
        rate = 10000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
        table = torch.zeros(seq_len, d_model, dtype=torch.float64)
        table[:, 0::2] = torch.sin(position * rate)
        table[:, 1::2] = torch.cos(position * rate)
        self.register_buffer("pe", table.float()[None])

    def forward(self, x):
        return self.dropout(x + self.pe[:, : x.shape[1]])


class LayerNormalization(nn.Module):
    def __init__(self, features, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.alpha = nn.Parameter(torch.ones(features))
        self.bias = nn.Parameter(torch.zeros(features))

    def forward(self, x):
        mean, std = x.mean(dim=-1, keepdim=True), x.std(dim=-1, keepdim=True)
        return self.alpha * (x - mean) / (std + self.eps) + self.bias


class FeedForwardBlock(nn.Module):
    def __init__(self, d_model, d_ff, dropout):
        super().__init__()
        self.linear_1 = nn.Linear(d_model, d_ff)
        self.dropout = nn.Dropout(dropout)
        self.linear_2 = nn.Linear(d_ff, d_model)

    def forward(self, x):
        return self.linear_2(self.dropout(torch.relu(self.linear_1(x))))


class MultiHeadAttentionBlock(nn.Module):
    def __init__(self, d_model, h, dropout):
        super().__init__()
        self.h, self.d_k = h, d_model // h
        self.w_q, self.w_k, self.w_v, self.w_o = (nn.Linear(d_model, d_model, bias=False) for _ in range(4))
        self.dropout = nn.Dropout(dropout)

    def forward(self, q, k, v, mask):
        def split(x):
            return x.view(x.shape[0], x.shape[1], self.h, self.d_k).transpose(1, 2)

        query, key, value = split(self.w_q(q)), split(self.w_k(k)), split(self.w_v(v))
        scores = query @ key.transpose(-2, -1) / math.sqrt(self.d_k)
        weights = self.dropout(scores.masked_fill(~mask, MASKED_SCORE).softmax(dim=-1))
        joined = (weights @ value).transpose(1, 2).contiguous().view(q.shape)
        return self.w_o(joined)


class ResidualConnection(nn.Module):
    def __init__(self, features, dropout):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.norm = LayerNormalization(features)

    def forward(self, x, sublayer):
        return x + self.dropout(sublayer(self.norm(x)))


class EncoderBlock(nn.Module):
    def __init__(self, d_model, h, d_ff, dropout):
        super().__init__()
        self.self_attention_block = MultiHeadAttentionBlock(d_model, h, dropout)
        self.feed_forward_block = FeedForwardBlock(d_model, d_ff, dropout)
        self.residual_connections = nn.ModuleList(ResidualConnection(d_model, dropout) for _ in range(2))

    def forward(self, x, src_mask):
        x = self.residual_connections[0](x, lambda x: self.self_attention_block(x, x, x, src_mask))
        return self.residual_connections[1](x, self.feed_forward_block)


class DecoderBlock(nn.Module):
    def __init__(self, d_model, h, d_ff, dropout):
        super().__init__()
        self.self_attention_block = MultiHeadAttentionBlock(d_model, h, dropout)
        self.cross_attention_block = MultiHeadAttentionBlock(d_model, h, dropout)
        self.feed_forward_block = FeedForwardBlock(d_model, d_ff, dropout)
        self.residual_connections = nn.ModuleList(ResidualConnection(d_model, dropout) for _ in range(3))

    def forward(self, x, encoder_output, src_mask, tgt_mask):
        x = self.residual_connections[0](x, lambda x: self.self_attention_block(x, x, x, tgt_mask))
        x = self.residual_connections[1](
            x, lambda x: self.cross_attention_block(x, encoder_output, encoder_output, src_mask)
        )
        return self.residual_connections[2](x, self.feed_forward_block)


class Stack(nn.Module):
    """The reference's Encoder and Decoder, which differ by their layers alone."""

    def __init__(self, d_model, layers):
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.norm = LayerNormalization(d_model)

    def forward(self, x, *context):
        for layer in self.layers:
            x = layer(x, *context)
        return self.norm(x)


class ProjectionLayer(nn.Module):
    def __init__(self, d_model, vocab_size):
        super().__init__()
        self.proj = nn.Linear(d_model, vocab_size)

    def forward(self, x):
        return self.proj(x)


class Transformer(nn.Module):
    def __init__(self, vocab_sizes, seq_len, d_model, layers, h, d_ff, dropout):
        super().__init__()
        block = (d_model, h, d_ff, dropout)
        self.encoder = Stack(d_model, [EncoderBlock(*block) for _ in range(layers)])
        self.decoder = Stack(d_model, [DecoderBlock(*block) for _ in range(layers)])
        self.src_embed, self.tgt_embed = (InputEmbeddings(d_model, size) for size in vocab_sizes)
        self.src_pos, self.tgt_pos = (PositionalEncoding(d_model, seq_len, dropout) for _ in range(2))
        self.projection_layer = ProjectionLayer(d_model, vocab_sizes[1])
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.xavier_uniform_(parameter)

    def forward(self, src, tgt):
        """Logits (batch, length, vocabulary) of ids (batch, length)."""
        src_mask = (src != PAD)[:, None, None, :]
        tgt_mask = (tgt != PAD)[:, None, None, :] & causal_mask(tgt.shape[1])
        encoder_output = self.encoder(self.src_pos(self.src_embed(src)), src_mask)
        output = self.decoder(self.tgt_pos(self.tgt_embed(tgt)), encoder_output, src_mask, tgt_mask)
        return self.projection_layer(output)


def causal_mask(size):
    return torch.ones(1, size, size, dtype=torch.bool).tril()


def build_tokenizer(lines, path):
    """The tokenizer of the package, saved as the tutorials do it."""
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace
    from tokenizers.trainers import WordLevelTrainer

    tokenizer = Tokenizer(WordLevel(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    trainer = WordLevelTrainer(special_tokens=SPECIAL_TOKENS, min_frequency=2, show_progress=False)
    tokenizer.train_from_iterator(lines, trainer=trainer)
    tokenizer.save(str(path))
    return tokenizer


def padded(rows, seq_len):
    return torch.tensor([row + [PAD] * (seq_len - len(row)) for row in rows])


def train_batch(model, optimizer, pairs, seq_len):
    """One step on pairs of ids; returns the loss: smoothed cross entropy, the mean over all labels but padding."""
    encoder_input = padded([[SOS, *source, EOS] for source, _ in pairs], seq_len)
    decoder_input = padded([[SOS, *target] for _, target in pairs], seq_len)
    label = padded([[*target, EOS] for _, target in pairs], seq_len)
    logits = model(encoder_input, decoder_input)
    loss = functional.cross_entropy(
        logits.view(-1, logits.shape[-1]), label.view(-1), ignore_index=PAD, label_smoothing=0.1
    )
    loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return loss.item()
