"""Which tests stay together when two processes share them."""

import pytest

# Their tests share what takes long to make: a browser, solutions, a peer's compiled loops.
TOGETHER = {
    "test_batch",
    "test_flex_invariance",
    "test_linkage_random",
    "test_player",
    "test_puzzleflex",
    "test_pylinkage",
    "test_random_walks",
    "test_relaxation",
}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.pluginmanager.hasplugin("xdist"):
        for item in items:
            if item.path.stem in TOGETHER:
                item.add_marker(pytest.mark.xdist_group(item.path.stem))
