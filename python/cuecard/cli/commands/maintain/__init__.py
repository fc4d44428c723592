"""The commands under the heading `Maintain`."""
