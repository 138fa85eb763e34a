"""Which of our weights make up each parameter of the PyTorch model."""

import torch

PARTS = {"weight": "weight", "bias": "bias"}


def attention_sources(name, block, parts):
    return {f"{name}.joint": [f"{block}.{part}" for part in parts], f"{name}.out": [f"{block}.w_o"]}


def layer_sources(side, index, blocks):
    """Of one layer; `blocks`: its norms, in order."""
    ours = f"{side}.layers.{index}"
    theirs = f"{side}.{index}"
    modules = attention_sources(f"{theirs}.self_attention", f"{ours}.self_attention_block", ("w_q", "w_k", "w_v"))
    if side == "decoder":
        modules |= attention_sources(f"{theirs}.cross_attention", f"{ours}.cross_attention_block", ("w_q",))
    for linear in ("linear_1", "linear_2"):
        modules[f"{theirs}.feed_forward.{linear}"] = [f"{ours}.feed_forward_block.{linear}"]
    for i in range(blocks):
        modules[f"{theirs}.norms.{i}"] = [f"{ours}.residual_connections.{i}.norm"]
    return modules


def module_sources(shape):
    """The PyTorch model's modules -> the modules of ours whose weights they hold, one below the other."""
    modules = {"embedding": ["src_embed.embedding"]}
    for side, layers, norms in (("encoder", shape.encoder_layers, 2), ("decoder", shape.decoder_layers, 3)):
        for i in range(layers):
            modules |= layer_sources(side, i, norms)
        modules[f"last_norms.{side}"] = [f"{side}.norm"]
    crossed = [f"decoder.layers.{i}.cross_attention_block" for i in range(shape.decoder_layers)]
    modules["memory"] = [f"{block}.{part}" for block in crossed for part in ("w_k", "w_v")]
    return modules


def parameter_sources(model):
    """Each parameter's name -> the names of ours that it holds, one below the other."""
    modules = module_sources(model.shape)
    sources = {}
    for name, _ in model.named_parameters():
        module, _, kind = name.rpartition(".")
        if name == "projection_bias":
            sources[name] = ["projection_layer.proj.bias"]
        else:
            is_norm = "norms." in module
            sources[name] = [f"{ours}.{'alpha' if is_norm and kind == 'weight' else kind}" for ours in modules[module]]
    return sources


def load(model, weights):
    """Fills the model with our weights. All of them must be used."""
    sources = parameter_sources(model)
    used = [name for names in sources.values() for name in names]
    if sorted(used) != sorted(weights):
        raise SystemExit(f"the weights do not fit the PyTorch model: {sorted(set(used) ^ set(weights))}")
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(torch.cat([weights[ours] for ours in sources[name]]))
