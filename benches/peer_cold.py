"""The cost of one answer in a fresh process: import, open, search.

    python -I benches/peer_cold.py ENGINE FOLDER K QUERY

Prints three numbers: the milliseconds of import and opening together, the milliseconds of the first query, and how many
documents it found. Only modules of the interpreter are imported before the clock starts.
"""

import sys
import time

sys.path.insert(0, __file__.rpartition("/")[0])
from peer_engines import ENGINES

engine = ENGINES[sys.argv[1]]()
begin = time.perf_counter()
engine.open(sys.argv[2])
opened = time.perf_counter()
found = engine.search(sys.argv[4], int(sys.argv[3]))
end = time.perf_counter()
print(f"{(opened - begin) * 1e3:.3f} {(end - opened) * 1e3:.3f} {len(found)}")
