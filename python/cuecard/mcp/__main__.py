"""`python -m cuecard.mcp`: the server of exactly this interpreter, where PATH may name another one."""

import sys

from .command import main

sys.exit(main(sys.argv[1:]))
