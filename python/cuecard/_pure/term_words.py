"""Words that the lexical retriever leaves out, and those that count for less in a prompt (SPEC 19.5)."""

from . import hangul

STOP_WORDS = frozenset(
    (
        "a an the is are was were be been being am do does did has have had having can could will would should "
        "shall may might must i me my mine you your yours he him his she her hers it its we us our ours they "
        "them their theirs this that these those what which who whom whose when where why how there here if "
        "then else than so and or but nor not no yes too very just also in on at to for of with by from as "
        "into about up out s t d m re ve ll don doesn didn isn aren wasn weren won wouldn couldn shouldn hasn "
        "haven hadn ain dont doesnt didnt isnt arent wasnt werent wont wouldnt couldnt shouldnt hasnt havent "
        "cant cannot im ive id ill whats thats theres lets whos youre theyre please pls plz vs"
    ).split(" ")
)

WEAK_WORDS = frozenset(
    (
        "able actually after again against ago all almost along already although always another any anybody "
        "anymore anyone anything anyway around ask asked away back bad because before best better between big "
        "bit both bring call called came case cases clear clearly come comes coming complete completely couple "
        "current currently day days deal different doing done down during each easily easy either end enough "
        "even ever every everybody everyone everything exactly explain fact far few figure find fine first "
        "folks follow following found full further gave general get gets getting give given gives giving go "
        "goes going gone good got great guess guys half happen happened happening happens hard hello help hey "
        "hi hold however idea important instead involved itself keep keeps kept kind knew know known knows "
        "large last later least left less let like likely little long look looking looks lot lots made main "
        "mainly make makes making many matter maybe mean means mention might mind more most mostly much near "
        "necessary need needed needs never new next nice nobody normal normally note nothing now obvious off "
        "often oh ok okay old once one ones only oops other others otherwise outside over own part people "
        "perhaps person place point possible pretty previous previously probably put question questions "
        "quickly quite rather really reason recent recently related relevant remember run said same saw say "
        "says second see seem seems seen several show shows side similar simple simply since single small some "
        "somebody someone something sometimes soon sorry sort specific start started still stop stuff such "
        "suddenly supposed sure take takes taking talk talked tell telling thank thanks thing things think "
        "thought through time times today together told took toward towards tried true try trying turn two "
        "type types under understand unless until upon use used useful uses using usual usually various via "
        "wait want wanted wants way ways well went whatever whether while whole within without wonder wording "
        "work working works world worse worth wrong yeah year years yet"
    ).split(" ")
)


def is_weak_word(word: str) -> bool:
    """Whether a word in lower case, or a run of Hangul, counts for less in a prompt."""
    return word in WEAK_WORDS or ("\uac00" <= word[:1] <= "\ud7a3" and hangul.is_weak_word(word))
