#!/bin/sh
# Starts the hook: the installed one, else the one in Python of this clone. Where neither runs it does nothing and says nothing.
# Whatever cannot start has not read standard input: the next one can still answer.
exec 2>/dev/null

# The executable has neither `approve` (or `permit`) nor `background`: this clone's Python comes first there, and only where there is none the installed hook.
# Someone may have put this very file on PATH as `cuecard-hook`.
if [ -z "$CUECARD_LAUNCHED" ] && [ "$1" != approve ] && [ "$1" != permit ] && [ "$1" != background ]; then
    export CUECARD_LAUNCHED=1
    cuecard-hook "$@" && exit 0
fi

file=$0
while [ -h "$file" ]; do
    target=$(readlink "$file")
    case $target in
    /*) file=$target ;;
    *) file=$(dirname "$file")/$target ;;
    esac
done
case $file in
*/*) hooks=${file%/*} ;;
*) hooks=. ;;
esac

for python in python3 python3.14 python3.13 python3.12 python3.11 python3.10 python; do
    "$python" -I -S -c 'import sys
if sys.version_info < (3, 10):
    sys.exit(1)
sys.path.insert(0, sys.argv.pop(1))
from cuecard.hook import start
start()' "$hooks/../python" "$@" && exit 0
done
if [ -z "$CUECARD_LAUNCHED" ]; then
    export CUECARD_LAUNCHED=1
    cuecard-hook "$@"
fi
exit 0
