"""`python -m cuecard.cli` runs the command of this interpreter; `cuecard` on PATH may belong to another one."""

import sys

from . import main

sys.exit(main())
