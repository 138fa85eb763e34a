"""The batches that export_batches wrote, and what a careful user prepares of them outside the training step."""

import dataclasses
import json
import pathlib

import torch
from safetensors import safe_open


@dataclasses.dataclass
class Batch:
    """One batch, ready for the model: ids, and what follows from them alone.

    source, decoder_input: (batch, length) ids; labels: (N) real labels, row by row; target_rows: (N) where these stand
    among the batch * T positions. `source_bias`: (batch, 1, 1, S), 0 or -inf, to be added to attention scores, or None
    where nothing is padding. Packed layouts also need source_rows: (M) where the real source positions stand.
    """

    source: torch.Tensor
    decoder_input: torch.Tensor
    labels: torch.Tensor
    target_rows: torch.Tensor
    source_rows: torch.Tensor
    source_bias: torch.Tensor | None
    target_tokens: int

    def to(self, device):
        """The batch on `device`; to a GPU by pinned memory, without waiting."""
        if device.type == "cpu":
            return self
        moved = {
            field.name: value.pin_memory().to(device, non_blocking=True) if torch.is_tensor(value) else value
            for field in dataclasses.fields(self)
            for value in [getattr(self, field.name)]
        }
        return Batch(**moved)


class Batches:
    """The folder that export_batches wrote: facts.json, batches.safetensors, weights.safetensors.

    facts.json holds the configuration, the number of parameters, and the first batch's loss and gradients.
    """

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.facts = json.loads((self.folder / "facts.json").read_text(encoding="utf-8"))
        self.file = safe_open(str(self.folder / "batches.safetensors"), framework="pt")
        self.pad = self.facts["pad"]

    def __len__(self):
        return self.facts["batches"]

    def weights(self):
        """The weights that our side starts from, by our names."""
        with safe_open(str(self.folder / "weights.safetensors"), framework="pt") as file:
            return {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (not a dict)

    def batch(self, index):
        """The batch at `index`, which wraps around at the end."""
        source, decoder_input, label = (
            self.file.get_tensor(f"{index % len(self)}.{part}").long()
            for part in ("encoder_input", "decoder_input", "label")
        )
        real_source = source != self.pad
        target_rows = (label.flatten() != self.pad).nonzero().squeeze(1)
        bias = None
        if not real_source.all():
            bias = torch.zeros(real_source.shape).masked_fill_(~real_source, float("-inf"))[:, None, None, :]
        return Batch(
            source=source,
            decoder_input=decoder_input,
            labels=label.flatten()[target_rows],
            target_rows=target_rows,
            source_rows=real_source.flatten().nonzero().squeeze(1),
            source_bias=bias,
            target_tokens=target_rows.numel(),
        )
