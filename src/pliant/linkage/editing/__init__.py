"""What an edit is made of: its targets, its keeps, its guards, and its answer."""
