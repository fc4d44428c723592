"""Finds the transcript of a session whose host does not name it in its events (SPEC 30.5)."""

import os
from itertools import islice

from ...basics.host_table import TRANSCRIPTS
from ..host.session import session_file_name

# At most this many folders are looked into.
MAX_FOLDERS = 4096


def find_transcript(host: str, session: str, home: str) -> str:
    """The path of a session's transcript by the table of hosts; "" if there is none."""
    folder, _any, file = TRANSCRIPTS.get(host, "").partition("/*/")
    name = session_file_name(session)
    if not file or name is None or not home:
        return ""
    try:
        with os.scandir(os.path.join(home, folder)) as folders:
            places = [os.path.join(entry.path, file.replace("SESSION", name)) for entry in islice(folders, MAX_FOLDERS)]
    except OSError:
        return ""
    return next((place for place in places if os.path.isfile(place)), "")
