#!/bin/sh
# Becomes the MCP server: that of the installed cuecard, else this clone's, which needs nothing installed to read.
# Each is tried first on an empty input, which ends it: what cannot start is passed over.
# Functions can come from the environment where `sh` is bash.
unset -f cd command read printf readlink id pwd

file=$0
while [ -h "$file" ]; do
    target=$(command -p readlink "$file") || exit 1
    case $target in
    /*) file=$target ;;
    *) file=${file%"${file##*/}"}$target ;;
    esac
done
case $file in
*/*) hooks=${file%/*} ;;
*) hooks=. ;;
esac
[ -r "$hooks/programs.sh" ] || exit 1
. "$hooks/programs.sh"

if find_program cuecard && "$program" mcp "$@" </dev/null >/dev/null 2>&1; then
    exec "$program" mcp "$@"
fi

# `-I`: nothing that lies in the project can stand in for a module. Writing needs pydantic, which may be there.
# A version manager's `python3` takes a tenth of a second to find the real one: that is asked for once.
for python in python3 python3.14 python3.13 python3.12 python3.11 python3.10 python; do
    find_on_path "$python" || continue
    real=$("$program" -I -c 'import sys
if sys.version_info < (3, 10):
    sys.exit(1)
sys.path.insert(0, sys.argv[1])
import cuecard.mcp.command
print(sys.executable)' "$hooks/../python" </dev/null 2>/dev/null) || continue
    exec "$real" -I -c 'import sys
sys.path.insert(0, sys.argv.pop(1))
from cuecard.mcp.command import main
sys.exit(main(sys.argv[1:]))' "$hooks/../python" "$@"
done
echo 'cuecard: the MCP server needs Python 3.10 or newer on PATH, outside of the project' >&2
printf "hint: install Python, or cuecard with \`uv tool install '%s'\`\n" "$(cd -P "$hooks/.." && pwd -P)" >&2
exit 1
