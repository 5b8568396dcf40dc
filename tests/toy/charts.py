from tests.toy.result import RollResult

from pliant.core.plot import Plot, Series


def plots(result: RollResult) -> dict[str, Plot]:
    return {"way": Plot("Way", "frame", "x", (Series("x", result.motion.values, result.x),))}
