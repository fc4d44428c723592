"""The hook without the executable."""
def main() -> int:
    print("cuecard-hook pure")
    return 0
