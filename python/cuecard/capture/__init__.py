"""Capture: turns what a session taught into memories."""
