"""Drag, for users: a joint of a linkage follows a pointer, event by event (see `editing.drag`)."""

from pliant.linkage.editing.drag import Drag, Dragged

__all__ = ["Drag", "Dragged"]
