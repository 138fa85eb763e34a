"""French verbs: present, future, participle and, for `être` and `avoir`, imperfect."""

from dataclasses import dataclass

SLOTS = ("je", "il", "nous", "vous", "ils")
FUTURE_ENDINGS = dict(zip(SLOTS, ("ai", "a", "ons", "ez", "ont")))
REFLEXIVE = dict(zip(SLOTS, ("me", "se", "nous", "vous", "se")))

# infinitive: present (je, il, nous, vous, ils), participle, stem of the future
IRREGULAR = """
être       suis est sommes êtes sont                              été      ser
avoir      ai a avons avez ont                                    eu       aur
aller      vais va allons allez vont                              allé     ir
dormir     dors dort dormons dormez dorment                       dormi    dormir
rire       ris rit rions riez rient                               ri       rir
courir     cours court courons courez courent                     couru    courr
partir     pars part partons partez partent                       parti    partir
venir      viens vient venons venez viennent                      venu     viendr
revenir    reviens revient revenons revenez reviennent            revenu   reviendr
asseoir    assieds assied asseyons asseyez asseyent               assis    assiér
boire      bois boit buvons buvez boivent                         bu       boir
voir       vois voit voyons voyez voient                          vu       verr
vendre     vends vend vendons vendez vendent                      vendu    vendr
perdre     perds perd perdons perdez perdent                      perdu    perdr
attendre   attends attend attendons attendez attendent            attendu  attendr
entendre   entends entend entendons entendez entendent            entendu  entendr
répondre   réponds répond répondons répondez répondent            répondu  répondr
prendre    prends prend prenons prenez prennent                   pris     prendr
ouvrir     ouvre ouvre ouvrons ouvrez ouvrent                     ouvert   ouvrir
lire       lis lit lisons lisez lisent                            lu       lir
écrire     écris écrit écrivons écrivez écrivent                  écrit    écrir
suivre     suis suit suivons suivez suivent                       suivi    suivr
pouvoir    peux peut pouvons pouvez peuvent                       pu       pourr
vouloir    veux veut voulons voulez veulent                       voulu    voudr
devoir     dois doit devons devez doivent                         dû       devr
dire       dis dit disons dites disent                            dit      dir
acheter    achète achète achetons achetez achètent                acheté   achèter
appeler    appelle appelle appelons appelez appellent             appelé   appeller
lever      lève lève levons levez lèvent                          levé     lèver
espérer    espère espère espérons espérez espèrent                espéré   espérer
"""

IMPERFECT = {
    "être": ("étais", "était", "étions", "étiez", "étaient"),
    "avoir": ("avais", "avait", "avions", "aviez", "avaient"),
}


@dataclass(frozen=True)
class FrenchVerb:
    """Forms by subject slot (`je`, `il`, `nous`, `vous`, `ils`)."""
    infinitive: str
    present: dict
    participle: str
    future: dict
    auxiliary: str = "avoir"
    reflexive: bool = False

    @property
    def imperfect(self):
        """The imperfect for verbs of state, which take it for the English past, else None."""
        forms = IMPERFECT.get(self.infinitive)
        return dict(zip(SLOTS, forms)) if forms else None

    def agreed_participle(self, gender, number):
        """The participle with the ending of `gender` and `number` (assis keeps its own s)."""
        stem = self.participle + ("e" if gender == "f" else "")
        return stem + ("s" if number == "p" and not stem.endswith("s") else "")


def _regular(infinitive):
    stem = infinitive[:-2]
    soft = stem + "e" if stem.endswith("g") else stem  # mangeons, nageons
    present = (stem + "e", stem + "e", soft + "ons", stem + "ez", stem + "ent")
    return present, stem + "é", infinitive


def _irregular_table():
    table = {}
    for line in IRREGULAR.strip().splitlines():
        infinitive, *present, participle, future = line.split()
        table[infinitive] = (tuple(present), participle, future)
    return table


_TABLE = _irregular_table()


def french_verb(infinitive, auxiliary="avoir", reflexive=False):
    """Conjugates a regular -er verb or one of the table; reflexive verbs always take `être`."""
    if infinitive not in _TABLE and not infinitive.endswith("er"):
        raise KeyError(f"no conjugation for {infinitive}")
    present, participle, future = _TABLE.get(infinitive) or _regular(infinitive)
    return FrenchVerb(infinitive, dict(zip(SLOTS, present)), participle,
                      {slot: future + FUTURE_ENDINGS[slot] for slot in SLOTS},
                      "être" if reflexive else auxiliary, reflexive)


ETRE = french_verb("être")
AVOIR = french_verb("avoir")
AUXILIARIES = {"être": ETRE, "avoir": AVOIR}
