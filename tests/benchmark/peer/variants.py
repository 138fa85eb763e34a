"""Ways to train the same model with PyTorch. Each is tried; the best one counts."""

import dataclasses
import json


@dataclasses.dataclass(frozen=True)
class Variant:
    """What a strong user may choose. The loss and its gradients stay the same, within the precision's rounding."""

    name: str = "plain"
    precision: str = "fp32"  # fp32 or bf16 (autocast)
    dropout: str = "bytes"  # torch, bytes or pool: see dropout.py
    loss: str = "chunked"  # whole or chunked: see loss.py
    loss_rows: int = 256  # of a chunk
    layout: str = "padded"  # padded or packed: see layout.py
    stream: str = "fp32"  # the type along the residual connections: fp32, or bf16 under bf16
    compile: str = "no"  # no; features: all but the loss; all
    clip: str = "fused"  # fused: inside the update; plain: torch.nn.utils.clip_grad_norm_
    matmul: str = "highest"  # torch.set_float32_matmul_precision; "medium" lets fp32 products round to bf16
    allocator: str = "default"  # default, tcmalloc, jemalloc, mimalloc, or glibc: glibc's, told to keep its pages
    environment: tuple = ()  # (name, value) pairs

    @classmethod
    def of(cls, text):
        """From JSON, as json() gives it."""
        fields = json.loads(text)
        fields["environment"] = tuple(map(tuple, fields.get("environment", ())))
        return cls(**fields)

    def json(self):
        return json.dumps(dataclasses.asdict(self))
