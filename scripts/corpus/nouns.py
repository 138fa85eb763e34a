"""The nouns: one French noun for each English one, with gender, plurals and what they may do.

Tags say which verbs, adjectives and prepositions fit: `person`, `animal`, `thing`, ...; `own` may follow a
possessive, `single` has no plural, `mass` has no plural and takes `some` (du, de la), `only` takes `the` alone.
"""

from dataclasses import dataclass

# English, its plural, French, its plural, gender, tags ("-": no plural)
TABLE = """
man         men          homme        hommes         m  person adult
woman       women        femme        femmes         f  person adult
boy         boys         garçon       garçons        m  person kid
girl        girls        fille        filles         f  person kid
child       children     enfant       enfants        m  person kid
baby        -            bébé         -              m  person single own
king        kings        roi          rois           m  person adult
queen       queens       reine        reines         f  person adult
princess    princesses   princesse    princesses     f  person adult
teacher     teachers     professeur   professeurs    m  person adult skilled own
doctor      doctors      médecin      médecins       m  person adult skilled own
student     students     étudiant     étudiants      m  person skilled
farmer      farmers      fermier      fermiers       m  person adult
hero        heroes       héros        héros          m  person
friend      friends      ami          amis           m  person own kin adult
neighbor    neighbors    voisin       voisins        m  person own kin adult
brother     brothers     frère        frères         m  person own kin
sister      sisters      sœur         sœurs          f  person own kin
mother      -            mère         -              f  person own kin single
father      -            père         -              m  person own kin single
uncle       -            oncle        -              m  person own kin single adult
aunt        -            tante        -              f  person own kin single adult
cat         cats         chat         chats          m  animal own pet
dog         dogs         chien        chiens         m  animal own pet
horse       horses       cheval       chevaux        m  animal own
bird        birds        oiseau       oiseaux        m  animal singing
mouse       mice         souris       souris         f  animal
cow         cows         vache        vaches         f  animal
rabbit      rabbits      lapin        lapins         m  animal own pet
wolf        wolves       loup         loups          m  animal
lion        lions        lion         lions          m  animal
elephant    elephants    éléphant     éléphants      m  animal
monkey      monkeys      singe        singes         m  animal
owl         owls         hibou        hiboux         m  animal
animal      animals      animal       animaux        m  animal
apple       apples       pomme        pommes         f  food fruit
orange      oranges      orange       oranges        f  food fruit
tomato      tomatoes     tomate       tomates        f  food fruit
carrot      carrots      carotte      carottes       f  food fruit
egg         eggs         œuf          œufs           m  food
cake        cakes        gâteau       gâteaux        m  food gift
bread       -            pain         -              m  food mass
cheese      -            fromage      -              m  food mass
meat        -            viande       -              f  food mass cold
soup        -            soupe        -              f  food mass cold
chocolate   -            chocolat     -              m  food mass
water       -            eau          -              f  drink mass cold
milk        -            lait         -              m  drink mass cold
coffee      -            café         -              m  drink mass cold
tea         -            thé          -              m  drink mass cold
money       -            argent       -              m  money mass
book        books        livre        livres         m  text thing own gift
letter      letters      lettre       lettres        f  mail own long written
newspaper   newspapers   journal      journaux       m  text own
story       stories      histoire     histoires      f  tale written long
song        songs        chanson      chansons       f  song long
hat         hats         chapeau      chapeaux       m  wear thing own gift
coat        coats        manteau      manteaux       m  wear thing own
dress       dresses      robe         robes          f  wear thing own long gift
shirt       shirts       chemise      chemises       f  wear thing own
shoe        shoes        chaussure    chaussures     f  wear thing own
door        doors        porte        portes         f  opening behind painted
window      windows      fenêtre      fenêtres       f  opening near
box         boxes        boîte        boîtes         f  opening thing empty
bag         bags         sac          sacs           m  opening thing own empty
key         keys         clé          clés           f  thing own
car         cars         voiture      voitures       f  goods own big in behind washed
bicycle     bicycles     vélo         vélos          m  goods own gift
boat        boats        bateau       bateaux        m  goods own big in
train       trains       train        trains         m  ride
table       tables       table        tables         f  goods on under big
chair       chairs       chaise       chaises        f  goods on behind
bed         beds         lit          lits           m  goods own on under big
glass       glasses      verre        verres         m  thing washed empty
plate       plates       assiette     assiettes      f  thing washed empty
phone       phones       téléphone    téléphones     m  thing own
computer    computers    ordinateur   ordinateurs    m  goods own
toy         toys         jouet        jouets         m  thing own gift
flower      flowers      fleur        fleurs         f  plant gift
tree        trees        arbre        arbres         m  plant under behind near big
piano       pianos       piano        pianos         m  instrument own
guitar      guitars      guitare      guitares       f  instrument own
sea         -            mer          -              f  sky only near swim
house       houses       maison       maisons        f  place in near behind own big painted
garden      gardens      jardin       jardins        m  place in near own big outside
kitchen     -            cuisine      -              f  room in own single
street      streets      rue          rues           f  way in long outside
forest      forests      forêt        forêts         f  place in near big outside
castle      castles      château      châteaux       m  place in near behind sight big
market      -            marché       -              m  place at single
school      schools      école        écoles         f  place at in near behind
hospital    hospitals    hôpital      hôpitaux       m  place at in near
station     stations     gare         gares          f  place at near
hotel       hotels       hôtel        hôtels         m  place at in near dining
museum      museums      musée        musées         m  place at in near sight
beach       beaches      plage        plages         f  place at on
church      churches     église       églises        f  place at in near behind sight
village     villages     village      villages       m  place in near sight outside
city        cities       ville        villes         f  place in near sight big outside
park        parks        parc         parcs          m  place in near at outside
river       rivers       rivière      rivières       f  near swim long
bridge      bridges      pont         ponts          m  way on under near
"""


@dataclass(frozen=True)
class Noun:
    """One lexical entry; `plural` and `fr_plural` are empty for nouns used in the singular only."""
    english: str
    plural: str
    french: str
    fr_plural: str
    gender: str
    tags: frozenset

    @property
    def countable(self):
        return "mass" not in self.tags and "only" not in self.tags


def _parse(line):
    english, plural, french, fr_plural, gender, *tags = line.split()
    return Noun(english, plural.strip("-"), french, fr_plural if fr_plural != "-" else "", gender, frozenset(tags))


NOUNS = tuple(_parse(line) for line in TABLE.strip().splitlines())


def nouns_with(tags):
    """All nouns that carry at least one of the space-separated `tags`, in table order."""
    wanted = set(tags.split())
    return [noun for noun in NOUNS if noun.tags & wanted]


# English, French, gender: spelled alike in both languages but for London
NAMES = (("Paul", "m"), ("Tom", "m"), ("Victor", "m"), ("Martin", "m"),
         ("Marie", "f"), ("Anna", "f"), ("Emma", "f"), ("Alice", "f"))
CITIES = (("Paris", "Paris"), ("London", "Londres"), ("Rome", "Rome"), ("Madrid", "Madrid"))
