"""French spelling between words: elision, contraction, spacing of punctuation."""

VOWELS = "aeiouyàâäéèêëîïôöùûüœæ"
ASPIRATED_H = {"héros", "hibou", "hiboux"}  # no elision before these: le hibou, ce héros
ELIDING = {"le", "la", "de", "je", "me", "se", "ne", "que"}
CONTRACTIONS = {("de", "le"): "du", ("de", "les"): "des", ("à", "le"): "au", ("à", "les"): "aux"}


def starts_with_vowel(word):
    """Whether an article or a pronoun elides before `word` (mute h counts as a vowel)."""
    word = word.lower()
    if word[0] == "h":
        return word not in ASPIRATED_H
    return word == "y" or (word[0] in VOWELS and word[0] != "y")


def _elided(word, following):
    if word in ELIDING and starts_with_vowel(following):
        return word[:-1] + "'"
    if word == "si" and following in ("il", "ils"):
        return "s'"
    return word


def join(words):
    """One string from French words: elides, then contracts (l'école stays, `à le` becomes `au`)."""
    elided = [_elided(word, after) for word, after in zip(words, words[1:])] + words[-1:]
    text, index = "", 0
    while index < len(elided):
        pair = tuple(elided[index:index + 2])
        piece = CONTRACTIONS.get(pair, elided[index])
        index += 2 if pair in CONTRACTIONS else 1
        glued = not text or text.endswith("'") or piece in (",", ".")
        text += piece if glued else " " + piece
    return text


def capitalized(text):
    """`text` with its first letter in upper case and the rest as it is."""
    return text[0].upper() + text[1:]
