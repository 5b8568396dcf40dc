from pliant.core.status import ANSWERED, Status, Tone


class RollStatus(Status):
    ROLLED = "the ball rolled to the end of its groove", ANSWERED, Tone.SOUND
    OUTSIDE = "the ball does not lie in its groove", ANSWERED
