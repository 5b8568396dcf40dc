"""Arrays by what they hold; shapes stand beside the names that have them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Complex = NDArray[np.complex128]
Geometries = NDArray[np.object_]  # of shapely
