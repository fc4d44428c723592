"""How to install cuecard, in the words of every message that says so.

`make release-check PUBLISHED=1` writes the name of the package into `SOURCE` and empties `WHERE`.
"""

SOURCE = "FOLDER"
WHERE = ", where FOLDER is a checkout of cuecard"

INSTALL = f"`uv tool install {SOURCE}` or `pipx install {SOURCE}`{WHERE}"
# Both replace what is installed.
REINSTALL = f"`uv tool install --reinstall {SOURCE}` or `pipx install --force {SOURCE}`{WHERE}"
INSTALL_LIBRARY = f"`pip install {SOURCE}`{WHERE}"
INSTALL_EMBEDDINGS = f"`pip install '{SOURCE}[embeddings]'`{WHERE}"
