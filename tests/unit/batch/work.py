"""Tasks that processes and workers can be given: they end, take long, or end their process."""

import os
import time
from typing import Any

from pliant.core.progress import Progress


def obey(task: str, progress: Progress) -> dict[str, Any]:
    what, _, number = task.partition(" ")
    if what == "die":
        os._exit(3)
    if what == "hang":
        time.sleep(600)
    if what == "nap":
        time.sleep(0.3)
    return {"number": int(number), "threads": os.environ.get("OPENBLAS_NUM_THREADS"), "process": os.getpid()}
