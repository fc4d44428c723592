"""The way of a prompt, from the payload of a host to the printed block."""
