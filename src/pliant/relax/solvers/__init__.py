"""From pose to pose: the paper's relaxation, Newton's steps, continuation."""
