"""Triage: decides whether something in a session is worth saving as a memory."""
