"""`python -m cuecard.mcp` starts the server with this interpreter, even if another interpreter is on PATH."""

import sys

from .command import main

sys.exit(main(sys.argv[1:]))
