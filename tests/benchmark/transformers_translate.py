#!/usr/bin/env python3
"""Translates with Hugging Face's transformers as its users do: AutoTokenizer and generate, from text to text, in batches
sorted by length. int8 is PyTorch's dynamic quantisation of all linear layers.

A sentence given as an argument is translated to stdout, --input to --output, and --lines answers each line of stdin
with a line. What was done is told on stderr, a line of JSON."""

import sys

sys.dont_write_bytecode = True
from peer.translating import Clock, add_arguments, answer  # noqa: E402

CLOCK = Clock()  # before the libraries are loaded

import argparse  # noqa: E402
import os  # noqa: E402
import time  # noqa: E402
import warnings  # noqa: E402

os.environ["HF_HUB_OFFLINE"] = "1"
warnings.filterwarnings("ignore")
import torch  # noqa: E402
import transformers  # noqa: E402
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer  # noqa: E402

CLOCK.imported()
transformers.utils.logging.set_verbosity_error()
transformers.utils.logging.disable_progress_bar()


class Engine:
    """The model, its tokenizer and the way to search."""

    def __init__(self, options):
        torch.set_num_threads(options.threads)
        self.tokenizer = AutoTokenizer.from_pretrained(options.model)
        self.model = AutoModelForSeq2SeqLM.from_pretrained(options.model, dtype=torch.float32).eval()
        if options.compute_type == "int8":
            linear = {torch.nn.Linear}
            self.model = torch.ao.quantization.quantize_dynamic(self.model, linear, dtype=torch.qint8)
        self.batch = options.batch_size
        self.max_length = options.max_length
        # The space that ours searches: no special piece but eos, which may come first.
        config = self.model.generation_config
        never = {self.tokenizer.unk_token_id, config.pad_token_id, config.decoder_start_token_id, config.bos_token_id}
        self.search = {
            "num_beams": options.beam_size,
            "do_sample": False,
            "length_penalty": options.length_penalty,
            "max_length": None,
            "max_new_tokens": options.max_length,
            "min_new_tokens": options.min_length,
            "bad_words_ids": None,
            "suppress_tokens": sorted(never - {None, config.eos_token_id}),
            "forced_eos_token_id": None,
        }

    def generate(self, texts):
        """(ids of the translations, pieces of the sources)"""
        with torch.inference_mode():
            inputs = self.tokenizer(texts, return_tensors="pt", padding=True)
            inputs.pop("token_type_ids", None)
            found = self.model.generate(**inputs, **self.search)[:, 1:]  # without the start
        return found.tolist(), int(inputs["attention_mask"].sum())

    def translate(self, lines):
        """(translations, what was done). Blank lines stay blank, as ours."""
        start = time.perf_counter()
        order = sorted((i for i in range(len(lines)) if lines[i].strip()), key=lambda i: -len(lines[i]))
        translations = [""] * len(lines)
        counts = []
        source_pieces = 0
        ends = {self.model.generation_config.eos_token_id, self.model.generation_config.pad_token_id}
        for begin in range(0, len(order), self.batch):
            part = order[begin : begin + self.batch]
            found, pieces = self.generate([lines[i] for i in part])
            source_pieces += pieces
            counts += [sum(id not in ends for id in each) for each in found]
            for i, text in zip(part, self.tokenizer.batch_decode(found, skip_special_tokens=True), strict=True):
                translations[i] = text
        return translations, {
            "seconds": time.perf_counter() - start,
            "lines": len(lines),
            "pieces": sum(counts),
            "source_pieces": source_pieces,
            "cut_short": sum(each >= self.max_length for each in counts),
        }


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    parser.add_argument("--compute-type", choices=("float32", "int8"), default="float32")
    parser.add_argument("--threads", type=int, default=1)
    return parser.parse_args()


def main():
    options = read_arguments()
    answer(Engine(options).translate, options, CLOCK)


if __name__ == "__main__":
    main()
