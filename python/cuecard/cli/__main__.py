"""`python -m cuecard.cli`: the command of exactly this interpreter, where PATH may name another one."""

import sys

from . import main

sys.exit(main())
