"""How the parts of a mechanism look: bodies, lines and marks of every frame."""
