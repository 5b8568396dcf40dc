"""What every test process does before it loads numpy."""

import os

# Test processes run side by side, as many as there are processors. Threads of BLAS besides would wait for
# each other most of the time: a drawing that takes a second alone took forty.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
