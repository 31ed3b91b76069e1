"""`python -m warpbook`: the command line without an installed script."""

from warpbook.cli.main import main

main()
