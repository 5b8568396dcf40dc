"""Loosening: the largest clearance within a limit of the flex, and the smallest that goes together."""
