"""What is trained: the two models, and the variants of the PyTorch loop that are tried on them."""

import json

from peer.variants import Variant

TRAINING = {
    "batch_tokens": 4096,
    "max_steps": 0,  # until it is told to end
    "max_epochs": 1000000,
    "checkpoint_every": 1000000000,
    "schedule": "inverse_sqrt",
    "warmup_steps": 1000,
    "label_smoothing": 0.1,
    "clip_grad_norm": 1,
}
SHARED = {  # of both models; the fast attention of the CPU knows no dropout
    "attention_dropout": 0,
    "activation_dropout": 0,
    "layer_norm": "torch",
    "tie_embeddings": "all",
    "init": "scaled",
}
MODELS = {
    "tiny": {"d_model": 128, "num_layers": 4, "num_heads": 4, "d_ff": 256, "dropout": 0.3},
    "base": {"d_model": 512, "num_layers": 6, "num_heads": 8, "d_ff": 2048, "dropout": 0.1},
}
LEARNING_RATES = {"tiny": 0.004, "base": 0.0007}

STRONG = {"dropout": "bytes", "loss": "chunked", "clip": "fused"}
PLAIN = {"dropout": "torch", "loss": "whole", "clip": "plain"}
VARIANTS = {
    "plain": PLAIN,
    "plain-malloc": PLAIN | {"allocator": "best"},
    "cheap-dropout": PLAIN | {"dropout": "bytes", "allocator": "best"},
    "strong": STRONG | {"allocator": "best"},
    "strong-default-malloc": STRONG,
    "strong-glibc": STRONG | {"allocator": "glibc"},
    "strong-large-chunks": STRONG | {"allocator": "best", "loss_rows": 1024},
    "strong-whole-loss": STRONG | {"allocator": "best", "loss": "whole"},
    "strong-packed": STRONG | {"allocator": "best", "layout": "packed"},
    "strong-pool": STRONG | {"allocator": "best", "dropout": "pool"},
    "strong-pool-packed": STRONG | {"allocator": "best", "dropout": "pool", "layout": "packed"},
    "strong-pool-spin": STRONG
    | {"allocator": "best", "dropout": "pool", "environment": [["OMP_WAIT_POLICY", "ACTIVE"]]},
    "compiled": PLAIN | {"allocator": "best", "compile": "all"},
    "compiled-chunked": STRONG | {"allocator": "best", "dropout": "torch", "compile": "features"},
}
ONLY_BF16 = {
    "strong-pool-bf16-stream": STRONG | {"allocator": "best", "dropout": "pool", "stream": "bf16"},
    "fp32-bf16-products": STRONG | {"allocator": "best", "dropout": "pool", "precision": "fp32", "matmul": "medium"},
}
ONLY_GPU = {  # where random numbers cost little and small pieces of work much
    "gpu": STRONG | {"dropout": "torch", "loss": "whole"},
    "gpu-compiled": STRONG | {"dropout": "torch", "loss": "whole", "compile": "all"},
    "gpu-compiled-features": STRONG | {"dropout": "torch", "loss": "whole", "compile": "features"},
}
ONLY_GPU_BF16 = {
    "gpu-bf16-stream": ONLY_GPU["gpu"] | {"stream": "bf16"},
    "gpu-compiled-bf16-stream": ONLY_GPU["gpu-compiled"] | {"stream": "bf16"},
}


def configuration(model, source, target, log_every):
    """The configuration of our side, which the PyTorch side follows."""
    return {
        "data": {"train": {"source": str(source), "target": str(target)}},
        "tokenizer": {"vocab_size": 8000, "shared": True},
        "model": SHARED | MODELS[model],
        "training": TRAINING | {"learning_rate": LEARNING_RATES[model], "log_every": log_every},
    }


def variants(precision, allocators, wanted, device="cpu"):
    """The variants to try: all, or those named. `allocators`: those at hand, the best first."""
    known = VARIANTS | (ONLY_BF16 if precision == "bf16" else {})
    if device == "cuda":
        known |= ONLY_GPU | (ONLY_GPU_BF16 if precision == "bf16" else {})
    chosen = []
    for name, options in known.items():
        options = {"name": name, "precision": precision} | options
        if options.get("allocator") == "best":
            options["allocator"] = next(iter(allocators), "glibc")
        if wanted is None or name in wanted:
            chosen.append(Variant.of(json.dumps(options)))
    if wanted is None and device == "cpu":  # the other allocators, on one variant each
        for allocator in list(allocators)[1:]:
            options = {"name": f"strong-pool-{allocator}", "precision": precision, "allocator": allocator}
            chosen.append(Variant.of(json.dumps(STRONG | options | {"dropout": "pool"})))
    return chosen


def products(facts):
    """[rows, inner, outer, count] of the matrix products of an average batch, on real positions and fused where inputs
    are shared; attention's own products are left out."""
    options, count = facts["config"]["model"], facts["batches"]
    source, target = facts["source_tokens"] // count, facts["target_tokens"] // count
    width, inner, encoder, decoder = (
        options[key] for key in ("d_model", "d_ff", "encoder_layers", "decoder_layers")
    )
    return [
        [source, width, 3 * width, encoder],  # self-attention: queries, keys, values
        [source, width, width, encoder],  # and its output
        [source, width, inner, encoder],  # feed-forward
        [source, inner, width, encoder],
        [source, width, 2 * width * decoder, 1],  # keys and values for the decoder
        [target, width, 3 * width, decoder],
        [target, width, width, 3 * decoder],  # outputs of both attentions, queries of the second
        [target, width, inner, decoder],
        [target, inner, width, decoder],
        [target, width, facts["vocabulary"], 1],  # projection
    ]
