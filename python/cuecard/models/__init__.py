"""What asks a model: embedders and the judge; nothing here is loaded unless the settings ask for it.

Rules: docs/reference/models.md.
"""
