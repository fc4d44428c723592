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


def strip_ending(word: str) -> str:
    """The word without the longest ending of the table that leaves two syllables."""
    for length in range(min(_LONGEST, len(word) - 2), 0, -1):
        if word[-length:] in _ENDINGS:
            return word[:-length]
    return word
