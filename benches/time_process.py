"""Times one run of a command as a whole process, from spawn to exit."""

import os
import time


def time_process(command: list[str], stdin: str, environment: dict[str, str]) -> tuple[float, float, bytes]:
    """Run a command with the file `stdin`; returns wall seconds, CPU seconds and output. Exits if the command fails."""
    read_end, write_end = os.pipe()
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, stdin, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, write_end, 1),
        (os.POSIX_SPAWN_CLOSE, read_end),
    ]
    begin = time.perf_counter()
    process = os.posix_spawn(command[0], command, environment, file_actions=actions)
    os.close(write_end)
    _, status, usage = os.wait4(process, 0)
    wall = time.perf_counter() - begin
    with os.fdopen(read_end, "rb") as pipe:
        output = pipe.read()
    if status != 0:
        raise SystemExit(f"`{' '.join(command)}` ended with status {status}")
    return wall, usage.ru_utime + usage.ru_stime, output
