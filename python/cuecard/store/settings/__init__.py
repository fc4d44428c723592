"""The files of settings, as commands check and change them, and as writing heeds them."""
