#!/bin/sh
# Measures recall in the tea shop's project with the judged prompts beside this script.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export CUECARD_HOME="$scratch/data" XDG_CONFIG_HOME="$scratch/config"
cp -R "$here/../teashop" "$scratch/teashop"
cd "$scratch/teashop"
cuecard trust --all --yes >/dev/null

for setting in precise balanced eager; do
    printf '\n== %s\n' "$setting"
    cuecard eval run --prompts "$here/prompts.jsonl" --out "$scratch/$setting.jsonl" --setting "$setting"
    cuecard eval score "$scratch/$setting.jsonl" --prompts "$here/prompts.jsonl"
done
