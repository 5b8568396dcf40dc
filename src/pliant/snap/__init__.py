"""Fasteners: how pawls on springs comply, snap, jam and stick, exactly, and with what force."""
