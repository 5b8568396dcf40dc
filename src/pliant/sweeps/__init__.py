"""Many solves of models: over parameters, over a folder, over a table of parameter sets."""
