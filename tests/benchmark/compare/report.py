"""The result as text, and as JSON."""

import dataclasses
import statistics

MEBI = 1 << 20


def ratios(ours, theirs):
    """Ours over theirs, round by round."""
    return [a / b for a, b in zip(ours.tokens_per_second, theirs.tokens_per_second, strict=True)]


def best(contenders, precision):
    return max((c for c in contenders if not c.ours and c.precision == precision), key=lambda c: c.median())


def spread(values, form):
    return f"{format(statistics.median(values), form)} ({format(min(values), form)}-{format(max(values), form)})"


def comparisons(contenders):
    """Ours against the best PyTorch variant of the same precision, and of any where that is another."""
    for ours in (c for c in contenders if c.ours):
        same = best(contenders, ours.precision)
        yield ours, same
        any_precision = max((c for c in contenders if not c.ours), key=lambda c: c.median())
        if any_precision is not same:
            yield ours, any_precision


def as_json(facts, trials, contenders, rates):
    mean_target = facts["target_tokens"] / facts["batches"]
    return {
        "parameters": facts["parameters"],
        "padding": padding(facts),
        "target_tokens_per_batch": mean_target,
        "trials": [dataclasses.asdict(trial) for trial in trials],
        "contenders": [dataclasses.asdict(c) | {"median": c.median()} for c in contenders],
        "ratios": [
            {"precision": a.precision, "against": b.name, "against_precision": b.precision, "rounds": ratios(a, b)}
            for a, b in comparisons(contenders)
        ],
        "matrix_products": [
            {"precision": rate.precision, "flops": rate.rates(), "limit": rate.limit(mean_target)} for rate in rates
        ],
    }


def padding(facts):
    positions = facts["source_positions"] + facts["target_positions"]
    return 1 - (facts["source_tokens"] + facts["target_tokens"]) / positions


def contender_line(contender, limit):
    c = contender
    figures = f"{spread(c.tokens_per_second, ',.0f'):>26} {c.median() / limit:9.0%} {c.peak_memory / MEBI:9,.0f}"
    return f"  {c.precision} {c.name:29} {figures} {c.smoothed_loss[-1]:14.4f}"


def lines(model, facts, contenders, rates):
    """The table."""
    tokens = facts["target_tokens"] / facts["batches"]
    batch = f"{tokens:,.0f} target tokens a batch, {100 * padding(facts):.1f} % padding"
    yield f"{model}: {facts['parameters']:,} parameters on every side, {batch}"
    yield f"  {'':34} {'target tokens/s (range)':>26} {'of limit':>9} {'peak MiB':>9} {'smoothed loss':>14}"
    limits = {rate.precision: rate.limit(tokens) for rate in rates}
    for contender in contenders:
        yield contender_line(contender, limits[contender.precision])
    for ours, theirs in comparisons(contenders):
        ratio = spread(ratios(ours, theirs), ".2f")
        yield f"  {ours.precision}: ours is {ratio} times PyTorch's best {theirs.precision} ({theirs.name})"
    for rate in rates:
        gigaflops = ", ".join(f"{kind.replace('_', ' ')} {value / 1e9:,.0f}" for kind, value in rate.rates().items())
        limit = f"a step of nothing else would do {limits[rate.precision]:,.0f} target tokens/s"
        yield f"  {rate.precision} matrix products in GFLOP/s: {gigaflops}; {limit}"
