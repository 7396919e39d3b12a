"""`python -m rsc_sim` is `rsc`."""

import sys

from rsc_sim.cli import main

if __name__ == "__main__":
    sys.exit(main())
