"""The sweep by floats where nothing nearly coincides, compiled; `advance.advance` is its door."""
