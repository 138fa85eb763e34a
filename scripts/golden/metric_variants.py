"""What sacreBLEU says with other settings than its defaults: the content of tests/golden/metrics/variants.json.

Sections: `lower_case` [text, lower case by Python]; `intl` and `zh` [line, tokens]; `corpora`: systems and references with the
scores of every setting, of the corpus and of each sentence; `shifted_edits` [hypothesis, reference, edits of TER] in
words that are numbers; `draws`: numbers of NumPy's generator, which sacreBLEU's tests draw from; `paired`: these tests.
"""

import json
import unicodedata

import numpy
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.metrics.lib_ter import translation_edit_rate
from sacrebleu.significance import PairedTest
from sacrebleu.tokenizers.tokenizer_intl import TokenizerV14International
from sacrebleu.tokenizers.tokenizer_zh import TokenizerZh

SEED = 12345  # sacreBLEU's own

ODD_CASES = [
    "ΟΔΥΣΣΕΥΣ ΣΣ Σ ΑΣ. ΑΣΑ ΑΣ'Α Α.Σ Α̈Σ", "İstanbul IĞDIR ıi", "STRASSE ẞ ß", "ÀÉÎÕÜ ŸŒÆ", "ǅ Ǆ ǆ", "ЁЖ Ӂ", "ԱՐԵՒ", "ᎠᎡ Ꭰ",
    "Ａｂ Ｃ", "𝐀𐐀𐐨", "K Å Ω", "ⅣⅫ ⓐⒶ", "ẤỆ", "N\u0303 Ñ", "漢字 かな", "😀 A", "Ⱥ Ⱦ", "Ά Έ ᾼ ῼ", "ﬀ ﬁ", "\u00a0A\u2003B",
]

ODD_LINES = [
    "", " ", "It costs $3,000.50 (i.e. £2.400,00)!", "1,2 ,3 4, a,b .5 5. a.", "«Ça va ?» – dit-il…", "2004.", "a2004. b",
    "3½-4² ①② Ⅳ,Ⅴ", "x=y+z<w>|~^`¨", "http://a.b/c?d=e&f=g#h", "&quot;a&amp;b&lt;", "‘’“”„‚‹›", "，。！？、「」『』（）", "٣٬٤ ٪ ؟،", "१,२।",  # noqa: E501
    "can't o'clock rock'n'roll", "e-mail – — ‒ ― − ‐", "€5 5€ ¥ ₿ ₴ ¢", "a\u00a0!\u202fb", "🙂👍🏽 👨‍👩‍👧", "°C 5° № § ¶ † ‡ • ·", "_a_ b__c",  # noqa: E501
    "12:30 1/2 3×4 5÷6", "...!!!???", ".,.,1.,.2,,3", "ª º ʰ", "a\u0301. \u200b.\u200d,", "…5 5… -5 5-5",
]

CHINESE = [  # reference, hypothesis
    ("你好，世界！", "你好，世界。"), ("我们明天去北京。", "我们明天去上海。"), ("他有3.5个苹果，1,000元。", "他有3,5个苹果，1000元。"),
    ("这本书叫《红楼梦》。", "这书叫“红楼梦”。"), ("iPhone 15很贵…", "iPhone15 很贵……"), ("請問，廁所在哪裡？", "请问厕所在哪里？"),
    ("「猫が好き？」と彼は言った。", "「猫が好き」と言った。"), ("ｶﾀｶﾅとＡＢＣ", "カタカナとABC"),
    ("한국어 문장입니다.", "한국어 문장이다."),
    ("𠀀𪛖和㐀䶵龥龻豈﨎", "𠀀和㐀龥豈"), (".5 ,a 5- -5 →←≠ ① ⅷ", " .5 ,a 5 - -5 → ≠ ①"), ("㈠㍿㎏ ︰ ⼀ ⺀ ㇀ ⿰ ㄅ ㆠ", "㈠㎏ ︰ ⼀ ㄅ"),
    ("\u2000a\u2001b\u2028c\u2a6dd\u2a6ee\u2f81f\u3000g", "a b c d e f g"), ("&quot;中&amp;文&lt;", "\"中&文<"),
]


def settings():
    """Every setting by a name that tells the C++ tests how to build it."""
    metrics = {f"bleu {tokenize} {case}": BLEU(tokenize=tokenize, lowercase=case == "lc", force=True)
               for tokenize in ("13a", "intl", "none", "char", "zh") for case in ("mixed", "lc")}
    for case in ("mixed", "lc"):
        metrics[f"chrf 0 {case}"] = CHRF(lowercase=case == "lc")
        metrics[f"chrf 2 {case}"] = CHRF(word_order=2, lowercase=case == "lc")
    return {**metrics, "ter": TER()}


def change_case(line, rng):
    return "".join(rng.one_of([c, c, c.upper(), c.lower()]) for c in line)


def random_line(alphabet, rng):
    return "".join(rng.one_of(alphabet) for _ in range(rng.below(20)))


def random_lines(count, rng):
    """Short lines of numbers, punctuation, symbols, letters and spaces of many scripts; no character newer than 2015."""
    alphabet = list("019ab.,-'\"&<>/~$+^_ ") + list("½²Ⅳ٣①«»“’…—–¡¿€£°×÷©→♥") + list("éÉΣσς漢、。（）\u00a0\u3000") + list(".,  01")
    return [random_line(alphabet, rng) for _ in range(count)]


def corpora(references, systems, rng):
    """Pairs of a system and its lists of references."""
    cased = [change_case(line, rng) for line in systems["hand-written"]]
    other = [change_case(line, rng) for line in systems["swapped words"]]
    shorter = systems["dropped words"][3:] + systems["dropped words"][:3]
    odd = (ODD_LINES + random_lines(200, rng))
    odd_system = [line.replace("a", "A").replace(",", " ,") for line in odd[1:] + odd[:1]]
    near = [line[: len(line) * 2 // 3] + line[-3:] for line in odd]
    return {
        "hand-written": (systems["hand-written"], [references]),
        "cased": (cased, [references]),
        "swapped words": (systems["swapped words"], [references]),
        "three references": (systems["mistyped"], [references, other, shorter]),
        "two references": (cased, [systems["said twice"], systems["first half"]]),
        "odd": (odd_system, [odd]),
        "odd, near": (near, [odd, odd_system]),
        "Chinese": ([hypothesis for _, hypothesis in CHINESE], [[reference for reference, _ in CHINESE]]),
    }


def score_corpus(hypotheses, references):
    scores = {}
    for name, metric in settings().items():
        corpus = metric.corpus_score(hypotheses, references)
        signature = str(metric.get_signature())
        if isinstance(metric, BLEU):
            metric.effective_order = True
        sentences = [metric.sentence_score(h, list(r)).score for h, *r in zip(hypotheses, *references)]
        scores[name] = {"score": corpus.score, "signature": signature, "sentences": [round(s, 9) for s in sentences]}
    return scores


def random_sentences(count, rng):
    """Pairs of sentences in words that are numbers: shuffled runs of each other, of few or many different words."""
    pairs = []
    for i in range(count):
        longest = 200 if i % 20 == 0 else 30
        words = [rng.below(2 + rng.below(40)) for _ in range(rng.below(longest))]
        cut, again = rng.below(len(words) + 1), rng.below(len(words) + 1)
        moved = words[cut:] + words[:cut]
        moved = moved[:again] + moved[again + rng.below(4):]
        hypothesis = [rng.below(40) if rng.chance(0.1) else word for word in moved]
        pairs.append((hypothesis, words))
    for ratio in (24, 49, 50, 51, 52, 60, 130):  # where the band around the diagonal is widened
        pairs.append(([rng.below(9) for _ in range(3)], [rng.below(9) for _ in range(3 * ratio + 1)]))
        pairs.append(([rng.below(9) for _ in range(3 * ratio + 1)], [rng.below(9) for _ in range(3)]))
    return pairs


def shifted_edits(rng):
    return [[h, r, translation_edit_rate([str(w) for w in h], [str(w) for w in r])[0]] for h, r in random_sentences(300, rng)]


def draws():
    """What NumPy's default generator draws: whole numbers below a limit, and truth values."""
    below = {limit: numpy.random.default_rng(SEED).choice(limit, size=50, replace=True).tolist()
             for limit in (1, 2, 3, 7, 100, 1000, 3_000_000_000)}
    flags = numpy.random.default_rng(SEED).integers(2, size=100, dtype=bool).astype(int).tolist()
    seeds = {seed: numpy.random.default_rng(seed).choice(1000, size=5).tolist() for seed in (0, 1, 2**32 - 1, 2**32, 2**64 - 1)}
    return {"below": below, "flags": flags, "seeds": seeds}


def plain(number):
    return None if number is None else round(float(number), 6)


def paired(systems, references):
    """Both tests of some systems against the first one, with the intervals that sacreBLEU gives."""
    named = [(name, systems[name]) for name in ("hand-written", "dropped words", "swapped words", "mistyped", "identical")]
    results = []
    for kind, samples in (("bs", 1000), ("ar", 2000)):
        metrics = {"BLEU": BLEU(force=True), "CHRF": CHRF(), "TER": TER()}
        signatures, scores = PairedTest(named, metrics, [references], test_type=kind, n_samples=samples)()
        for name, signature in signatures.items():
            systems_found = [{"name": system, "score": r.score, "p": r.p_value, "mean": plain(r.mean), "ci": plain(r.ci)}
                             for (system, _), r in zip(named, scores[name])]
            results.append({"metric": name, "test": kind, "samples": samples, "signature": str(signature),
                            "systems": systems_found})
    return results


def variants(references, systems, rng):
    """The sections of the file, each as JSON text."""
    tokenize = TokenizerV14International()
    lines = list(dict.fromkeys(ODD_LINES + ODD_CASES + references + random_lines(300, rng)))
    texts = list(dict.fromkeys(ODD_CASES + references + [unicodedata.normalize("NFD", t) for t in ODD_CASES]))
    found = {
        "lower_case": [[text, text.lower()] for text in texts],
        "intl": [[line, tokenize(line).split()] for line in lines],
        "zh": [[line, TokenizerZh()(line).split()] for line in [text for pair in CHINESE for text in pair] + lines],
        "shifted_edits": shifted_edits(rng),
        "paired": paired(systems, references),
    }
    sections = {name: "[\n" + ",\n".join("  " + json.dumps(item) for item in items) + "\n ]" for name, items in found.items()}
    sections["draws"] = json.dumps(draws())
    corpus_items = [{"name": name, "hypotheses": h, "references": r, "scores": score_corpus(h, r)}
                    for name, (h, r) in corpora(references, systems, rng).items()]
    sections["corpora"] = "[\n" + ",\n".join("  " + json.dumps(item) for item in corpus_items) + "\n ]"
    return sections
