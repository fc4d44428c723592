"""Capture: what a session taught, on its way to becoming a memory."""
