#!/usr/bin/env python3
"""Trains a small MarianMT with Hugging Face's transformers, and saves its folder as an OPUS-MT model is saved.

    TRANSLATE_PYTHON=... tests/python/train_marian.py DATA OUTPUT --minutes 20

DATA holds train.en.gz and train.fr.gz, or train.en and train.fr (docs/recipe.md gets Multi30k). The model is post-norm with
swish, 3 + 3 layers of 256, as OPUS-MT's are but for its size. The learning rate falls to zero as the minutes pass, so no two
runs give the same model; what is compared are translations of one model (tests/python/compare_marian.py).
"""

import argparse
import gzip
import pathlib
import random
import sys
import time

sys.dont_write_bytecode = True
sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent)]
import environment  # noqa: E402

if __name__ == "__main__":
    environment.enter("nothing was trained")

import torch  # noqa: E402

import marian_folders  # noqa: E402

SHAPE = {
    "d_model": 256, "encoder_layers": 3, "decoder_layers": 3, "encoder_attention_heads": 4, "decoder_attention_heads": 4,
    "encoder_ffn_dim": 1024, "decoder_ffn_dim": 1024, "activation_function": "swish", "scale_embedding": True,
    "max_position_embeddings": 512, "static_position_embeddings": True, "dropout": 0.1,
}  # fmt: skip
PEAK, WARMUP, SMOOTHING, BATCH = 1.5e-3, 200, 0.1, 1000  # learning rate, steps, label smoothing, tokens of a batch


def read(folder, language):
    packed, plain = folder / f"train.{language}.gz", folder / f"train.{language}"
    content = gzip.decompress(packed.read_bytes()) if packed.is_file() else plain.read_bytes()
    return content.decode("utf-8").splitlines()


def batches(pairs, generator):
    """Pairs of about equal lengths together, in a random order."""
    ordered = sorted(pairs, key=lambda pair: (len(pair[1]) + generator.random(), len(pair[0])))
    found, batch, longest = [], [], 0
    for pair in ordered:
        length = max(map(len, pair))
        if batch and (len(batch) + 1) * max(longest, length) > BATCH:
            found.append(batch)
            batch, longest = [], 0
        batch.append(pair)
        longest = max(longest, length)
    found.append(batch)
    generator.shuffle(found)
    return found


def padded(sequences, value):
    return torch.nn.utils.rnn.pad_sequence([torch.tensor(ids) for ids in sequences], batch_first=True, padding_value=value)


def train(model, pairs, minutes):
    """Adam with label smoothing; the learning rate rises for WARMUP steps and falls to zero at the end of the time."""
    optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), eps=1e-9)
    generator, started, step, epoch, pad = random.Random(1), time.monotonic(), 0, 0, model.config.pad_token_id
    model.train()
    while True:
        epoch += 1
        for batch in batches(pairs, generator):
            passed = (time.monotonic() - started) / 60 / minutes
            if passed >= 1:
                return
            for group in optimizer.param_groups:
                group["lr"] = PEAK * min((step + 1) / WARMUP, 1) * (1 - passed)
            source, labels = padded([pair[0] for pair in batch], pad), padded([pair[1] for pair in batch], -100)
            logits = model(input_ids=source, attention_mask=(source != pad).long(), labels=labels).logits
            loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten(), label_smoothing=SMOOTHING)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            step += 1
            if step % 50 == 0:
                print(f"epoch {epoch}, step {step}, {passed * minutes:.1f} minutes: loss {loss.item():.3f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", type=pathlib.Path, help="the folder of the corpus")
    parser.add_argument("output", type=pathlib.Path, help="the folder to write; must not exist")
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--pieces", type=int, default=4500, help="of each language; the vocabulary joins both")
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(1)
    arguments.output.mkdir(parents=True)
    lines = {language: read(arguments.data, language) for language in ("en", "fr")}
    for side, language in (("source", "en"), ("target", "fr")):
        marian_folders.train_pieces(lines[language], arguments.output / f"{side}.spm", arguments.pieces)
    vocabulary = marian_folders.vocabulary(*(marian_folders.pieces_of(arguments.output / f"{side}.spm") for side in ("source", "target")))
    marian_folders.save_tokenizer(arguments.output, vocabulary)
    model = marian_folders.MarianMTModel(marian_folders.configuration(vocabulary, **SHAPE))
    print(f"{len(lines['en'])} pairs, {len(vocabulary)} pieces, {sum(p.numel() for p in model.parameters())} weights", flush=True)
    tokenizer = marian_folders.MarianTokenizer.from_pretrained(arguments.output)
    pairs = list(zip(tokenizer(lines["en"])["input_ids"], tokenizer(text_target=lines["fr"])["input_ids"]))
    train(model, pairs, arguments.minutes)
    marian_folders.save_model(arguments.output, model.eval())


if __name__ == "__main__":
    main()
