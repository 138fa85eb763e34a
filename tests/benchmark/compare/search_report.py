"""The results of a comparison of decoding, as text and as JSON."""

import dataclasses
import statistics

from compare.latency import percentiles
from compare.report import MEBI, spread

MILLI = 1e3


@dataclasses.dataclass
class Result:
    """Of one search with one model."""

    search: object
    lines: int  # of a run
    source_pieces: int  # of a run; sos and eos counted
    same: tuple  # (translations equal in fp32, all)
    trials: list
    contenders: list
    latencies: list
    matrix_rate: float  # multiply-adds a second


def ratios(ours, theirs):
    """Ours over theirs, round by round, in sentences a second."""
    return [a / b for a, b in zip(ours.speeds(), theirs.speeds(), strict=True)]


def best_peers(contenders):
    """The fastest contender of each other program."""
    found = {}
    for each in (each for each in contenders if not each.ours):
        if each.program() not in found or each.median() > found[each.program()].median():
            found[each.program()] = each
    return list(found.values())


def limit_share(result, sizes, figures):
    """The time that the matrix products would take at the measured rate, as a share of the time taken."""
    shares = []
    for run in figures.runs:
        steps = (run.pieces + run.lines) * result.search.beam_size
        products = sizes.multiply_adds(result.source_pieces, steps)
        shares.append(products / result.matrix_rate / run.seconds)
    return statistics.median(shares)


def median_of(figures, value):
    return statistics.median(value(run) for run in figures.runs)


def contender_line(result, sizes, figures):
    columns = [
        f"{spread(figures.speeds(), ',.1f'):>26}",
        f"{median_of(figures, lambda run: run.tokens_per_second()):9,.0f}",
        f"{limit_share(result, sizes, figures):9.0%}",
        f"{median_of(figures, lambda run: run.whole_seconds - run.seconds):8.2f}",
        f"{median_of(figures, lambda run: run.whole_seconds):8.2f}",
        f"{figures.peak_memory() / MEBI:9,.0f}",
        f"{figures.bleu:6.2f}" if figures.bleu is not None else f"{'-':>6}",
        f"{figures.runs[-1].cut_short:9,}",
    ]
    return f"  {figures.name:52} " + " ".join(columns)


def speed_lines(result, sizes):
    heads = f"{'tokens/s':>9} {'of limit':>9} {'start s':>8} {'whole s':>8} {'peak MiB':>9} {'BLEU':>6} {'cut short':>9}"
    yield f"  {'':52} {'sentences/s (range)':>26} {heads}"
    for figures in result.contenders:
        yield contender_line(result, sizes, figures)
    for theirs in best_peers(result.contenders):
        for ours in (each for each in result.contenders if each.ours):
            yield f"  {ours.name} is {spread(ratios(ours, theirs), '.2f')} times {theirs.name}, in sentences/s"


def milliseconds(seconds):
    if not seconds:
        return f"{'-':>17}"
    return f"{' / '.join(f'{MILLI * value:,.1f}' for value in percentiles(seconds)):>17}"


def latency_lines(latencies):
    if not latencies:
        return
    yield f"  {'one sentence, ms: p50 / p95':52} {'whole process':>17} {'without start':>17} {'warm':>17}"
    for each in latencies:
        columns = " ".join(milliseconds(values) for values in (each.whole, each.without_start, each.warm))
        yield f"  {each.name:52} {columns}"


def lines(name, sizes, result):
    """The table of one search."""
    equal, count = result.same
    text = f"{result.lines:,} lines a run, {result.source_pieces:,} source pieces (sos and eos counted)"
    yield f"{name}, {result.search.name()}: {sizes.parameters:,} parameters; {text}"
    yield f"  in fp32 {equal:,} of {count:,} translations are the same on both sides"
    yield from speed_lines(result, sizes)
    yield f"  matrix products alone, fp32: {2 * result.matrix_rate / 1e9:,.0f} GFLOP/s"
    yield from latency_lines(result.latencies)


def as_json(sizes, result):
    return {
        "search": dataclasses.asdict(result.search),
        "lines": result.lines,
        "source_pieces": result.source_pieces,
        "same_in_fp32": result.same,
        "trials": [trial.as_json() for trial in result.trials],
        "contenders": [
            dataclasses.asdict(each) | {"median": each.median(), "of_limit": limit_share(result, sizes, each)}
            for each in result.contenders
        ],
        "ratios": [
            {"ours": each.name, "theirs": theirs.name, "rounds": ratios(each, theirs)}
            for theirs in best_peers(result.contenders)
            for each in result.contenders
            if each.ours
        ],
        "latencies": [dataclasses.asdict(each) for each in result.latencies],
        "matrix_products_flops": 2 * result.matrix_rate,
    }
