"""What a package gives its users, fetched from where it lives when it is first used."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any


def exports(
    package: str,
    names: Iterable[str],
    homes: Mapping[str, Iterable[str]],
    rooms: Iterable[str] = (),
    rest: str = "",
) -> Callable[[str], Any]:
    """A package's `__getattr__`: names by the module they live in, and modules that are given whole.

    A name may stand as "name=other" where it is called otherwise at home; those of no home given live in
    `rest`. No module of the package may have the name of a function: importing it would put the module in
    the function's place.
    """
    places = {name: (rest, name) for name in names if rest}
    for home, own in homes.items():
        places |= {name.partition("=")[0]: (home, name.rpartition("=")[2]) for name in own}
    modules = {room.rpartition(".")[2]: room for room in rooms}

    def get(name: str) -> Any:
        if name in modules:
            return import_module(f"{package}.{modules[name]}")
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home, own = places[name]
        return getattr(import_module(f"{package}.{home}"), own)

    return get
