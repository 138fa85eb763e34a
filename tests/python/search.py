"""Greedy search in PyTorch, by the limits of the programs, and the comparison of its translations with theirs."""

import dataclasses
import math

import torch

MAX_LENGTH, MAX_LENGTH_RATIO = 256, 2.0  # the defaults of a configuration's `decoding`
NEAR_TIE = 1e-4  # two log-probabilities that may change places by rounding


@dataclasses.dataclass
class Side:
    """A language's tokenizer: text to ids, ids to text and to pieces, and its special ids."""

    encode: callable
    decode: callable
    piece: callable
    size: int
    unk: int
    sos: int
    eos: int
    pad: int


def sentencepiece_side(path):
    import sentencepiece

    model = sentencepiece.SentencePieceProcessor(model_file=str(path))
    ids = (model.unk_id(), model.bos_id(), model.eos_id(), model.pad_id())
    return Side(model.encode, model.decode, model.id_to_piece, len(model), *ids)


def word_level_side(path):
    import tokenizers

    model = tokenizers.Tokenizer.from_file(str(path))
    ids = (model.token_to_id(token) for token in ("[UNK]", "[SOS]", "[EOS]", "[PAD]"))
    return Side(lambda text: model.encode(text).ids, model.decode, model.id_to_token, model.get_vocab_size(), *ids)


@dataclasses.dataclass
class Found:
    text: str
    pieces: list
    leads: list  # of each step: how far the best log-probability is ahead of the next
    seconds: list  # and the piece of that next one


@torch.no_grad()
def greedy(model, source, target, line):
    words = source.encode(line)
    limit = min(MAX_LENGTH, math.ceil(MAX_LENGTH_RATIO * len(words)) + 10)
    encoder_input = torch.tensor([[source.sos, *words, source.eos]])
    encoder_output = model.encode(encoder_input)
    ids, leads, seconds = [], [], []
    while len(ids) < limit:
        decoded = model.decode(encoder_output, encoder_input, torch.tensor([[target.sos, *ids]]))
        logits = model.projection_layer(decoded[0, -1])
        logits[[target.unk, target.pad, target.sos]] = float("-inf")
        best = logits.log_softmax(dim=-1).topk(2)
        leads.append((best.values[0] - best.values[1]).item())
        seconds.append(target.piece(best.indices[1].item()))
        if best.indices[0] == target.eos:
            break
        ids.append(best.indices[0].item())
    return Found(target.decode(ids), [target.piece(id) for id in ids], leads, seconds)


def compare(test, lines, found, texts, pieces, eos):
    """Equal texts, but where the first step that differs is a near tie of two pieces. The number of such lines."""
    test.assertEqual(len(texts), len(lines))
    ties = 0
    for line, ours, text, theirs in zip(lines, found, texts, pieces):
        if ours.text == text and ours.pieces == theirs:
            continue
        mine, other = [*ours.pieces, eos], [*theirs, eos]
        step = next((i for i, (a, b) in enumerate(zip(mine, other)) if a != b), None)
        test.assertIsNotNone(step, f"{line!r}: the pieces are the same, the texts {ours.text!r} and {text!r} are not")
        message = f"{line!r}: PyTorch {ours.text!r}, the program {text!r}; step {step}: lead {ours.leads[step]}"
        test.assertLessEqual(ours.leads[step], NEAR_TIE, message)
        test.assertEqual(ours.seconds[step], other[step], message)
        ties += 1
    return ties
