"""Many tasks at once: in processes here or on a cluster, each result kept as it comes. Knows no method."""
