"""Write `tests/vectors/secrets.jsonl`: the matches of the rules in the judged sets, and which matches are secrets.

    python tools/gen_secret_vectors.py

Look at the difference before you commit it: a changed line means that a rule now finds something else.
"""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests" / "support")]

from cuecard.store.intake.redaction import redact  # noqa: E402
from cuecard.store.intake.secret_search import find_secrets, rules_for  # noqa: E402
from cuecard.store.intake.secret_views import plain_letters  # noqa: E402
from secret_sets import FOLDER  # noqa: E402


def main() -> None:
    """Write the file."""
    # The module reads the vectors that this function writes.
    from test_secret_rules import raw_matches  # noqa: PLC0415

    lines = []
    for name in ("secrets", "harmless", "typed_secrets", "typed_harmless"):
        for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").split("\n"):
            case = json.loads(line) if line else {"place": "none"}
            if case.get("place", "content") != "content":
                continue
            marked = case["text"].replace("⟦", "").replace("⟧", "")
            text = marked.replace("¦", "")
            plain = plain_letters(text)
            spans = sorted({(span.start, span.end) for span in find_secrets(plain, rules_for(plain))})
            kinds = sorted({found.kind for found in redact({"content": {"steps": [text]}})[1]})
            # The patterns read the text with plain letters.
            row = {"name": case["name"], "text": marked, "plain": plain_letters(marked), "matches": raw_matches(plain)}
            row |= {"spans": spans, "kinds": kinds}
            lines.append(json.dumps(row, ensure_ascii=False))
    target = ROOT / "tests" / "vectors" / "secrets.jsonl"
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(lines)} texts")


if __name__ == "__main__":
    main()
