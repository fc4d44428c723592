"""Triage: decides whether a session has said something that is worth saving."""
