"""MJCF, the files of MuJoCo, to mechanisms: bodies, joints, connects, tendons, position actuators."""
