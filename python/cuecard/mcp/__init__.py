"""`cuecard mcp`: the memories of a project for any client of the Model Context Protocol (docs/reference/mcp.md).

Spoken with the standard library alone: a client waits for the first answer before it offers any tool, and the SDK
takes a second to load.
"""
