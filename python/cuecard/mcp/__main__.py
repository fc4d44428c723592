"""`python -m cuecard.mcp` starts the server with this interpreter, even if PATH names another one."""

import sys

from .command import main

sys.exit(main(sys.argv[1:]))
