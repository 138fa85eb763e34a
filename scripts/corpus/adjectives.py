"""The adjectives: French forms, place before or after the noun, and the nouns that they fit."""

from dataclasses import dataclass

# English; French masculine, feminine, masculine plural, feminine plural, masculine before a vowel ("-": the same);
# place: pre, post, attr (before, never after `to be`), pred (only after `to be`); tags of the nouns that it fits
TABLE = """
small        petit       petite       petits       petites       -        pre kid animal thing goods place room fruit
big          grand       grande       grands       grandes       -        pre animal place big empty
beautiful    beau        belle        beaux        belles        bel      pre adult animal wear place plant sky
old          vieux       vieille      vieux        vieilles      vieil    pre adult animal thing goods place way instrument
young        jeune       jeune        jeunes       jeunes        -        pre adult animal skilled
new          nouveau     nouvelle     nouveaux     nouvelles     nouvel   attr thing goods skilled at text instrument
good         bon         bonne        bons         bonnes        -        pre food drink text tale skilled dining song
bad          mauvais     mauvaise     mauvais      mauvaises     -        pre text tale skilled dining song
long         long        longue       longs        longues       -        pre long
black        noir        noire        noirs        noires        -        post animal wear goods thing
white        blanc       blanche      blancs       blanches      -        post animal wear painted goods
red          rouge       rouge        rouges       rouges        -        post wear painted goods thing
blue         bleu        bleue        bleus        bleues        -        post wear painted goods thing
green        vert        verte        verts        vertes        -        post wear painted goods
yellow       jaune       jaune        jaunes       jaunes        -        post wear painted plant
happy        heureux     heureuse     heureux      heureuses     -        post person pet
sad          triste      triste       tristes      tristes       -        post person text tale mail song
tired        fatigué     fatiguée     fatigués     fatiguées     -        post person animal
sick         malade      malade       malades      malades       -        post person animal
kind         gentil      gentille     gentils      gentilles     -        pre person
cold         froid       froide       froids       froides       -        post cold
hot          chaud       chaude       chauds       chaudes       -        post cold
clean        propre      propre       propres      propres       -        post wear washed room
dirty        sale        sale         sales        sales         -        post wear washed room
tall         grand       grande       grands       grandes       -        pred person
open         ouvert      ouverte      ouverts      ouvertes      -        pred opening at
closed       fermé       fermée       fermés       fermées       -        pred opening at
"""


@dataclass(frozen=True)
class Adjective:
    """One adjective with all its French forms."""
    english: str
    forms: dict
    before_vowel: str
    place: str
    tags: frozenset

    def agree(self, gender, number, vowel_next=False):
        """The form for `gender` m/f and `number` s/p; `vowel_next` asks for bel, vieil, nouvel."""
        if vowel_next and (gender, number) == ("m", "s"):
            return self.before_vowel
        return self.forms[gender + number]


def _parse(line):
    english, ms, fs, mp, fp, vowel, place, *tags = line.split()
    forms = {"ms": ms, "fs": fs, "mp": mp, "fp": fp}
    return Adjective(english, forms, ms if vowel == "-" else vowel, place, frozenset(tags))


ADJECTIVES = tuple(_parse(line) for line in TABLE.strip().splitlines())
COLORS = tuple(a for a in ADJECTIVES if a.english in ("black", "white", "red", "blue", "green", "yellow"))


def attributive(tags, place):
    """Adjectives that stand beside a noun with `tags`, before it (`pre`) or after it (`post`)."""
    places = ("pre", "attr") if place == "pre" else ("post",)
    return [a for a in ADJECTIVES if a.place in places and a.tags & tags]


def predicative(tags):
    """Adjectives that may follow `to be` for a subject with `tags`."""
    return [a for a in ADJECTIVES if a.place != "attr" and a.tags & tags]
