"""The command `completion`: prints scripts with which a shell completes words."""

from ...errors import UsageError
from .. import terminal
from ..arguments import COMPLETE, argument, command
from ..completion import SHELLS

# The scripts never evaluate the words that they get: a name could contain `$(...)`.
BASH = """\
_cuecard() {
    local kind word
    COMPREPLY=()
    {
        IFS= read -r kind
        while IFS=$'\\t' read -r word _; do
            COMPREPLY+=("$word")
        done
    } < <(cuecard COMPLETE "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null </dev/null)
    case $kind in
        files) compopt -o default 2>/dev/null ;;
        folders) compopt -o dirnames 2>/dev/null ;;
    esac
}
complete -F _cuecard cuecard
"""
ZSH = """\
#compdef cuecard
_cuecard() {
    local kind word about
    local -a found
    {
        IFS= read -r kind
        while IFS=$'\\t' read -r word about; do
            found+=("${word//:/\\\\:}${about:+:$about}")
        done
    } < <(cuecard COMPLETE "${(@Q)words[2,CURRENT]}" 2>/dev/null </dev/null)
    case $kind in
        files) _files ;;
        folders) _files -/ ;;
        *) _describe -V cuecard found ;;
    esac
}
if [ "$funcstack[1]" = _cuecard ]; then
    _cuecard "$@"
else
    compdef _cuecard cuecard
fi
"""
FISH = """\
function __cuecard_complete
    set -l current (commandline --current-token --cut-at-cursor)
    set -l words (commandline --tokenize --cut-at-cursor --current-process)
    set -l lines (cuecard COMPLETE $words[2..-1] "$current" 2>/dev/null </dev/null)
    switch "$lines[1]"
        case files
            __fish_complete_path "$current"
        case folders
            __fish_complete_directories "$current"
        case '*'
            printf '%s\\n' $lines[2..-1]
    end
end
complete --command cuecard --no-files --arguments '(__cuecard_complete)'
"""
SCRIPTS = dict(zip(SHELLS, (BASH, ZSH, FISH), strict=True))


@command(argument("SHELL", "bash, zsh or fish."))
def completion(shell: str) -> None:
    """Print a script that lets a shell complete commands, memories and settings.

    For bash, `eval "$(cuecard completion bash)"` in ~/.bashrc; for zsh, the same with `zsh` in ~/.zshrc, after
    `compinit`; for fish, `cuecard completion fish > ~/.config/fish/completions/cuecard.fish`.
    """
    if shell not in SCRIPTS:
        raise UsageError(f"no completion for `{shell[:100]}`", f"use {', '.join([f'`{name}`' for name in SHELLS])}")
    terminal.print_lines(SCRIPTS[shell].replace("COMPLETE", COMPLETE).splitlines())
