"""The verbs: English forms, the one French verb of each, and what may be subject and object."""

from dataclasses import dataclass

from .conjugation import AVOIR, ETRE, FrenchVerb, french_verb


@dataclass(frozen=True)
class Verb:
    """An English verb and its French one. `state` verbs have no progressive; `subjects` and `objects` are noun tags."""
    english: str
    third: str
    past: str
    ing: str
    french: FrenchVerb
    subjects: str
    objects: str = ""
    state: bool = False
    no_past: bool = False

    @property
    def name(self):
        return self.english


# English base, third person, past, -ing ("_" for a space) | French ("se" before reflexive ones, "+" takes être)
# | subjects | objects (tags); "!": never in the progressive
INTRANSITIVE = """
sit sits sat -              | se asseoir   | person animal
sleep sleeps slept sleeping | dormir       | person animal
run runs ran running        | courir       | person animal
swim swims swam swimming    | nager        | person animal
play plays played playing   | jouer        | person animal
eat eats ate eating         | manger       | person animal
fall falls fell falling     | tomber+      | person animal
arrive arrives arrived arriving | arriver+ | person animal
leave leaves left leaving   | partir+      | person animal
stay stays stayed staying   | rester+      | person animal
hide hides hid hiding       | se cacher    | person animal
wake_up wakes_up woke_up waking_up | se réveiller | person animal
sing sings sang singing     | chanter      | person singing
dance dances danced dancing | danser       | person
laugh laughs laughed laughing | rire       | person
cry cries cried crying      | pleurer      | person
walk walks walked walking   | marcher      | person animal
work works worked working   | travailler   | person
"""

TRANSITIVE = """
see sees saw -                    | voir      | person animal | person animal thing goods place sky plant
love loves loved -                | aimer     | person animal | person pet food drink song sky
hear hears heard -                | entendre  | person animal | person animal song ride
eat eats ate eating               | manger    | person animal | food
drink drinks drank drinking       | boire     | person animal | drink
look_for looks_for looked_for looking_for | chercher | person animal | person pet thing money
find finds found -                | trouver   | person animal | pet thing money food text mail
follow follows followed following | suivre    | person animal | person animal
wait_for waits_for waited_for waiting_for | attendre | person animal | person ride
buy buys bought buying            | acheter   | person | food drink thing goods text gift wear instrument
sell sells sold selling           | vendre    | person | food thing goods text gift wear instrument
lose loses lost -                 | perdre    | person | thing money wear
take takes took taking            | prendre   | person | thing money ride
wear wears wore wearing           | porter    | person | wear
open opens opened opening         | ouvrir    | person | opening
close closes closed closing       | fermer    | person | opening
wash washes washed washing        | laver     | person | washed wear fruit
read reads read reading           | lire      | person | text mail tale
write writes wrote writing        | écrire    | person | written
draw draws drew drawing           | dessiner  | person | animal plant place sky person
look_at looks_at looked_at looking_at | regarder | person animal | person animal thing goods place sky plant
listen_to listens_to listened_to listening_to | écouter | person | person song
help helps helped helping         | aider     | person | person
call calls called calling         | appeler   | person | person
meet meets met meeting            | rencontrer | person | person
visit visits visited visiting     | visiter   | person | sight
"""

# a thing to somebody: with `to` + noun (à), or with a pronoun before the thing (lui, leur)
DITRANSITIVE = """
give gives gave giving      | donner   | person | gift thing money wear food
show shows showed showing   | montrer  | person | thing goods text wear gift mail
sell sells sold selling     | vendre   | person | goods animal food
write writes wrote writing  | écrire   | person | written
"""

# somebody, in French with à
DATIVE = """
talk_to talks_to talked_to talking_to | parler | person | person
answer answers answered answering  | répondre | person | person
"""

GOING = """
go goes went going                     | aller+   | person animal |
come_back comes_back came_back coming_back | revenir+ | person animal |
come comes came coming                 | venir+   | person animal |
"""

SAYING = """
think thinks - thinking  | penser  | person |
say says - saying        | dire    | person |
hope hopes - hoping      | espérer | person |
"""


def _french(text):
    if text.startswith("se "):
        return french_verb(text[3:], reflexive=True)
    return french_verb(text.rstrip("+"), "être" if text.endswith("+") else "avoir")


def _parse(line):
    forms, french, subjects, *objects = (part.strip() for part in line.split("|"))
    base, third, past, ing = (form.replace("_", " ").strip("-") for form in forms.split())
    return Verb(base, third, past, ing, _french(french), subjects, objects[0] if objects else "",
                state=not ing, no_past=not past)


def _table(text):
    return tuple(_parse(line) for line in text.strip().splitlines())


INTRANSITIVES, TRANSITIVES = _table(INTRANSITIVE), _table(TRANSITIVE)
DITRANSITIVES, DATIVES = _table(DITRANSITIVE), _table(DATIVE)
GO, COME_BACK, COME = _table(GOING)
SAYINGS = _table(SAYING)
BE = Verb("be", "is", "was", "being", ETRE, "", state=True)
BE_WITH_AVOIR = Verb("be", "is", "was", "being", AVOIR, "", state=True)  # is hungry: a faim
HAVE = Verb("have", "has", "had", "having", AVOIR, "person", state=True)
LIVE = Verb("live", "lives", "lived", "living", french_verb("habiter"), "person")
SIT, PLAY = (next(verb for verb in INTRANSITIVES if verb.english == name) for name in ("sit", "play"))
MODALS = (("can", "can", french_verb("pouvoir")), ("want to", "wants to", french_verb("vouloir")),
          ("must", "must", french_verb("devoir")))
