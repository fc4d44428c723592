# Finds the programs that the launchers of this plugin start. The launchers read this file; it is not run by itself.
#
# A host takes environment variables, PATH too, from the settings of a project. So PATH keeps only absolute folders outside
# of the project, in which links are resolved, and a program that `cuecard install` or `cuecard init` has recorded goes
# before all of them. `docs/reference/environment.md` has the rules. `cd` in this process costs no new process.

unset CDPATH PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONUSERBASE PYTHONPYCACHEPREFIX PYTHONWARNINGS PYTHONBREAKPOINT
unset PYTHONEXECUTABLE PYTHONPLATLIBDIR PYTHONINSPECT PYTHONCASEOK CUECARD_SHELL_PATH
default_ifs=' 	
'
IFS=$default_ifs

# The home folder of the account, whatever HOME says. Only a project with the user's home in it asks for it.
account=
find_account() {
    account=?
    user=$(command -p id -un)
    case $user in
    '' | [!A-Za-z_]* | *[!A-Za-z0-9._-]*) return ;;
    esac
    eval "account=~$user"
    case $account in
    /*) cd -P "$account" && account=$PWD && cd -P "$here" ;;
    *) account=? ;;
    esac
}

# Whether the user's home folder is $1 or lies below it: then everything there is the user's own.
holds_home() {
    case $home/ in
    "$1"/*) ;;
    *) return 1 ;;
    esac
    [ -n "$account" ] || find_account
    case $account/ in
    "$1"/*) return 0 ;;
    esac
    return 1
}

# Sets `root` to the project of a folder: the outermost folder from there upwards with a repository or memories, or else
# the folder itself.
find_root() {
    root=$1 above=$1
    if holds_home "$1"; then
        root=?
    fi
    while [ -n "$above" ]; do
        if [ -e "$above/.git" ] || [ -d "$above/.claude/memory" ]; then
            holds_home "$above" || root=$above
        fi
        above=${above%/*}
    done
}

# The file system's own root is no project.
in_project() {
    case $1/ in
    "$root_here"/* | "$root_named"/*) return 0 ;;
    esac
    return 1
}

# Whether a folder that a variable names counts. If so, it is the working directory afterwards.
is_own_folder() {
    case $1 in
    /*) cd -P "$1" && [ -O . ] && ! in_project "$PWD" ;;
    *) false ;;
    esac
}

# Sets `program` to the path that is recorded for a name, or else to the first program of that name on PATH.
find_program() {
    find_recorded "$1" || find_on_path "$1"
}

find_recorded() {
    program=
    data=
    if is_own_folder "$CUECARD_HOME"; then
        data=$PWD
    elif is_own_folder "$XDG_DATA_HOME" && is_own_folder "$PWD/cuecard"; then
        data=$PWD
    else
        user_home=$HOME
        if ! is_own_folder "$HOME"; then
            [ -n "$account" ] || find_account
            user_home=$account
        fi
        for folder in "$user_home/.local/share/cuecard" "$user_home/Library/Application Support/cuecard"; do
            if cd -P "$folder" && [ -O . ]; then
                data=$PWD
                break
            fi
        done
    fi
    cd -P "$here" || exit 0
    record=$data/programs
    if [ -n "$data" ] && [ -f "$record" ] && [ ! -h "$record" ] && [ -O "$record" ]; then
        while IFS= read -r line; do
            case $line in
            "$1="/*) program=${line#*=} ;;
            esac
        done <"$record"
    fi
    [ -f "$program" ] && [ -x "$program" ]
} 2>/dev/null

find_on_path() {
    IFS=:
    for folder in $PATH; do
        program=$folder/$1
        if [ -f "$program" ] && [ -x "$program" ]; then
            IFS=$default_ifs
            return 0
        fi
    done
    IFS=$default_ifs
    return 1
}

set -f
{
    cd -P . || exit 0
    here=$PWD
    home=
    case $HOME in
    /*) cd -P "$HOME" && home=$PWD ;;
    esac
    root_here=? root_named=?
    find_root "$here"
    [ "$here" = / ] || root_here=$root
    case $CLAUDE_PROJECT_DIR in
    /*)
        if cd -P "$CLAUDE_PROJECT_DIR" && [ "$PWD" != / ] && [ "$PWD" != "$here" ]; then
            find_root "$PWD"
            root_named=$root
        fi
        ;;
    esac

    clean=
    is_dropped=
    IFS=:
    for folder in $PATH; do
        case $folder in
        # Only the system can make these a link.
        /bin | /sbin | /usr/bin | /usr/sbin | /usr/local/bin | /usr/local/sbin) ;;
        /*)
            cd -P "$folder" || continue
            folder=$PWD
            ;;
        *)
            is_dropped=1
            continue
            ;;
        esac
        case $folder/ in
        "$root_here"/* | "$root_named"/*) is_dropped=1 ;;
        # A link may lead to a folder with the separator in its name.
        *:*) ;;
        *) clean=${clean:+$clean:}$folder ;;
        esac
    done
    IFS=$default_ifs
    cd -P "$here" || exit 0
    # The programs must know whether the agent's shell finds others than they do. A trailing `:` is an empty folder.
    case $PATH in
    *:) is_dropped=1 ;;
    esac
    if [ -n "$is_dropped" ]; then
        export CUECARD_SHELL_PATH="$PATH"
    fi
    # An empty PATH would mean the working directory.
    PATH=${clean:-/usr/bin:/bin}
    export PATH
} 2>/dev/null
