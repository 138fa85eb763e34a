"""What Hugging Face's transformers makes of a MarianMT folder, and the comparison with what the programs make of it."""

import dataclasses

import torch

import marian_folders

NEAR_TIE = 1e-4  # two log-probabilities that may change places by rounding


@dataclasses.dataclass(frozen=True)
class Search:
    """How to search, here and in transformers; greedily with one beam. Scores are mean log-probabilities."""

    beams: int
    limit: int  # the most subwords of a translation, the end counted
    no_repeat: int = 0  # no sequence of this many subwords occurs twice in a translation

    def options(self):
        """For translate-infer."""
        return ["--beam-size", self.beams, "--max-length", self.limit, "--no-repeat-ngram", self.no_repeat,
                "--length-penalty-kind", "average", "--length-penalty", 1]  # fmt: skip

    def repeated(self, ids):
        """The subwords that may not follow `ids`."""
        n = self.no_repeat - 1
        return [ids[i + n] for i in range(len(ids) - n) if ids[i : i + n] == ids[len(ids) - n :]] if n > 0 else []


@dataclasses.dataclass
class Found:
    """A translation by transformers."""

    ids: list  # without the start, with the end if there is one
    text: str


class Reference:
    """A folder in transformers. The search is the programs': what they never generate is suppressed, probabilities are those of
    the subwords that remain, hypotheses are compared by their mean log-probability, and at the limit no end is forced."""

    def __init__(self, folder):
        self.model, self.tokenizer = marian_folders.load(folder)
        config = self.model.config
        vocabulary = self.tokenizer.target_encoder if self.tokenizer.separate_vocabs else self.tokenizer.encoder
        self.ids, self.pieces = vocabulary, {id: piece for piece, id in vocabulary.items()}
        self.end, self.start = config.eos_token_id, config.decoder_start_token_id
        self.forbidden = sorted({config.pad_token_id, vocabulary[marian_folders.UNKNOWN], self.start})

    def target_ids(self, texts):
        return self.tokenizer(text_target=texts)["input_ids"]

    @torch.no_grad()
    def log_probabilities(self, lines, targets):
        """Of each subword of given translations and of their ends, which `targets` hold: a list of floats for each."""
        found = []
        for line, ids in zip(lines, targets):
            source = self.tokenizer([line], return_tensors="pt")
            logits = self.model(**source, decoder_input_ids=torch.tensor([[self.start, *ids[:-1]]])).logits[0]
            found.append(logits.log_softmax(dim=-1)[range(len(ids)), ids].tolist())
        return found

    def translate(self, lines, search):
        self.model.generation_config = marian_folders.GenerationConfig(
            num_beams=search.beams, max_new_tokens=search.limit, suppress_tokens=self.forbidden, renormalize_logits=True,
            no_repeat_ngram_size=search.no_repeat, length_penalty=1.0, do_sample=False,
            early_stopping="never" if search.beams > 1 else False, pad_token_id=self.model.config.pad_token_id,
            eos_token_id=self.end, decoder_start_token_id=self.start,
        )  # fmt: skip
        with torch.no_grad():
            output = self.model.generate(**self.tokenizer(lines, return_tensors="pt", padding=True))
        return [self.found(sequence) for sequence in output.tolist()]

    def found(self, sequence):
        ids = sequence[1:]
        ids = ids[: ids.index(self.end) + 1] if self.end in ids else [id for id in ids if id != self.model.config.pad_token_id]
        return Found(ids, self.tokenizer.decode(ids, skip_special_tokens=True))

    def searched(self, logits, hypotheses, search):
        """Log-probabilities, a row for what follows each hypothesis, among the subwords that may be generated."""
        logits[:, self.forbidden] = float("-inf")
        for row, ids in zip(logits, hypotheses, strict=True):
            row[search.repeated(ids)] = float("-inf")
        return logits.log_softmax(dim=-1)

    @torch.no_grad()
    def score(self, line, ids, search):
        """The summed log-probability, among the subwords that may be generated."""
        source = self.tokenizer([line], return_tensors="pt")
        logits = self.model(**source, decoder_input_ids=torch.tensor([[self.start, *ids[:-1]]])).logits[0]
        return self.searched(logits, [ids[:i] for i in range(len(ids))], search)[range(len(ids)), ids].sum().item()

    def margins(self, candidates, beams):
        """The differences of scores that decide a step: which hypotheses continue, and whether an end counts."""
        running = [value for id, _, value in candidates if id != self.end]
        yield running[beams - 1] - running[beams]
        for rank, (id, _, value) in enumerate(candidates):
            if id == self.end:
                yield abs(value - candidates[beams if rank < beams else beams - 1][2])

    @torch.no_grad()
    def closest_call(self, line, search):
        """The search again, step by step: the smallest difference of two scores that decided anything."""
        beams, limit = search.beams, search.limit
        states = self.model.get_encoder()(**self.tokenizer([line], return_tensors="pt")).last_hidden_state
        rows, best, closest = [([], 0.0)], float("-inf"), float("inf")
        for length in range(1, limit + 1):
            hypotheses = [ids for ids, _ in rows]
            started = torch.tensor([[self.start, *ids] for ids in hypotheses])
            encoded = (states.expand(len(rows), -1, -1),)
            logits = self.model(encoder_outputs=encoded, decoder_input_ids=started).logits[:, -1]
            following = self.searched(logits, hypotheses, search)
            top = (following + torch.tensor([total for _, total in rows])[:, None]).flatten().topk(2 * beams + 1)
            size = following.shape[1]
            candidates = [(index % size, index // size, value) for index, value in zip(*(part.tolist() for part in reversed(top)))]
            closest = min(closest, *self.margins(candidates, beams))
            ended = [value / length for id, _, value in candidates[:beams] if id == self.end]
            running = [([*rows[row][0], id], value) for id, row, value in candidates if id != self.end]
            rows = running[:beams]
            if length == limit:
                ended += [value / length for _, value in rows]
            for score in ended:
                closest, best = min(closest, abs(score - best)), max(score, best)
            if (beams == 1 and ended) or rows[0][1] / limit < best - NEAR_TIE:
                break
        return closest


@dataclasses.dataclass
class Comparison:
    """A program's translations beside those of transformers."""

    equal: int = 0
    ties: int = 0  # they differ, and so do searches in transformers whose scores change by less than NEAR_TIE
    wrong: list = dataclasses.field(default_factory=list)  # what else was found, in words
    largest: float = 0.0  # difference of a log-probability of a translation, for each of its subwords


def compare(reference, lines, found, search, batch=50):
    """Compares texts and subwords with those of transformers, and the program's scores with what transformers gives them."""
    expected = [other for i in range(0, len(lines), batch) for other in reference.translate(lines[i : i + batch], search)]
    result = Comparison()
    for line, item, other in zip(lines, found, expected, strict=True):
        ids = [reference.ids[piece] for piece in item["tokens"]] + ([] if item["truncated"] else [reference.end])
        score = reference.score(line, ids, search)
        difference = abs(item["score"] - score) / len(ids)
        result.largest = max(result.largest, difference)
        if difference > NEAR_TIE:
            result.wrong.append(f"{item}: transformers gives it {score}")
        elif ids == other.ids and item["translation"] == other.text:
            result.equal += 1
        elif ids != other.ids and reference.closest_call(line, search) <= NEAR_TIE:
            result.ties += 1
        else:
            result.wrong.append(f"{item}: transformers finds {other}")
    return result
