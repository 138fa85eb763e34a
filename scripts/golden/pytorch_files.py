"""The PyTorch files of tests/golden/pytorch: what users of the PyTorch reference have on their disks, in small."""

import dataclasses
import io
import json
import math
import os

import torch
from torch import nn

import model as yardstick
from cases import PAD, Case, draw_batch, uniform
from model import ModelOptions, Transformer
from storage import safetensors_bytes

SMALL = ModelOptions(d_model=8, encoder_layers=1, decoder_layers=1, d_ff=12, max_positions=16)
PRECISION_LIMIT = 2e-6  # float32 logits from float64 ones, norm of the difference over the norm
ADAM_STEPS = 3


class PositionBuffer(nn.Module):
    """The reference's positions: a table made once in float32 and kept in the state_dict as the buffer `pe`."""

    def __init__(self, options):
        super().__init__()
        position = torch.arange(options.max_positions, dtype=torch.float32).unsqueeze(1)
        rates = torch.exp(torch.arange(0, options.d_model, 2).float() * (-math.log(10000.0) / options.d_model))
        table = torch.zeros(1, options.max_positions, options.d_model)
        table[0, :, 0::2] = torch.sin(position * rates)
        table[0, :, 1::2] = torch.cos(position * rates)
        self.register_buffer("pe", table)

    def forward(self, x):
        return x + self.pe[:, : x.size(1)]


class OlderDecoderBlock(yardstick.DecoderBlock):
    """The cross attention under the name it had."""

    def __init__(self, options):
        super().__init__(options)
        self.source_attention_block = self.cross_attention_block
        del self.cross_attention_block

    def forward(self, x, encoder_output, src_mask, tgt_mask):
        x = self.residual_connections[0](x, lambda y: self.self_attention_block(y, y, tgt_mask))
        x = self.residual_connections[1](x, lambda y: self.source_attention_block(y, encoder_output, src_mask))
        return self.residual_connections[2](x, self.feed_forward_block)


def initialise(module, seed):
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            if name.endswith("alpha"):
                parameter.copy_(1 + uniform(generator, parameter.shape, 0.25))
            elif name.endswith("bias"):
                parameter.copy_(uniform(generator, parameter.shape, 0.2))
            else:
                parameter.copy_(uniform(generator, parameter.shape, 1.2 * parameter.size(1) ** -0.5))


def build(case):
    """A model of today's layout; sinusoidal positions are a buffer."""
    model = Transformer(case.options, case.source_vocab_size, case.target_vocab_size, PAD)
    if case.options.positions == "sinusoidal":
        model.src_pos, model.tgt_pos = PositionBuffer(case.options), PositionBuffer(case.options)
    initialise(model, case.seed)
    return model


def build_older(case):
    """Attention with biases, norms of one element, another name for the cross attention."""
    model = Transformer(case.options, case.source_vocab_size, case.target_vocab_size, PAD)
    model.src_pos, model.tgt_pos = PositionBuffer(case.options), PositionBuffer(case.options)
    model.decoder.layers = nn.ModuleList(OlderDecoderBlock(case.options) for _ in model.decoder.layers)
    for module in list(model.modules()):
        if isinstance(module, yardstick.LayerNormalization):
            module.alpha, module.bias = nn.Parameter(torch.ones(1)), nn.Parameter(torch.zeros(1))
    initialise(model, case.seed)
    return model


def saved(value, **options):
    stream = io.BytesIO()
    torch.save(value, stream, **options)
    return stream.getvalue()


def logits_of(model, case):
    """(logits in float32, objections): float64 must give the same."""
    encoder_input, decoder_input, _ = draw_batch(case)
    with torch.no_grad():
        logits = model(encoder_input, decoder_input)
        exact = model.double()(encoder_input, decoder_input)
    model.float()
    distance = ((logits - exact).norm() / exact.norm()).item()
    return logits, [] if distance <= PRECISION_LIMIT else [f"float32 is {distance:.1e} from float64"]


def expected(model, case, left_out=()):
    """(bytes of the file of expected values, objections). `left_out`: options that the weights tell by themselves."""
    encoder_input, decoder_input, _ = draw_batch(case)
    logits, objections = logits_of(model, case)
    tensors = {"encoder_input": encoder_input, "decoder_input": decoder_input, "logits": logits}
    tensors |= {f"parameter.{name}": value.detach() for name, value in model.named_parameters()}
    options = {key: value for key, value in case.options.to_json().items() if key not in left_out}
    metadata = {
        "format": "translate-golden-pytorch-1",
        "model": json.dumps(options),
        "source_vocab_size": json.dumps(case.source_vocab_size),
        "target_vocab_size": json.dumps(case.target_vocab_size),
        "pad": json.dumps(PAD),
    }
    return safetensors_bytes(tensors, metadata), objections


def trained_checkpoint(model, case):
    """The reference's checkpoint after a few steps of Adam."""
    encoder_input, decoder_input, label = draw_batch(case)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4, eps=1e-9)
    for _ in range(ADAM_STEPS):
        optimizer.zero_grad()
        logits = model(encoder_input, decoder_input)
        nn.functional.cross_entropy(logits.flatten(0, 1), label.flatten(), ignore_index=PAD).backward()
        optimizer.step()
    return {
        "epoch": 1,
        "model_state_dict": model.state_dict(),
        "optimizer_state_dict": optimizer.state_dict(),
        "global_step": ADAM_STEPS,
    }


def in_short_floats(model):
    """Rounds the encoder to float16, the decoder to bfloat16; the projection becomes float64. Returns the state_dict."""
    model.encoder.half(), model.src_pos.half(), model.decoder.bfloat16(), model.projection_layer.double()
    state = {name: value.clone() for name, value in model.state_dict().items()}
    model.float()
    for positions in (model.src_pos, model.tgt_pos):  # what is tested is the weights' rounding
        positions.pe = PositionBuffer(SMALL).pe
    return state


def views():
    """Tensors of every type and layout."""
    base = torch.arange(24, dtype=torch.float32).reshape(4, 6) / 8
    shared = torch.arange(10, dtype=torch.int64)
    types = (torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16, torch.int8)
    tensors = {str(dtype)[6:]: torch.tensor([-3, 0, 1, 100, 7], dtype=dtype) for dtype in types}
    return tensors | {
        "uint8": torch.tensor([[255], [0]], dtype=torch.uint8),
        "bool": torch.tensor([True, False, True]),
        "whole": base,
        "transposed": base.t(),
        "column": base[:, 2],
        "part": base[1:3, 1:6:2],
        "expanded": base[0].expand(3, 6),
        "scalar": base[3, 5],
        "empty": torch.zeros(0, 3),
        "parameter": nn.Parameter(torch.tensor([1.5, -2.5])),
        "first_half": shared[:5],
        "second_half": shared[5:],
    }


def views_expected():
    """The same as plain tensors of float32 or int64, which hold all these values exactly."""
    plain = {}
    for name, tensor in views().items():
        dtype = torch.float32 if tensor.is_floating_point() else torch.int64
        plain[name] = tensor.detach().to(dtype).clone(memory_format=torch.contiguous_format)
    return safetensors_bytes(plain, {"format": "translate-golden-pytorch-1"})


class Command:
    """What a hostile file holds: a command that an unpickler runs (this one does nothing)."""

    def __reduce__(self):
        return os.system, ("true",)


def model_files():
    """Yields (file name, bytes, objections) of the models and of their expected values."""
    case = Case("state_dict", 14, SMALL, 11, 13)
    model = build(case)
    content, objections = expected(model, case)
    yield "state_dict.pt", saved(model.state_dict()), objections
    yield "state_dict.safetensors", content, objections

    case = Case("checkpoint", 15, dataclasses.replace(SMALL, tie_embeddings="decoder", norm="post"), 12, 9)
    model = build(case)
    checkpoint = saved(trained_checkpoint(model, case))
    content, objections = expected(model, case)
    yield "checkpoint.pt", checkpoint, objections
    yield "checkpoint.safetensors", content, objections

    case = Case("older", 16, dataclasses.replace(SMALL, attention_bias=True, decoder_layers=2), 10, 12)
    model = build_older(case)
    content, objections = expected(model, case, left_out=("attention_bias",))
    yield "older.pt", saved({"epoch": 0, "model_state_dict": model.state_dict(), "global_step": 40}), objections
    yield "older.safetensors", content, objections

    learned = dataclasses.replace(SMALL, tie_embeddings="all", positions="learned", layer_norm="torch")
    case = Case("wrapped", 17, learned, 12, 12)
    model = build(case)
    content, objections = expected(model, case)
    yield "wrapped.pt", saved({"state_dict": nn.DataParallel(model).state_dict(), "epoch": 3}), objections
    yield "wrapped.safetensors", content, objections

    case = Case("short_floats", 18, SMALL, 9, 10)
    model = build(case)
    state = in_short_floats(model)
    content, objections = expected(model, case)
    yield "short_floats.pt", saved(state), objections
    yield "short_floats.safetensors", content, objections


def make_files():
    """Yields (file name, bytes, objections) of all files."""
    yield from model_files()
    yield "views.pt", saved(views()), []
    yield "views_protocol_5.pt", saved(views(), pickle_protocol=5), []
    yield "views.safetensors", views_expected(), []
    module = yardstick.ProjectionLayer(SMALL, 3)
    initialise(module, 19)
    yield "whole_module.pt", saved(module), []
    yield "legacy.pt", saved(module.state_dict(), _use_new_zipfile_serialization=False), []
    yield "command.pt", saved({"model_state_dict": module.state_dict(), "epoch": Command()}), []
