#!/bin/sh
# Makes .venv and installs a lock file into it; does nothing where that is done already.
# usage: tools/setup.sh LOCK...   (PYTHON names the interpreter to use)
set -eu
cd "$(dirname "$0")/.."

say() { printf '%s\n' "$*" >&2; }

find_python() {
    for candidate in ${PYTHON:-python3.13 python3.12 python3.11 python3 python}; do
        command -v "$candidate" >/dev/null 2>&1 || continue
        "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue
        printf '%s' "$candidate"
        return 0
    done
    return 1
}

if [ ! -x .venv/bin/python ] || ! .venv/bin/python -c '' 2>/dev/null; then
    python=$(find_python) || {
        say "Reseat needs Python 3.11 or later, and none was found: install one (Debian, Ubuntu: apt install python3 python3-venv), or name it with PYTHON=/path/to/python3.11 make ..."
        exit 1
    }
    "$python" -c 'import ensurepip, venv' 2>/dev/null || {
        say "$("$python" --version) lacks the venv module: install it (Debian, Ubuntu: apt install python3-venv) and run make again."
        exit 1
    }
    say "Making .venv with $("$python" --version)"
    rm -rf .venv
    "$python" -m venv .venv
fi

for lock in "$@"; do
    stamp=".venv/installed-$lock"
    cmp -s "$lock" "$stamp" && continue
    if [ ! -x .venv/bin/uv ]; then
        # One package by pip; uv then installs the rest in a fraction of pip's time.
        .venv/bin/python -m pip install --quiet --disable-pip-version-check "$(sed -n 's/^\(uv==[0-9.]*\).*/\1/p' requirements.lock)"
    fi
    say "Installing $lock"
    .venv/bin/uv pip install --quiet --python .venv/bin/python --require-hashes -r "$lock"
    cp "$lock" "$stamp"
done
