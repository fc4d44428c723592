"""Korean words without their particles and endings (SPEC 19.4)."""

_ENDINGS = frozenset(
    (
        "은 는 이 가 을 를 에 의 로 와 과 도 만 요 들 에서 에게 한테 으로 부터 까지 처럼 보다 마다 이나 이란 "
        "라는 라고 라도 이고 이며 에는 에도 에만 에선 와의 과의 들은 들이 들을 들의 들에 로는 로도 로만 하는 "
        "하고 하기 하면 하지 하게 하다 하며 하던 하여 해서 해야 해줘 했다 했어 했을 했던 한다 한 할 함 된 될 "
        "됨 되는 되고 되면 되지 되게 되어 되다 돼서 돼야 됐다 된다 에서는 에서도 에서의 에서만 으로는 으로도 "
        "으로만 이라는 이라고 이라도 까지는 부터는 입니다 인가요 인지 인데 이야 하려면 하려고 하도록 하거나 "
        "하지만 하나요 하세요 해주세요 합니다 합니까 했나요 했는데 했지만 했었다 했습니다 할까 할까요 할지 "
        "할때 되나요 되려면 되도록 되었다 됩니다 됩니까 됐나요 됐는데 되지만 되거나 됐습니다 되었습니다 "
        "하였습니다 하겠습니다"
    ).split(" ")
)
_LONGEST = max(map(len, _ENDINGS))

STOP_WORDS = frozenset(
    (
        "은 는 이 가 을 를 에 의 로 와 과 도 만 요 들 에서 으로 에게 부터 까지 처럼 보다 한 할 된 될 하는 하고 "
        "하기 하면 해서 되는 되면 그 저 것 거 수 때 등 및 더 좀 잘 안 못 다 왜 뭐 뭘 또 이거 그거 저거 이것 "
        "그것 이건 그건 그럼 그리고 그런데 그래서 하지만 또는 혹은 어떻게 어떤 어디 어디서 언제 무엇 무슨 누가 "
        "얼마나 우리 우리가 제가 내가 나는 있는 있나 있나요 있어 있어요 있다 있습니다 있을까 없는 없나 없어 "
        "없다 하나요 했나요 되나요 했지 하지 할까 할까요 해줘 해주세요 해야 하려면 하는지 되는지 인가요 입니다 "
        "합니다 같은 같아 대해 대한 위해 위한 관련 경우 지금 다시 여기 거기"
    ).split(" ")
)

# Words that are seldom what a prompt is about, and what the forms of such words begin with.
WEAK_WORDS = frozenset(
    (
        "가끔 가장 각각 갑자기 거야 거의 거죠 거지 건 걸 것도 것들 것은 것을 것이 게 계속 그걸 그게 그냥 근데 까닭 "
        "꼭 나중 내일 너무 다들 다음 두 따로 때마다 때문 떠요 뜨는데 마지막 매우 먼저 모두 모든 바로 방금 방법 번 "
        "벌써 보통 부분 부탁 빨리 사용한 새로 새로운 서로 아까 아마 아주 아직 약간 여러 오늘 와서 왜요 왜죠 왜지 "
        "원래 이걸 이게 이미 이번 이유 이제 일단 자주 저번 전부 점 정도 정말 제대로 제일 조금 줄 지난 지난번 진짜 "
        "처음 최근 하나 하자 함께 항상 해 혹시"
    ).split(" ")
)
WEAK_BEGINNINGS = tuple(
    (
        "가능 가져 갔 같 괜찮 궁금 그거 그것 그랬 그러 그런 그렇 나오 나온 나와 나왔 넣 누가 누구 다르 다른 돌려 "
        "돌리 돌아 돼 됐 되게 되고 되나 되냐 되는 되니 되도록 되려 되면 되어 되었 되지 될 됩 만드 만든 만들 많 말하 "
        "말해 맞나 맞는 맞아 맞죠 맞지 몇 모르 몰라 무슨 무엇 뭐 뭔 뭘 뭣 보여 보이게 보이는 봐 봤 사용하 사용할 "
        "사용해 사용했 생각 생겨 생겼 생긴 설명하 설명해 쉬운 쉽 시작 싶 써도 써서 써야 썼 쓰나 쓰는 쓰면 쓰지 쓸지 "
        "않 알겠 알려 알아 알았 알지 어느 어디 어떡 어떤 어떻 어렵 어째 어찌 언제 얼마 없고 없나 없는 없다 없어 없었 "
        "없으 없을 없이 없지 왔 이거 이것 이랬 이런 이렇 이상하 이상한 이상해 있 저거 저것 저런 저렇 좋 주세요 줘 줬 "
        "찾 필요 하게 하고 하기 하냐 하는 하니 하던 하도록 하려 하며 하면 하세 한다 한번 할게 할까 할지 합니 합시 "
        "해도 해보 해봐 해서 해야 해요 해주 해줘 했"
    ).split(" ")
)


def strip_ending(word: str) -> str:
    """The word without the longest ending of the table that leaves two syllables."""
    for length in range(min(_LONGEST, len(word) - 2), 0, -1):
        if word[-length:] in _ENDINGS:
            return word[:-length]
    return word


def is_weak_word(run: str) -> bool:
    """Whether a run of syllables, perhaps with an ending, counts for less in a prompt."""
    return run.startswith(WEAK_BEGINNINGS) or run in WEAK_WORDS or strip_ending(run) in WEAK_WORDS
