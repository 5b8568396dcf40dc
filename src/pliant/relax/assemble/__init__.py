"""From model to network: elements as rows, rows as arrays [Lipson2006 section 2]."""
