#!/usr/bin/env bash
# Install the pinned clients (npm, PyPI) that are missing into a scratch folder, and print the folder with their programs, which
# belongs on PATH. What cannot be installed is told on standard error; the tests of that client are skipped.
#
#   E2E_CACHE    the scratch folder (default: under the user's cache folder)
#   E2E_PYTHON   a Python that Mistral Vibe runs with, 3.12 or newer (default: python3.12)
set -uo pipefail
cache=${E2E_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/e2e-clients}
programs=$cache/programs
mkdir -p "$programs"

# Put PROGRAM of the package NAME@VERSION into the folder of programs. PLACE is where the package has it.
install_client() {
  local program=$1 package=$2 place=${3:-.bin/$1} folder
  folder=$cache/$(printf '%s' "$package" | tr '/@' '--')
  if [ ! -x "$folder/node_modules/$place" ]; then
    mkdir -p "$folder"
    if ! npm install --no-audit --no-fund --prefix "$folder" "$package" >"$folder/npm.log" 2>&1; then
      echo "install_clients: $package cannot be installed, its tests are skipped" >&2
      return
    fi
  fi
  ln -sf "$folder/node_modules/$place" "$programs/$program"
}

# The same for a package of Python, which needs the interpreter PYTHON.
install_python_client() {
  local program=$1 package=$2 python=$3 folder
  folder=$cache/$(printf '%s' "$package" | tr '=' '-')
  if [ ! -x "$folder/bin/$program" ]; then
    if ! { "$python" -m venv "$folder" && "$folder/bin/pip" install --quiet "$package"; } >"$cache/pip.log" 2>&1; then
      echo "install_clients: $package cannot be installed with $python, its tests are skipped" >&2
      return
    fi
  fi
  ln -sf "$folder/bin/$program" "$programs/$program"
}

# Kilo has a package for each kind of machine.
kilo=@kilocode/cli-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')

install_client node node@24
install_client codex @openai/codex@0.171.0
install_client gemini @google/gemini-cli@0.61.0
install_client opencode opencode-ai@1.18.33
install_client copilot @github/copilot@1.0.102
install_client qwen @qwen-code/qwen-code@0.24.4
install_client kimi @moonshot-ai/kimi-code@2.1.0
install_client pi @earendil-works/pi-coding-agent@1.6.0
install_client kilo "$kilo@7.7.9" "$kilo/bin/kilo"
install_client droid droid@0.215.0
install_python_client vibe mistral-vibe==3.0.2 "${E2E_PYTHON:-python3.12}"
if claude=$(CLAUDE_CODE_VERSION=${CLAUDE_CODE_VERSION:-2.1.332} "$(dirname "$0")/install_client.sh"); then
  ln -sf "$claude" "$programs/claude"
fi
printf '%s\n' "$programs"
