"""`cuecard mcp`: serves a project's memories to clients of the Model Context Protocol (docs/reference/mcp.md).

It uses only the standard library: a client waits for the first answer before it offers any tool, and the SDK takes a
second to load.
"""
