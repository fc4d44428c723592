"""Opens, writes and locks files and folders safely: links are not followed (SPEC 43)."""
