#!/bin/sh
# A session in a copy of the tea shop's project. Every command prints what it does.
set -eu
examples=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export CUECARD_HOME="$scratch/data" XDG_CONFIG_HOME="$scratch/config"
cp -R "$examples/teashop" "$scratch/teashop"
cd "$scratch/teashop"

say() { printf '\n== %s\n' "$*"; }

say 'Accept the memories that came with the project'
cuecard trust --all --yes >/dev/null
cuecard health

say 'What does the agent get for a prompt?'
cuecard recall "why don't we just call the gateway again after a timeout?" --block

say 'And for a prompt that no memory answers?'
cuecard recall 'write a haiku about autumn'

say 'What does the hook print? An agent program writes the prompt to it as JSON'
printf '{"hook_event_name": "UserPromptSubmit", "prompt": "a customer was charged twice", "cwd": "%s"}' "$PWD" |
    cuecard-hook prompt --host claude-code
echo

say 'Why was a memory not shown?'
cuecard why no-card-numbers --prompt 'write a haiku about autumn'

say 'Correct a memory'
cuecard update deploy <<'JSON'
{"tags": ["deployment", "release", "rollback", "staging"]}
JSON

say 'Write a memory from one sentence, and find it'
cuecard add 'Tea is weighed in grams' -c constraint --because 'ounces differ between suppliers' -t units
cuecard recall 'in which unit is tea weighed?' --block

say 'Retire this memory, and undo that'
cuecard retire tea-is-weighed-in-grams --reason 'an example'
cuecard undo
