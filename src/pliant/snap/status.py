"""How a fastener's motion can end."""

from __future__ import annotations

from pliant.core.status import ANSWERED, NO_ANSWER, Status, Tone


class SnapStatus(Status):
    """Every ending of `snap.solve`."""

    THROUGH = "it moves all the way", ANSWERED, Tone.SOUND
    NEVER_TOUCHES = "it moves all the way and touches nothing", ANSWERED
    SEATED = "the root comes to rest on an obstacle", ANSWERED, Tone.SOUND
    JAMMED = "jammed: its contacts leave a pawl no angle", ANSWERED
    STOPPED = "jammed: a pawl is held between an obstacle and its stop", ANSWERED
    STUCK = "stuck: friction locks a pawl", ANSWERED
    DEAD_CENTRE = "at a dead centre: a pawl can go either way", ANSWERED
    KNIFE_EDGE = "on a knife's edge: corner meets corner, and what follows depends on the side", ANSWERED
    EVENT_LIMIT = "the limit of events was reached", NO_ANSWER
