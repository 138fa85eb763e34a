"""Where the rows of a batch stand: padded to a rectangle, or the real positions alone (packed)."""

import torch


class Select(torch.autograd.Function):
    """x[rows]; the rows are distinct, so that the gradient is a copy and no sum."""

    @staticmethod
    def forward(ctx, x, rows):
        ctx.save_for_backward(rows)
        ctx.size = x.size(0)
        return x.index_select(0, rows)

    @staticmethod
    def backward(ctx, gradient):
        (rows,) = ctx.saved_tensors
        return gradient.new_zeros(ctx.size, gradient.size(1)).index_copy_(0, rows, gradient), None


class Spread(torch.autograd.Function):
    """The way back: `size` rows, those of x at `rows`, the others zero."""

    @staticmethod
    def forward(ctx, x, rows, size):
        ctx.save_for_backward(rows)
        return x.new_zeros(size, x.size(1)).index_copy_(0, rows, x)

    @staticmethod
    def backward(ctx, gradient):
        (rows,) = ctx.saved_tensors
        return gradient.index_select(0, rows), None, None


class Padded:
    """Everything is computed on (batch, length, ...), padding included."""

    def __init__(self, ids, rows):
        self.rows = rows

    def padded(self, x):
        return x

    def packed(self, x):
        return x

    def real(self, x):
        return Select.apply(x.flatten(0, 1), self.rows)


class Packed:
    """All but attention is computed on the real positions alone."""

    def __init__(self, ids, rows):
        self.shape = ids.shape
        self.rows = rows

    def padded(self, x):
        return Spread.apply(x, self.rows, self.shape.numel()).view(*self.shape, -1)

    def packed(self, x):
        return Select.apply(x.flatten(0, 1), self.rows)

    def real(self, x):
        return x


LAYOUTS = {"padded": Padded, "packed": Packed}


def row_maker(layout):
    """A function from a batch to the rows of its sides."""
    make = LAYOUTS[layout]
    return lambda batch: (make(batch.source, batch.source_rows), make(batch.decoder_input, batch.target_rows))
