"""Play: how loose every part is in the drawn pose, and which joints are to blame for it."""
