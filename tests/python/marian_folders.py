"""Folders of MarianMT as Hugging Face's transformers saves them: with the vocabularies of an OPUS-MT model, and weights
that are random or trained."""

import io
import json
import os
import warnings

os.environ["HF_HUB_OFFLINE"] = "1"

import safetensors.torch  # noqa: E402
import sentencepiece  # noqa: E402
import torch  # noqa: E402
import transformers  # noqa: E402
from transformers import GenerationConfig, MarianConfig, MarianMTModel, MarianTokenizer  # noqa: E402

transformers.utils.logging.set_verbosity_error()
transformers.utils.logging.disable_progress_bar()
warnings.filterwarnings("ignore", message="Recommended: pip install sacremoses")  # its normalisation is none of Marian's

END, UNKNOWN, PAD = "</s>", "<unk>", "<pad>"


def train_pieces(lines, path, size):
    """A unigram model of at most `size` pieces, with SentencePiece's own special ids, as in an OPUS-MT folder."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=model, vocab_size=size, hard_vocab_limit=False,
        character_coverage=1.0, minloglevel=2,
    )  # fmt: skip
    path.write_bytes(model.getvalue())


def pieces_of(path):
    """The pieces of a SentencePiece model in order of their ids, without the special ones."""
    model = sentencepiece.SentencePieceProcessor(model_file=str(path))
    return [model.id_to_piece(id) for id in range(len(model)) if not model.is_control(id) and not model.is_unknown(id)]


def vocabulary(*lists):
    """{piece: id} as an OPUS-MT model has it: the end is 0, unk 1, the pad comes last."""
    pieces = dict.fromkeys(piece for pieces in lists for piece in pieces)
    return {piece: id for id, piece in enumerate([END, UNKNOWN, *pieces, PAD])}


def write_json(path, value):
    path.write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


def save_tokenizer(folder, source, target=None):
    """Writes the vocabulary, or two separate ones, beside source.spm and target.spm, and what transformers adds."""
    write_json(folder / "vocab.json", source)
    separate = target is not None
    if separate:
        write_json(folder / "target_vocab.json", target)
    tokenizer = MarianTokenizer(
        source_spm=str(folder / "source.spm"), target_spm=str(folder / "target.spm"), vocab=str(folder / "vocab.json"),
        target_vocab_file=str(folder / "target_vocab.json") if separate else None, separate_vocabs=separate,
        source_lang="en", target_lang="fr",
    )  # fmt: skip
    tokenizer.save_pretrained(folder)


def configuration(source, target=None, **shape):
    """The configuration of a model with these vocabularies, with the special ids of an OPUS-MT model."""
    target = source if target is None else target
    return MarianConfig(
        vocab_size=len(source), decoder_vocab_size=len(target), pad_token_id=target[PAD], eos_token_id=target[END],
        forced_eos_token_id=target[END], decoder_start_token_id=target[PAD], **shape,
    )  # fmt: skip


def generation(config):
    """The generation_config.json of an OPUS-MT model."""
    return GenerationConfig(
        bad_words_ids=[[config.pad_token_id]], pad_token_id=config.pad_token_id, eos_token_id=config.eos_token_id,
        bos_token_id=config.eos_token_id, decoder_start_token_id=config.decoder_start_token_id,
        forced_eos_token_id=config.forced_eos_token_id, max_length=512, num_beams=4, renormalize_logits=True,
    )  # fmt: skip


def save_model(folder, model, pickled=False, positions=False, dtype=torch.float32):
    """Writes the model as transformers does: `pickled`: as pytorch_model.bin, as it did; `positions`: with the tables of positions,
    which older files have."""
    model.generation_config = generation(model.config)
    model.save_pretrained(folder)
    if not pickled and not positions and dtype == torch.float32:
        return
    weights = {name: value.to(dtype, copy=True) for name, value in model.state_dict().items()}
    if not positions:
        weights = {name: value for name, value in weights.items() if "embed_positions" not in name}
    if pickled:
        (folder / "model.safetensors").unlink()
        torch.save(weights, folder / "pytorch_model.bin")
    else:
        safetensors.torch.save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})


def load(folder):
    """(model, tokenizer) as transformers reads them."""
    model = MarianMTModel.from_pretrained(folder, dtype=torch.float32).eval()
    return model, MarianTokenizer.from_pretrained(folder)
