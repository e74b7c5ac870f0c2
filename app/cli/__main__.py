"""The command line as a module, for tests; people have `dyno`."""

import sys

from . import main

sys.exit(main())
