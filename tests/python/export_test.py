#!/usr/bin/env python3
"""An exported model gives the same text elsewhere: models of varied shapes, trained briefly on the embedded corpus, are
exported, and the translations of CTranslate2 and of
Hugging Face's transformers are compared with ours. Different texts whose scores are within 1e-4 of
each other are near ties, which are counted and printed; anything else is a failure. Skipped (exit code 77) without the
packages of `scripts/setup --python`. TRANSLATE_BIN_DIR: the programs' folder."""

import importlib.util
import io
import json
import os
import pathlib
import shutil
import struct
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "benchmark")]
import environment  # noqa: E402

if __name__ == "__main__":
    os.environ["HF_HUB_OFFLINE"] = "1"
    environment.enter("exports were not compared with other systems")
    environment.require("exports were not compared with other systems", "ctranslate2", "sentencepiece", "torch", "transformers")

import ctranslate2  # noqa: E402
import sentencepiece  # noqa: E402
import torch  # noqa: E402
import transformers  # noqa: E402
from ctranslate2.converters import TransformersConverter  # noqa: E402

from peer.ctranslate2_model import OurConverter  # noqa: E402
from programs import CORPUS, run_program, test_sentences, train  # noqa: E402

SENTENCES = int(os.environ.get("TRANSLATE_EXPORT_SENTENCES", "60"))
STEPS = 300
NEAR_TIE = 1e-4
MAX_LENGTH = 40
LEAST_DISTINCT = 10  # translations, lest a model that always says the same passes for compared
BPE = {"type": "bpe", "vocab_size": 400, "shared": True}
SMALL = {"d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "num_heads": 4, "d_ff": 64}
SMALL |= {"dropout": 0.0, "layer_norm": "torch", "init": "scaled"}


def export(checkpoint, output, form, *options):
    """Runs translate-export, which has no --threads."""
    return run_program("translate-export", "--format", form, str(checkpoint), str(output), *options)


def read_model(file):
    """(variables, aliases) of a model.bin: the dimensions, the type and the bytes of each variable by its name."""
    data = io.BytesIO(file.read_bytes())

    def number(kind):
        return struct.unpack("<" + kind, data.read(struct.calcsize(kind)))[0]

    def text():
        return data.read(number("H"))[:-1].decode()

    def variable():
        dims = [number("I") for _ in range(number("B"))]
        return dims, number("B"), data.read(number("I"))

    assert (number("I"), text(), number("I")) == (6, "TransformerSpec", 7)
    variables = {text(): variable() for _ in range(number("I"))}
    aliases = {text(): text() for _ in range(number("I"))}
    assert not data.read()
    return variables, aliases


class CTranslate2:
    """A folder of CTranslate2, with SentencePiece as the folder has it."""

    def __init__(self, folder):
        self.source, self.target = (
            sentencepiece.SentencePieceProcessor(model_file=str(folder / f"{side}.spm")) for side in ("source", "target")
        )
        self.translator = ctranslate2.Translator(str(folder), intra_threads=1)

    def translate(self, lines, beam):
        """(text, score) of each line. The search is exact as ours: no length penalty, and eos may come first."""
        pieces = self.source.encode(lines, out_type=str)
        search = {"beam_size": beam, "length_penalty": 0, "min_decoding_length": 0, "max_decoding_length": MAX_LENGTH}
        found = self.translator.translate_batch(pieces, return_scores=True, **search)
        return [(self.target.decode(each.hypotheses[0]), each.scores[0]) for each in found]


class HuggingFace:
    """A folder of transformers."""

    def __init__(self, folder):
        load = transformers.AutoTokenizer.from_pretrained
        self.tokenizer = load(str(folder))
        self.target = load(str(folder / "target")) if (folder / "target").is_dir() else self.tokenizer
        self.model, told = transformers.AutoModelForSeq2SeqLM.from_pretrained(str(folder), output_loading_info=True)
        assert not told["unexpected_keys"] and not told["mismatched_keys"], told
        self.missing = told["missing_keys"]

    def translate(self, lines, beam, **search):
        """(text, score) of each line, with the limits of the folder's generation_config.json."""
        search = {"num_beams": beam, "length_penalty": 0.0, **search}
        found = []
        for begin in range(0, len(lines), 50):
            batch = self.tokenizer(lines[begin : begin + 50], return_tensors="pt", padding=True)
            batch = {name: batch[name] for name in ("input_ids", "attention_mask")}
            with torch.no_grad():
                made = self.model.generate(**batch, **search, return_dict_in_generate=True, output_scores=True)
            texts = self.target.batch_decode(made.sequences, skip_special_tokens=True)
            found += zip(texts, self.scores(made, beam, search["length_penalty"]), strict=True)
        return found

    def scores(self, made, beam, penalty):
        """The summed log-probabilities."""
        generated = made.sequences[:, 1:]
        is_real = generated != self.model.config.pad_token_id
        if beam > 1:
            return (made.sequences_scores * is_real.sum(1) ** penalty).tolist()
        scores = self.model.compute_transition_scores(made.sequences, made.scores, normalize_logits=True)
        return torch.where(is_real, scores, 0.0).sum(1).tolist()


class ExportTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="translate-export-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.lines = test_sentences(SENTENCES)

    def train(self, tokenizer=None, steps=STEPS, languages=(), **model):
        """A checkpoint whose translations may be as long as elsewhere; `languages`: targets, all of the same text."""
        others = {"decoding": {"max_length_ratio": 100, "max_length": MAX_LENGTH}}
        if languages:
            files = {side: str(CORPUS / f"train.{code}") for side, code in (("source", "en"), ("target", "fr"))}
            others["data"] = {"train": [files | {"target_language": language} for language in languages]}
        return train(self.folder, BPE | (tokenizer or {}), SMALL | model, steps, **others)

    def our_translations(self, checkpoint, lines, beam, *options):
        """(text, score) of each line."""
        arguments = ["--checkpoint", checkpoint, "--json", "--precision", "fp32", "--threads", 1, "--no-split", "--raw"]
        arguments += ["--beam-size", beam, *(options or ("--length-penalty", 0))]
        output = run_program("translate-infer", *arguments, text="".join(line + "\n" for line in lines))
        found = [json.loads(line) for line in output.splitlines()]
        return [(each["translation"], each["score"]) for each in found]

    def expect_same(self, checkpoint, theirs, what, beams=(1, 4), penalty=0, longest=None):
        """`theirs`: a function of lines and a beam size that gives (text, score) of each line."""
        lines = self.lines
        options = ("--length-penalty", penalty, "--length-penalty-kind", "average", "--max-length", longest or MAX_LENGTH)
        for beam in beams:
            ours = self.our_translations(checkpoint, lines, beam, *options)
            pairs = list(zip(ours, theirs(lines, beam), strict=True))
            different = [(a, b) for a, b in pairs if a[0] != b[0]]
            ties = [(a, b) for a, b in different if abs(a[1] - b[1]) < NEAR_TIE]
            print(f"{what}, beam {beam}: {len(pairs) - len(different)} of {len(pairs)} equal, {len(ties)} near ties")
            for a, b in ties:
                print(f"  near tie: {a[0]!r} ({a[1]:.5f}), there {b[0]!r} ({b[1]:.5f})")
            self.assertEqual([pair for pair in different if pair not in ties], [], what)
            self.assertGreater(len({text for (text, _), _ in pairs}), LEAST_DISTINCT)

    def expect_same_in_ctranslate2(self, checkpoint, what, **options):
        out = self.folder / "ct2"
        export(checkpoint, out, "ctranslate2", "--force")
        self.expect_same(checkpoint, CTranslate2(out).translate, f"CTranslate2, {what}", **options)


class ToCTranslate2(ExportTest):
    def test_pre_norm_all_tied(self):
        self.expect_same_in_ctranslate2(self.train(tie_embeddings="all"), "pre-norm, all tied")

    def test_post_norm_untied_two_vocabularies(self):
        model = {"norm": "post", "attention_bias": True, "encoder_layers": 1, "activation": "gelu"}
        checkpoint = self.train({"shared": False, "type": "unigram"}, **model)
        self.expect_same_in_ctranslate2(checkpoint, "post-norm, untied, unigram")

    def test_reference_norms(self):
        for norm in ("pre", "post"):
            model = {"layer_norm": "reference", "norm": norm, "tie_embeddings": "decoder"}
            self.expect_same_in_ctranslate2(self.train(**model), f"{norm}-norm, reference norms, decoder tied")
            shutil.rmtree(self.folder / "run")

    def test_rms_norms(self):
        for norm in ("pre", "post"):
            model = {"layer_norm": "rms", "layer_norm_epsilon": 1e-3, "norm": norm, "tie_embeddings": "all"}
            self.expect_same_in_ctranslate2(self.train(**model), f"{norm}-norm, RMSNorm")
            shutil.rmtree(self.folder / "run")

    def test_learned_positions(self):
        checkpoint = self.train(positions="learned", max_positions=258, activation="swish", embedding_scale=False)
        self.expect_same_in_ctranslate2(checkpoint, "learned positions")

    def test_no_positions(self):
        self.expect_same_in_ctranslate2(self.train(positions="none"), "no positions")

    def test_every_depth(self):
        """Each number of layers from 1 to 8 is read there in both precisions, the even ones with `zero_start`."""
        for layers in range(1, 9):
            model = {"encoder_layers": layers, "decoder_layers": 9 - layers, "zero_start": layers % 2 == 0}
            checkpoint = self.train(steps=250, tie_embeddings="all", **model)
            what = f"{layers} + {9 - layers} layers"
            self.expect_same_in_ctranslate2(checkpoint, what, beams=(1,))
            export(checkpoint, self.folder / "int8", "ctranslate2", "--precision", "int8", "--force")
            whole, rounded = (CTranslate2(self.folder / name).translate(self.lines, 1) for name in ("ct2", "int8"))
            equal = sum(a[0] == b[0] for a, b in zip(whole, rounded, strict=True))
            print(f"  {equal} of {len(whole)} equal in 8 bits")
            self.assertGreater(equal, len(whole) // 3, what)
            shutil.rmtree(self.folder / "run")

    def test_eight_bits_are_those_of_their_converter(self):
        """Every matrix has the numbers and factors that CTranslate2's own rounding gives."""
        checkpoint = self.train({"shared": False}, steps=20, tie_embeddings="decoder", attention_bias=True)
        export(checkpoint, self.folder / "ours", "ctranslate2", "--precision", "int8")
        OurConverter(checkpoint).convert(str(self.folder / "theirs"), quantization="int8")
        ours, theirs = (read_model(self.folder / name / "model.bin") for name in ("ours", "theirs"))
        self.assertEqual(ours[1], theirs[1])  # aliases
        self.assertEqual(ours[0].keys(), theirs[0].keys())
        different = [name for name, variable in ours[0].items() if theirs[0][name] != variable]
        # Their table of sinusoids is rounded elsewhere, and they forbid nothing.
        self.assertEqual(different, ["decoder/position_encodings/encodings", "decoder/projection/bias"])
        self.assertGreater(sum(len(dims) == 2 and kind == 1 for dims, kind, _ in ours[0].values()), 20)
        for side in ("source.spm", "target.spm"):
            shutil.copy(checkpoint / side, self.folder / "theirs")
        texts = [text for text, _ in CTranslate2(self.folder / "ours").translate(self.lines, 1)]
        self.assertEqual(texts, [text for text, _ in CTranslate2(self.folder / "theirs").translate(self.lines, 1)])

    def test_a_wrong_weight_is_seen(self):
        """The comparison tells models apart that differ in one norm."""
        from safetensors.numpy import load_file, save_file

        checkpoint = self.train(tie_embeddings="all")
        ours = self.our_translations(checkpoint, self.lines, 1)
        weights = load_file(checkpoint / "model.safetensors")
        weights["decoder.norm.alpha"][::2] *= 2
        save_file(weights, self.folder / "changed.safetensors")
        spm = f"{checkpoint / 'source.spm'},{checkpoint / 'target.spm'}"
        config = ["--config", str(self.folder / "config.json"), "--tokenizers", spm]
        export(self.folder / "changed.safetensors", self.folder / "ct2", "ctranslate2", *config)
        theirs = CTranslate2(self.folder / "ct2").translate(self.lines, 1)
        self.assertLess(sum(a[0] == b[0] for a, b in zip(ours, theirs, strict=True)), len(ours) // 2)


class ToHuggingFace(ExportTest):
    def setUp(self):
        super().setUp()
        self.out = self.folder / "hf"

    def expect_same_in_transformers(self, checkpoint, what):
        export(checkpoint, self.out, "huggingface", "--force")
        self.expect_same(checkpoint, HuggingFace(self.out).translate, f"transformers, {what}")

    def expect_same_by_their_converter(self, checkpoint, what):
        """CTranslate2's own converter is a second witness of the folder."""
        converted = self.folder / "converted"
        TransformersConverter(str(self.out)).convert(str(converted), force=True)
        translator = ctranslate2.Translator(str(converted), intra_threads=1)
        tokenizer = transformers.AutoTokenizer.from_pretrained(str(self.out))

        def translate(lines, beam):
            pieces = [tokenizer.convert_ids_to_tokens(tokenizer.encode(line)) for line in lines]
            search = {"beam_size": beam, "length_penalty": 0, "max_decoding_length": MAX_LENGTH}
            found = translator.translate_batch(pieces, return_scores=True, min_decoding_length=0, **search)
            ids = [tokenizer.convert_tokens_to_ids(each.hypotheses[0]) for each in found]
            return list(zip(tokenizer.batch_decode(ids), [each.scores[0] for each in found], strict=True))

        self.expect_same(checkpoint, translate, f"ct2-transformers-converter, {what}")

    def test_pre_norm_all_tied(self):
        for norm in ("torch", "reference"):
            checkpoint = self.train(tie_embeddings="all", layer_norm=norm)
            self.expect_same_in_transformers(checkpoint, f"pre-norm, all tied, {norm} norms")
            self.assertEqual(HuggingFace(self.out).missing, set())
            self.expect_same_by_their_converter(checkpoint, f"pre-norm, all tied, {norm} norms")
            shutil.rmtree(self.folder / "run")

    def test_post_norm_in_every_tying(self):
        for tying, norm, kind in (("all", "torch", "bpe"), ("decoder", "reference", "unigram"), ("none", "torch", "char")):
            model = {"norm": "post", "layer_norm": norm, "tie_embeddings": tying, "attention_bias": tying == "none"}
            checkpoint = self.train({"type": kind}, **model)
            self.expect_same_in_transformers(checkpoint, f"post-norm, {tying} tied, {norm} norms, {kind}")
            shutil.rmtree(self.folder / "run")

    def test_two_vocabularies(self):
        checkpoint = self.train({"shared": False}, norm="post", tie_embeddings="decoder")
        self.expect_same_in_transformers(checkpoint, "two vocabularies")

    def test_other_positions(self):
        for positions in ({"positions": "learned", "max_positions": 258}, {"sinusoid_frequencies": "tensor2tensor"}):
            checkpoint = self.train(norm="post", tie_embeddings="all", activation="swish", **positions)
            self.expect_same_in_transformers(checkpoint, f"post-norm, {positions}")
            shutil.rmtree(self.folder / "run")

    def test_sources_without_sos(self):
        tokenizer = {"source_sos": False, "byte_fallback": True, "vocab_size": 600}
        checkpoint = self.train(tokenizer, norm="post", tie_embeddings="all")
        self.expect_same_in_transformers(checkpoint, "sources without sos")
        self.assertEqual(type(transformers.AutoTokenizer.from_pretrained(str(self.out))).__name__, "MarianTokenizer")

    def test_as_marian_has_it(self):
        """Ids from a vocabulary file with pad at its end, sources without sos, a zero vector at the start: what
        CTranslate2's converter expects of MarianMT. translate-infer takes the folder, too."""
        first = self.train(steps=1)
        shutil.move(first / "source.spm", self.folder / "one.spm")
        shutil.rmtree(self.folder / "run")
        one = sentencepiece.SentencePieceProcessor(model_file=str(self.folder / "one.spm"))
        subwords = ["</s>", "<unk>", *(one.id_to_piece(id) for id in range(4, len(one))), "<pad>"]
        vocabulary = {subword: id for id, subword in enumerate(subwords)}
        (self.folder / "vocab.json").write_text(json.dumps(vocabulary), encoding="utf-8")
        tokenizer = {"source_sos": False, "source_model": "one.spm", "source_vocabulary": "vocab.json"}
        model = {"norm": "post", "tie_embeddings": "all", "zero_start": True, "sinusoid_layout": "halves"}
        checkpoint = self.train(tokenizer, layer_norm_epsilon=1e-5, **model)
        self.expect_same_in_transformers(checkpoint, "as Marian")
        self.expect_same_by_their_converter(checkpoint, "as Marian")
        self.expect_same_in_ctranslate2(checkpoint, "as Marian")
        again = {beam: self.our_translations(self.out, self.lines, beam) for beam in (1, 4)}
        self.expect_same(checkpoint, lambda lines, beam: again[beam], "translate-infer on the exported folder")

    def test_the_penalty_of_the_length(self):
        """`average` is the penalty of transformers."""
        checkpoint = self.train(norm="post", tie_embeddings="all", steps=100)
        export(checkpoint, self.out, "huggingface")
        options = ["--length-penalty", 1, "--length-penalty-kind", "average"]
        ours = self.our_translations(checkpoint, self.lines, 4, *options)
        theirs = HuggingFace(self.out).translate(self.lines, 4, length_penalty=1.0)
        different = [pair for pair in zip(ours, theirs, strict=True) if pair[0][0] != pair[1][0]]
        self.assertLess(len(different), 3, different)

    def test_odd_text_has_the_same_ids(self):
        """tokenizer.json gives SentencePiece's ids, for all types that it can express."""
        odd = ["  two  spaces ", "ﬁne Ｆｕｌｌ ½ ﷺ", "\u00a0\u3000x\ty", "漢字 한국어 ไทย", "e\u0301 and é", "....... -----"]
        odd += ["<s> </s> a", "<pad><unk>", "a<0x41>b <0x0A>", "<<s>> x</s>y", "</ s> <", "s>", "<<< >>>"]
        odd += ["aaaaaaaaaaaa zzzz", "l'été, ÉTÉ", "🙂👨‍👩‍👧", "x", "1234567890", "\u200bzero", "A" * 300, "don't – “quoted”"]
        text = odd + self.lines + [line.upper() for line in self.lines]
        for kind in ("bpe", "unigram", "char"):
            for extra in ({}, {"byte_fallback": True, "vocab_size": 600}, {"normalization": "nfkc"}):
                checkpoint = self.train({"type": kind} | extra, steps=1, norm="post")
                export(checkpoint, self.out, "huggingface", "--force")
                theirs = transformers.AutoTokenizer.from_pretrained(str(self.out))
                ours = sentencepiece.SentencePieceProcessor(model_file=str(checkpoint / "source.spm"))
                for line in text:
                    expected = [ours.bos_id(), *ours.encode(line), ours.eos_id()]
                    self.assertEqual(theirs(line)["input_ids"], expected, (kind, extra, line))
                    self.assertEqual(theirs.decode(expected[1:-1]), ours.decode(expected[1:-1]).replace(" ⁇ ", "<unk>"))
                shutil.rmtree(self.folder / "run")


    def test_special_subwords_in_a_text_are_text(self):
        """Also of a unigram model whose own text has all their characters."""
        marks = "<s> </s> <pad> <unk> <0x41> 0123456789ABCDEF x"
        for side in ("en", "fr"):
            lines = (CORPUS / f"train.{side}").read_text(encoding="utf-8").splitlines()[:2000]
            text = "".join(f"{line} {marks}\n" for line in lines)
            (self.folder / f"marked.{side}").write_text(text, encoding="utf-8")
        files = {"source": str(self.folder / "marked.en"), "target": str(self.folder / "marked.fr")}
        for extra in ({}, {"byte_fallback": True, "vocab_size": 600}):
            others = {"data": {"train": files, "max_length": 500}}
            checkpoint = train(self.folder, BPE | {"type": "unigram"} | extra, SMALL | {"norm": "post"}, 1, **others)
            export(checkpoint, self.out, "huggingface", "--force")
            theirs = transformers.AutoTokenizer.from_pretrained(str(self.out))
            ours = sentencepiece.SentencePieceProcessor(model_file=str(checkpoint / "source.spm"))
            for line in (marks, "a<s>b</s><pad>", "<0x41>", "<unk> <s>", "<<s>> é <0x0A>", *self.lines):
                expected = [ours.bos_id(), *ours.encode(line), ours.eos_id()]
                self.assertEqual(theirs(line)["input_ids"], expected, (extra, line))
            shutil.rmtree(self.folder / "run")

    def test_language_tags(self):
        """One id at the head of a text, with the translations that they have here."""
        for sos in (True, False):
            checkpoint = self.train({"source_sos": sos}, languages=("fr", "de"), norm="post", tie_embeddings="all", steps=100)
            export(checkpoint, self.out, "huggingface", "--force")
            folder = HuggingFace(self.out)
            tagged = [f">>{language}<< {line}" for language, line in zip(("fr", "de") * len(self.lines), self.lines)]
            source = sentencepiece.SentencePieceProcessor(model_file=str(checkpoint / "source.spm"))
            theirs = transformers.AutoTokenizer.from_pretrained(str(self.out))
            for text in tagged:
                tag, line = text.split(" ", 1)
                ids = [source.piece_to_id(tag), *source.encode(line), source.eos_id()]
                self.assertEqual(theirs(text)["input_ids"], [source.bos_id()] * sos + ids, text)
            ours = self.our_translations(checkpoint, tagged, 1)
            found = folder.translate(tagged, 1)
            different = [pair for pair in zip(ours, found, strict=True) if pair[0][0] != pair[1][0]]
            self.assertLess(len(different), 3, different)
            shutil.rmtree(self.folder / "run")


class WholeLines:
    """In place of the sentencizer of argostranslate, which downloads a model."""

    def split_sentences(self, text):
        return [text]


class ToArgos(ExportTest):
    # `scripts/setup --python` leaves it out for its many requirements, spaCy and Stanza among them.
    @unittest.skipUnless(importlib.util.find_spec("argostranslate"), "argostranslate is not installed")
    def test_installed_package(self):
        for place in ("DATA", "CONFIG", "CACHE"):
            os.environ[f"XDG_{place}_HOME"] = str(self.folder / place.lower())
        from argostranslate import package, translate

        checkpoint = self.train(tie_embeddings="all")
        export(checkpoint, self.folder / "en-fr.argosmodel", "argos")
        package.install_from_path(self.folder / "en-fr.argosmodel")
        translation = translate.get_translation_from_codes("en", "fr")
        translation.underlying.sentencizer = WholeLines()

        def theirs(lines, beam):
            found = [translation.hypotheses(line)[0] for line in lines]
            return [(each.value, each.score) for each in found]

        self.expect_same(checkpoint, theirs, "argostranslate", beams=(4,), penalty=0.2, longest=256)

    def test_language_tags_are_refused(self):
        checkpoint = self.train(tie_embeddings="all", languages=("fr", "de"), steps=1)
        with self.assertRaisesRegex(AssertionError, "its vocabulary has language tags"):
            export(checkpoint, self.folder / "en-fr.argosmodel", "argos")


if __name__ == "__main__":
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    unittest.main()
