"""Ways to drop out. PyTorch's own spends most of its time on the CPU in the random numbers. Under torch.compile it is
the one to take: compiled, it draws within the operation that it belongs to, and the others would break the graph."""

import torch
from torch.nn import functional

POOL_VALUES = 1 << 24  # of the pool: 64 MiB of fp32
POOL_STEPS = 100  # between its redrawings


class AddDropped(torch.autograd.Function):
    """x + y * mask in one pass."""

    @staticmethod
    def forward(ctx, x, y, mask):
        ctx.save_for_backward(mask)
        ctx.types = x.dtype, y.dtype
        return torch.addcmul(x, y.to(x.dtype), mask)

    @staticmethod
    def backward(ctx, gradient):
        (mask,) = ctx.saved_tensors
        x_type, y_type = ctx.types
        return gradient.to(x_type), (gradient * mask).to(y_type), None


class TorchDropout:
    """torch.nn.functional.dropout."""

    def __init__(self, probability):
        self.probability = probability

    def start_step(self):
        pass

    def __call__(self, x):
        return functional.dropout(x, self.probability)

    def add(self, x, y):
        """x + dropout(y)"""
        return x + functional.dropout(y, self.probability)


class MaskDropout:
    """Dropout by a mask of 0 and 1 / (1 - p), which `mask` draws. p is rounded to 1/256."""

    def __init__(self, probability):
        self.threshold = round(probability * 256)
        self.scale = 256 / (256 - self.threshold)

    def start_step(self):
        pass

    def draw(self, count, dtype, device):
        """`count` values of a mask, each from a byte of its own of 64-bit random numbers."""
        words = torch.empty((count + 7) // 8, dtype=torch.int64, device=device).random_(-(2**63), None)
        keep = words.view(torch.uint8)[:count] >= self.threshold
        return keep.to(dtype).mul_(self.scale)

    def mask(self, x):
        return self.draw(x.numel(), x.dtype, x.device).view(x.shape)

    def __call__(self, x):
        return x * self.mask(x)

    def add(self, x, y):
        """x + dropout(y)"""
        return AddDropped.apply(x, y, self.mask(x))


class PoolDropout(MaskDropout):
    """The cheapest: masks are stretches of one table, drawn anew only every POOL_STEPS steps. Bits are used again."""

    def __init__(self, probability):
        super().__init__(probability)
        self.pools = {}
        self.steps = 0

    def start_step(self):
        if self.steps % POOL_STEPS == 0:
            self.pools.clear()
        self.steps += 1

    def mask(self, x):
        if x.dtype not in self.pools:
            self.pools[x.dtype] = self.draw(POOL_VALUES, x.dtype, x.device)
        start = int(torch.randint(POOL_VALUES - x.numel(), ()))
        return self.pools[x.dtype][start : start + x.numel()].view(x.shape)


class NoDropout:
    def start_step(self):
        pass

    def __call__(self, x):
        return x

    def add(self, x, y):
        return x + y


KINDS = {"torch": TorchDropout, "bytes": MaskDropout, "pool": PoolDropout}


def make_dropout(kind, probability):
    return KINDS[kind](probability) if probability > 0 else NoDropout()
