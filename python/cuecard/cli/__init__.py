"""The `cuecard` command."""


def main() -> None:
    print("cuecard")
