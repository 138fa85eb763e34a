"""Projection to the vocabulary with label-smoothed cross entropy, summed over the labels."""

import torch
from torch.nn import functional


def whole(features, weight, bias, labels, smoothing):
    """Plain operators: (N, V) logits in one piece."""
    logits = functional.linear(features, weight, bias)
    return functional.cross_entropy(logits.float(), labels, reduction="sum", label_smoothing=smoothing)


class ChunkedLoss(torch.autograd.Function):
    """The same in chunks of rows, each with its gradients at once: (N, V) is never whole.

    With q = smoothed targets and p = softmax(logits), loss = logsumexp(z) - q·z and its gradient is p - q.
    """

    @staticmethod
    def forward(ctx, features, weight, bias, labels, smoothing, rows):
        device = features.device
        half = torch.is_autocast_enabled(device.type)
        dtype = torch.get_autocast_dtype(device.type) if half else weight.dtype
        with torch.autocast(device.type, enabled=False):
            x, w = features.to(dtype), weight.to(dtype)
            size = weight.size(0)
            total = torch.zeros((), dtype=torch.float64, device=device)
            x_gradient = torch.empty_like(x)
            w_gradient = torch.zeros_like(weight)
            b_gradient = torch.zeros_like(bias)
            for begin in range(0, x.size(0), rows):
                part, label = x[begin : begin + rows], labels[begin : begin + rows, None]
                z = (part @ w.t()).float().add_(bias) if half else torch.addmm(bias, part, w.t())
                chosen = z.gather(1, label)
                normaliser = z.logsumexp(1, keepdim=True)
                uniform = z.sum(1, keepdim=True)
                total += (normaliser - (1 - smoothing) * chosen - (smoothing / size) * uniform).sum()
                slope = z.sub_(normaliser).exp_().sub_(smoothing / size)
                slope.scatter_add_(1, label, slope.new_full((1, 1), smoothing - 1).expand_as(label))
                b_gradient += slope.sum(0)
                slope = slope.to(dtype)
                torch.mm(slope, w, out=x_gradient[begin : begin + rows])
                if half:
                    w_gradient += slope.t() @ part
                else:
                    w_gradient.addmm_(slope.t(), part)
        ctx.save_for_backward(x_gradient.to(features.dtype), w_gradient, b_gradient)
        return total.float()

    @staticmethod
    def backward(ctx, upstream):
        x_gradient, w_gradient, b_gradient = ctx.saved_tensors
        return x_gradient * upstream, w_gradient * upstream, b_gradient * upstream, None, None, None


def chunked(rows):
    """A function like `whole` that works in chunks of `rows` rows."""

    def loss(features, weight, bias, labels, smoothing):
        return ChunkedLoss.apply(features, weight, bias, labels, smoothing, rows)

    return loss
