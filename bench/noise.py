"""The bar on comparing: a rung against itself 200 times is called faster or slower at most 6
times, and a slowed one slower in at least 45 of 50. An hour or more on a CPU, minutes on a GPU."""

import subprocess
import sys

sys.exit(subprocess.call([sys.executable, "-m", "warpbook", "doctor", "--noise", "200"]))
