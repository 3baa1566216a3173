"""python -m nbmf, the same as the command nbmf."""

import sys

from nbmf.cli import main

sys.exit(main())
