"""The commands that install cuecard, as all messages quote them.

`make release-check PUBLISHED=1` writes the name of the package into `SOURCE` and empties `WHERE`.
"""

SOURCE = "FOLDER"
WHERE = ", where FOLDER is a checkout of cuecard"

INSTALL = f"`uv tool install {SOURCE}` or `pipx install {SOURCE}`{WHERE}"
# Both commands replace the installed version.
REINSTALL = f"`uv tool install --reinstall {SOURCE}` or `pipx install --force {SOURCE}`{WHERE}"
INSTALL_LIBRARY = f"`pip install {SOURCE}`{WHERE}"
INSTALL_EMBEDDINGS = f"`pip install '{SOURCE}[embeddings]'`{WHERE}"
INSTALL_E5 = f"`pip install '{SOURCE}[e5]'`{WHERE}"
INSTALL_VIEWER = f"`pip install '{SOURCE}[viewer]'` or `uv tool install '{SOURCE}[viewer]'`{WHERE}"
