"""Evolutionary design: machines changed at random and chosen by what they do, thousands at a time.

Source: [Lipson2006] "Evolutionary Robotics": the solver must take whatever comes, locked, singular
or degenerate. Here each such machine scores nothing, and none stops the search.
"""

from __future__ import annotations

from pliant.relax.evolve import mutations
from pliant.relax.evolve.crawl import crawler
from pliant.relax.evolve.line import straight_line
from pliant.relax.evolve.result import Evolved
from pliant.relax.evolve.search import evolve

__all__ = ["Evolved", "crawler", "evolve", "mutations", "straight_line"]
