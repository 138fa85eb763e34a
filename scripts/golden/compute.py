"""What a golden file holds, computed from a case; and the proof that float32 was good enough for it."""

import copy
import json

import torch
from torch.nn import functional

from cases import EOS, PAD, SOS, UNK, build_model, draw_batch

FORMAT = "translate-golden-1"
ADAM_STEPS = 10
WARMUP_STEPS = 4
GREEDY_STEPS = 12
MARGIN_LIMIT = 5e-3  # between the two best logits of a greedy step
# Largest difference of float32 from float64, norm of the difference over the norm. Adam divides each gradient by its
# own size, so that one element near 0 counts as much as any other, and ten steps carry its rounding on.
PRECISION_LIMITS = {"output": 2e-6, "gradient": 2e-6, "adam": 8e-6}


def metadata(case):
    values = {
        "format": FORMAT,
        "model": case.options.to_json(),
        "source_vocab_size": case.source_vocab_size,
        "target_vocab_size": case.target_vocab_size,
        "label_smoothing": case.label_smoothing,
        "unk": UNK,
        "sos": SOS,
        "eos": EOS,
        "pad": PAD,
    }
    return {key: value if isinstance(value, str) else json.dumps(value) for key, value in values.items()}


def summed_loss(logits, label, smoothing):
    """Cross entropy in nats summed over the labels that are not padding; smoothing spreads eps / V on every class."""
    return functional.cross_entropy(
        logits.flatten(0, 1), label.flatten(), ignore_index=PAD, label_smoothing=smoothing, reduction="sum"
    )


def noam_rate(d_model, step):
    return d_model**-0.5 * min(step**-0.5, step * WARMUP_STEPS**-1.5)


def train(model, batch, smoothing, steps):
    """The mean smoothed loss before each of `steps` Adam updates on the one batch; the model is changed."""
    encoder_input, decoder_input, label = batch
    optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), eps=1e-9, foreach=False)
    d_model = model.src_embed.embedding.weight.size(1)
    losses = []
    for step in range(1, steps + 1):
        for group in optimizer.param_groups:
            group["lr"] = noam_rate(d_model, step)
        optimizer.zero_grad()
        loss = summed_loss(model(encoder_input, decoder_input), label, smoothing) / (label != PAD).sum()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return torch.stack(losses)


@torch.no_grad()
def greedy_sentence(model, source):
    """(ids after sos, eos included where it is reached; smallest lead of a chosen logit over the next best)."""
    ids, margin = [], float("inf")
    encoder_output = model.encode(source)
    while len(ids) < GREEDY_STEPS and EOS not in ids:
        decoded = model.decode(encoder_output, source, torch.tensor([[SOS, *ids]]))
        scores = model.projection_layer(decoded[0, -1])
        scores[[UNK, PAD, SOS]] = float("-inf")
        best = scores.topk(2)
        margin = min(margin, (best.values[0] - best.values[1]).item())
        ids.append(best.indices[0].item())
    return ids, margin


def greedy(model, encoder_input):
    """(ids (batch, GREEDY_STEPS) filled up with pad, smallest margin): each sentence by itself, without its padding."""
    found = [greedy_sentence(model, row[row != PAD].unsqueeze(0)) for row in encoder_input]
    ids = [row + [PAD] * (GREEDY_STEPS - len(row)) for row, _ in found]
    return torch.tensor(ids), min(margin for _, margin in found)


def compute(case, dtype=torch.float32):
    """(tensors by their names in the file, smallest greedy margin), every sum done in `dtype`."""
    model = build_model(case).to(dtype)
    batch = draw_batch(case)
    encoder_input, decoder_input, label = batch
    tensors = {f"parameter.{name}": value.detach().clone() for name, value in model.named_parameters()}

    logits = model(encoder_input, decoder_input)
    smoothed = summed_loss(logits, label, case.label_smoothing)
    label_count = (label != PAD).sum()
    (smoothed / label_count).backward()
    tensors |= {f"gradient.{name}": value.grad for name, value in model.named_parameters()}
    ids, margin = greedy(model, encoder_input)

    trained = copy.deepcopy(model)
    tensors["adam_losses"] = train(trained, batch, case.label_smoothing, ADAM_STEPS)
    tensors |= {f"adam.{name}": value.detach() for name, value in trained.named_parameters()}
    tensors |= {
        "encoder_input": encoder_input,
        "decoder_input": decoder_input,
        "label": label,
        "encoder_output": model.encode(encoder_input).detach(),
        "logits": logits.detach(),
        "loss_sum": summed_loss(logits, label, 0.0).detach(),
        "smoothed_loss_sum": smoothed.detach(),
        "label_count": label_count,
        "greedy": ids,
    }
    return tensors, margin


def is_noise(name):
    """A bias on the keys adds one value to all scores of a query: the gradient is rounding, enlarged by Adam."""
    return name.endswith("w_k.bias") and name.startswith(("gradient.", "adam."))


def difference(value, expected):
    """Norm of the difference over the norm of `expected`, both taken in float64."""
    norm = expected.double().norm()
    return ((value.double() - expected.double()).norm() / norm).item() if norm > 0 else value.double().norm().item()


def worst_differences(tensors, expected):
    """{kind: (largest difference, name)}, kinds: adam, gradient, output."""
    worst = {}
    for name in sorted(expected):
        kind = name.split(".")[0] if name.startswith(("gradient.", "adam.")) else "output"
        if tensors[name].is_floating_point() and not name.startswith("parameter.") and not is_noise(name):
            worst[kind] = max(worst.get(kind, (0.0, "")), (difference(tensors[name], expected[name]), name))
    return worst


def verify(case, tensors, margin):
    """(worst differences from a float64 run, list of what makes the case unfit to be compared with)."""
    exact, _ = compute(case, torch.float64)
    worst = worst_differences(tensors, exact)
    objections = [
        f"{name}: float32 is {value:.1e} away from float64, at most {PRECISION_LIMITS[kind]:.0e} is wanted"
        for kind, (value, name) in worst.items()
        if not value <= PRECISION_LIMITS[kind]
    ]
    if margin < MARGIN_LIMIT:
        objections.append(f"greedy: two best logits only {margin:.1e} apart, at least {MARGIN_LIMIT:.0e} is wanted")
    if not torch.equal(tensors["greedy"], exact["greedy"]):
        objections.append("greedy: other ids in float64")
    for name in ("encoder_input", "decoder_input", "label"):
        if not (tensors[name] == PAD).any():
            objections.append(f"{name}: no padding")
    ended = (tensors["greedy"] == EOS).any(dim=1)
    if ended.all() or not ended.any():
        objections.append("greedy: wanted are sentences that end and sentences that reach the limit")
    if tensors["greedy"].unique().numel() < 6:
        objections.append("greedy: fewer than four different words")
    if tensors["greedy"].unique(dim=0).size(0) < 3:
        objections.append("greedy: fewer than three different translations")
    return worst, objections
