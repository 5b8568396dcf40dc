"""Flex: how far loose joints let an assembly move."""
