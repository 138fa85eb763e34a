"""A training step of the PyTorch side."""

import contextlib
import math
import time

import torch

from peer import loss as losses
from peer import weights
from peer.dropout import NoDropout, make_dropout
from peer.layout import row_maker
from peer.model import Shape, Transformer

COMPILED_BATCHES = 50  # looked through for one with and one without padding
STREAMS = {"fp32": torch.float32, "bf16": torch.bfloat16}


def learning_rate(options, step):
    """peak * min(step / warmup, sqrt(warmup / step)): the `inverse_sqrt` schedule, step counted from 1."""
    if options["schedule"] != "inverse_sqrt":
        raise SystemExit(f"training.schedule is {options['schedule']}; the PyTorch loop knows only inverse_sqrt")
    warmup = max(options["warmup_steps"], 1)
    return options["learning_rate"] * min(step / warmup, math.sqrt(warmup / step))


class Training:
    """A model in training on the batches of a folder, as `variant` says."""

    def __init__(self, batches, variant, device=None):
        self.batches = batches
        self.variant = variant
        self.device = device or torch.device("cpu")
        self.options = batches.facts["config"]["training"]
        torch.manual_seed(self.options["seed"])
        torch.set_float32_matmul_precision(variant.matmul)
        shape = Shape.of(batches.facts["config"]["model"], batches.facts["vocabulary"])
        drops = make_dropout(variant.dropout, shape.dropout)
        self.model = Transformer(shape, drops, row_maker(variant.layout), STREAMS[variant.stream])
        weights.load(self.model, batches.weights())
        # As on our side: cuDNN's attention would compile a kernel for each new shape of a batch.
        torch.backends.cuda.enable_cudnn_sdp(False)
        self.model.to(self.device)
        self.parameters = list(self.model.parameters())
        self.optimizer = self.make_optimizer()
        self.features, self.loss_function = self.model.features, losses.whole
        if variant.loss == "chunked":
            self.loss_function = losses.chunked(variant.loss_rows)
        self.compile()
        self.step_number = 0

    def make_optimizer(self):
        optimizer = self.options["optimizer"]
        on_gpu = self.device.type == "cuda"
        return torch.optim.Adam(
            self.parameters,
            lr=torch.zeros((), device=self.device) if on_gpu else 0.0,
            betas=(optimizer["beta1"], optimizer["beta2"]),
            eps=optimizer["epsilon"],
            fused=True,
        )

    def compile(self):
        if self.variant.compile == "features":
            self.features = torch.compile(self.features, dynamic=True, fullgraph=True)
        elif self.variant.compile == "all":
            self.forward = torch.compile(self.forward, dynamic=True, fullgraph=True)

    def forward(self, batch):
        """The smoothed loss, summed over the batch's labels."""
        return self.loss_function(
            self.features(batch),
            self.model.embedding.weight,
            self.model.projection_bias,
            batch.labels,
            self.options["label_smoothing"],
        )

    def autocast(self):
        if self.variant.precision == "fp32":
            return contextlib.nullcontext()
        return torch.autocast(self.device.type, dtype=torch.bfloat16)

    def backward(self, batch):
        """Forward and backward of the mean loss; gives the sum."""
        with self.autocast():
            loss = self.forward(batch)
        (loss / batch.target_tokens).backward()
        return loss.detach()

    def update(self):
        """Clips, updates and drops the gradients."""
        self.step_number += 1
        rate = learning_rate(self.options, self.step_number)
        for group in self.optimizer.param_groups:
            group["lr"] = group["lr"].fill_(rate) if torch.is_tensor(group["lr"]) else rate
        limit = self.options["clip_grad_norm"]
        if self.variant.clip == "plain":
            torch.nn.utils.clip_grad_norm_(self.parameters, limit, foreach=True)
        else:
            # The fused update divides gradients by `grad_scale` as it reads them: no pass of its own.
            norm = torch.nn.utils.get_total_norm([parameter.grad for parameter in self.parameters], foreach=True)
            self.optimizer.grad_scale = (norm / limit).clamp_(min=1.0)
            self.optimizer.found_inf = None
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)

    def step(self, batch):
        """One update; the loss's sum, a tensor that nothing has waited for."""
        self.model.dropout.start_step()
        loss = self.backward(batch)
        self.update()
        return loss

    def check(self):
        """Loss and gradients of the first batch without dropout, against those that our side wrote down."""
        expected = self.batches.facts["first_batch"]
        kept, self.model.dropout = self.model.dropout, NoDropout()
        loss = float(self.backward(self.batches.batch(0).to(self.device))) / expected["target_tokens"]
        self.model.dropout = kept
        worst = 0.0
        for name, parameter in self.model.named_parameters():
            parts = [expected["gradient_norms"][ours] for ours in weights.parameter_sources(self.model)[name]]
            norm = float(parameter.grad.double().norm())
            worst = max(worst, abs(norm / math.hypot(*parts) - 1))
        self.optimizer.zero_grad(set_to_none=True)
        return {"loss_error": abs(loss / expected["smoothed_loss"] - 1), "gradient_error": worst}

    def warm_up(self):
        """Lets torch.compile see batches of all kinds, and compile what it must; nothing is learnt."""
        if self.variant.compile == "no":
            return
        some = [self.batches.batch(index) for index in range(min(len(self.batches), COMPILED_BATCHES))]
        kinds = {batch.source_bias is None: batch for batch in some}
        for batch in [*some[:2], *kinds.values()]:
            self.backward(batch.to(self.device))
            self.optimizer.zero_grad(set_to_none=True)

    def run(self, first, count):
        """Trains on `count` batches from `first` on. Their preparation is not timed."""
        ready = [self.batches.batch(index).to(self.device) for index in range(first, first + count)]
        self.wait()
        start = time.perf_counter()
        sums = [self.step(batch) for batch in ready]
        self.wait()
        seconds = time.perf_counter() - start
        tokens = sum(batch.target_tokens for batch in ready)
        return {"tokens": tokens, "seconds": seconds, "smoothed_loss": float(sum(sums)) / tokens}

    def wait(self):
        if self.device.type == "cuda":
            torch.cuda.synchronize()
