"""Code that asks models: embedders and the judge. Nothing here is loaded unless the settings ask for it.

Rules: docs/reference/models.md.
"""
