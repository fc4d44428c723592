"""`python -m cuecard.cli` runs the command of this interpreter. `cuecard` on PATH may belong to another interpreter."""

import sys

from ..cli import main

sys.exit(main())
