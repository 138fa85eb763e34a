"""The steps of exercises in docs/examples as PyTorch computes them, from the modules of model.py and PyTorch's own
functions. A step has the name that the program gives it; those that say nothing new are left out."""

import math

import torch
from torch.nn import functional

from model import EncoderBlock, FeedForwardBlock, LayerNormalization, ModelOptions, SinusoidalPositions


def matrix(example, key):
    return torch.tensor(example[key], dtype=torch.float32)


def vector(example, key, columns, otherwise):
    return torch.tensor(example.get(key, [otherwise] * columns), dtype=torch.float32)


def projections(example, x):
    """The matrices of queries, keys and values as the file writes them, x W; the identity where it has none."""
    found = {}
    for part in "qkv":
        key = f"W_{part}" if f"W_{part}" in example else "W"
        found[part] = matrix(example, key) if key in example else torch.eye(x.size(1))
    return found


def mask_of(example, queries, keys):
    """True = may attend; None without a mask."""
    if example.get("mask") == "causal":
        return torch.ones(queries, keys, dtype=torch.bool).tril()
    return matrix(example, "mask").bool() if "mask" in example else None


def attention(example):
    if "Q" in example:
        q = matrix(example, "Q")
        k = matrix(example, "K") if "K" in example else q
        v = matrix(example, "V") if "V" in example else k
    else:
        x = matrix(example, "X")
        z = matrix(example, "Z") if "Z" in example else x
        w = projections(example, x)
        q, k, v = x @ w["q"], z @ w["k"], z @ w["v"]
    heads = example.get("heads", 1)
    d_k = example.get("d_k", q.size(1) // heads)

    def split(rows):
        return rows.view(rows.size(0), heads, -1).transpose(0, 1)  # (heads, rows, columns)

    output = functional.scaled_dot_product_attention(split(q), split(k), split(v), mask_of(example, q.size(0), k.size(0)),
                                                     scale=1 / math.sqrt(d_k))
    output = output.transpose(0, 1).flatten(1)
    steps = {name: rows for name, rows in (("Q", q), ("K", k), ("V", v)) if name in example or "X" in example}
    if heads > 1:
        steps["joined"] = output
    return steps | {"output": output @ matrix(example, "W_o") if "W_o" in example else output}


def positions(example):
    options = ModelOptions(d_model=example["d_model"])
    zeros = torch.zeros(1, max(example["positions"]) + 1, options.d_model)
    encoding = SinusoidalPositions(options)(zeros)[0][example["positions"]]
    return {"encoding": encoding} | ({"output": matrix(example, "X") + encoding} if "X" in example else {})


def norm_of(example, suffix, options):
    norm = LayerNormalization(options)
    norm.alpha.copy_(vector(example, f"alpha{suffix}", options.d_model, 1.0))
    if options.layer_norm != "rms":
        norm.bias.copy_(vector(example, f"bias{suffix}", options.d_model, 0.0))
    return norm


def options_of(example, d_model):
    return ModelOptions(d_model=d_model, num_heads=example.get("heads", 1), norm=example.get("norm", "pre"),
                        layer_norm=example.get("layer_norm", "reference"),
                        layer_norm_epsilon=example.get("epsilon", 1e-6), activation=example.get("activation", "relu"),
                        d_ff=len(example["W_1"][0]) if "W_1" in example else 1)


def layer_norm(example):
    x = matrix(example, "X")
    options = options_of(example, x.size(1))
    mean = {"mean": x.mean(-1, keepdim=True)}
    figures = {"reference": mean | {"deviation": x.std(-1, keepdim=True)},
               "torch": mean | {"variance": x.var(-1, False, keepdim=True)},
               "rms": {"square": x.square().mean(-1, keepdim=True)}}
    return figures[options.layer_norm] | {"normalised": LayerNormalization(options)(x),
                                          "output": norm_of(example, "", options)(x)}


def set_feed_forward(block, example, options):
    block.linear_1.weight.copy_(matrix(example, "W_1").T)
    block.linear_1.bias.copy_(vector(example, "b_1", options.d_ff, 0.0))
    block.linear_2.weight.copy_(matrix(example, "W_2").T)
    block.linear_2.bias.copy_(vector(example, "b_2", options.d_model, 0.0))


def feed_forward(example):
    x = matrix(example, "X")
    options = options_of(example, x.size(1))
    block = FeedForwardBlock(options)
    set_feed_forward(block, example, options)
    return {"linear_1": block.linear_1(x), "inner": block.activation(block.linear_1(x)), "output": block(x)}


def encoder_block(example):
    x = matrix(example, "X")
    options = options_of(example, x.size(1))
    block = EncoderBlock(options)
    for part, weight in projections(example, x).items():
        getattr(block.self_attention_block, f"w_{part}").weight.copy_(weight.T)
    block.self_attention_block.w_o.weight.copy_(matrix(example, "W_o").T if "W_o" in example else torch.eye(x.size(1)))
    set_feed_forward(block.feed_forward_block, example, options)
    for i in (0, 1):
        block.residual_connections[i].norm = norm_of(example, f"_{i + 1}", options)

    steps = {}

    def record(name, change=lambda value: value):
        def hook(_module, _input, output):
            steps[name] = change(output)[0]
        return hook

    def split(value):
        heads = block.self_attention_block.split(value)
        return heads if options.num_heads > 1 else heads[0]

    for part, name in (("w_q", "query"), ("w_k", "key"), ("w_v", "value")):
        getattr(block.self_attention_block, part).register_forward_hook(record(f"self_attention_block.{name}", split))
    block.self_attention_block.register_forward_hook(record("self_attention_block.output"))
    block.feed_forward_block.register_forward_hook(record("feed_forward_block.output"))
    for i in (0, 1):
        name = f"residual_connections.{i}"
        block.residual_connections[i].norm.register_forward_hook(record(f"{name}.norm"))
    mask = mask_of(example, x.size(0), x.size(0))
    output = block(x.unsqueeze(0), torch.ones(x.size(0), x.size(0), dtype=torch.bool) if mask is None else mask)[0]
    if options.norm == "post":
        del steps["residual_connections.1.norm"]  # it is the output
    return steps | {"output": output}


def projection(example):
    if "logits" in example:
        logits = matrix(example, "logits")
    else:
        weight = matrix(example, "W")
        logits = functional.linear(matrix(example, "X"), weight.T, vector(example, "b", weight.size(1), 0.0))
    return {"logits": logits, "log_probabilities": logits.log_softmax(-1), "probabilities": logits.softmax(-1)}


def loss(example):
    logits, labels = matrix(example, "logits"), torch.tensor(example["labels"])
    smoothing, padding = example.get("smoothing", 0.0), example.get("padding", -100)
    counts = (labels != padding).float().unsqueeze(1)
    targets = functional.one_hot(labels, logits.size(1)) * (1 - smoothing) + smoothing / logits.size(1)

    def cross_entropy(smoothing, reduction):
        return functional.cross_entropy(logits, labels, ignore_index=padding, label_smoothing=smoothing,
                                        reduction=reduction)

    return {"probabilities": logits.softmax(-1), "targets": targets * counts,
            "plain": cross_entropy(0.0, "none").unsqueeze(1), "losses": cross_entropy(smoothing, "none").unsqueeze(1),
            "mean": cross_entropy(smoothing, "mean").view(1, 1)}


def learning_rate(example):
    scale, warmup = example.get("factor", 1.0) * example["d_model"] ** -0.5, example["warmup_steps"]
    rates = [scale * min(step**-0.5, step * warmup**-1.5) for step in example["steps"]]
    return {"rate": torch.tensor([rates], dtype=torch.float64)}


KINDS = {kind.__name__: kind for kind in (attention, positions, layer_norm, feed_forward, encoder_block, projection, loss,
                                          learning_rate)}


def steps_of(example):
    """The steps of an exercise as lists of rows, rounded to seven digits."""

    def rounded(value):
        return [rounded(each) for each in value] if isinstance(value, list) else float(f"{value:.7g}")

    with torch.no_grad():
        steps = KINDS[example.get("kind", "attention")](example)
    return {name: rounded(value.tolist()) for name, value in steps.items()}
