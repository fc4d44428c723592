#!/bin/sh
# Starts the hook: the installed one, else the one in Python of this clone. Where neither runs it does nothing and says nothing.
# Whatever cannot start has not read standard input: the next one can still answer.
# Functions can come from the environment where `sh` is bash.
unset -f cd command read printf readlink id pwd
exec 2>/dev/null

file=$0
while [ -h "$file" ]; do
    target=$(command -p readlink "$file") || exit 0
    case $target in
    /*) file=$target ;;
    *) file=${file%"${file##*/}"}$target ;;
    esac
done
case $file in
*/*) hooks=${file%/*} ;;
*) hooks=. ;;
esac
[ -r "$hooks/programs.sh" ] || exit 0
. "$hooks/programs.sh"

# The executable has neither `approve` (or `permit`) nor `background`: this clone's Python comes first there, and only where there is none the installed hook.
# Someone may have put this very file on PATH as `cuecard-hook`.
if [ -z "$CUECARD_LAUNCHED" ] && [ "$1" != approve ] && [ "$1" != permit ] && [ "$1" != background ]; then
    export CUECARD_LAUNCHED=1
    find_program cuecard-hook && "$program" "$@" && exit 0
fi

for python in python3 python3.14 python3.13 python3.12 python3.11 python3.10 python; do
    find_on_path "$python" && "$program" -I -S -c 'import sys
if sys.version_info < (3, 10):
    sys.exit(1)
sys.path.insert(0, sys.argv.pop(1))
from cuecard.hook import start
start()' "$hooks/../python" "$@" && exit 0
done
if [ -z "$CUECARD_LAUNCHED" ]; then
    export CUECARD_LAUNCHED=1
    find_program cuecard-hook && "$program" "$@"
fi
exit 0
