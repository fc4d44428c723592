"""The words that say nothing about a subject (SPEC 4)."""

STOP_WORDS = frozenset(
    (
        "a an the is was are were be been being "
        "do does did have has had will would could can should may might shall must "
        "i you we they he she it me my your this that these those what which who whom "
        "how when where why if then else so and or but not no yes "
        "to of in on at for with from by about up out into "
        "just also very too let please help need want know think make like use get go see "
        "as am us vs"
    ).split(" ")
)
