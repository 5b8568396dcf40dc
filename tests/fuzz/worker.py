"""A process that tries files, one a line: `kind seed depth`; a result a line, as JSON.

It ends itself where a file takes more processor time than allowed (SIGPROF), after saying where it was.
"""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import signal
import sys
from pathlib import Path

from tests.fuzz.mutations import mutated
from tests.fuzz.trial import Depth, tried

MEMORY = 6 << 30  # bytes of address space; libraries that are only mapped take two or three of it


def serve(folder: Path, limit_s: float) -> None:
    """Try files until there are no more lines."""
    replies = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what libraries print is no reply
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    with (folder / f"stack-{os.getpid()}.txt").open("w") as stack:
        faulthandler.register(signal.SIGPROF, stack, all_threads=False, chain=True)
        for line in sys.stdin:
            kind, seed, depth = line.split()
            signal.setitimer(signal.ITIMER_PROF, limit_s)
            trial = tried(mutated(kind, int(seed)), Depth(int(depth)))
            signal.setitimer(signal.ITIMER_PROF, 0)
            replies.write(json.dumps(trial.to_dict()) + "\n")


if __name__ == "__main__":
    serve(Path(sys.argv[1]), float(sys.argv[2]))
