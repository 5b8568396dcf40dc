"""The parts as rigid bodies: outlines united and inset, frames at centroids, edges in trees."""
