"""Capture: turns what was decided or learned in a session into memories."""
