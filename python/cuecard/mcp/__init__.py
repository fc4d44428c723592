"""`cuecard mcp`: the memories of a project for any client of the Model Context Protocol (SPEC 40).

Spoken with the standard library alone: a client waits for the first answer before it offers any tool, and the SDK
takes a second to load.
"""
