"""The commands under the heading `Review`."""
