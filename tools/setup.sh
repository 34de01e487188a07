#!/bin/sh
# Makes .venv and installs a lock file into it; does nothing where that is done already.
# usage: tools/setup.sh LOCK...   (PYTHON names the interpreter to use)
set -eu
cd "$(dirname "$0")/.."

say() { printf '%s\n' "$*" >&2; }

is_new_enough() { command -v "$1" >/dev/null 2>&1 && "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

find_python() {
    if [ -n "${PYTHON:-}" ]; then
        is_new_enough "$PYTHON" && printf '%s' "$PYTHON"
        return
    fi
    for candidate in python3.14 python3.13 python3.12 python3.11 python3 python; do
        is_new_enough "$candidate" && printf '%s' "$candidate" && return 0
    done
    return 1
}

if [ ! -x .venv/bin/python ] || ! .venv/bin/python -c '' 2>/dev/null; then
    python=$(find_python) || {
        if [ -n "${PYTHON:-}" ]; then
            say "Reseat needs Python 3.11 or later, and PYTHON=$PYTHON is not: name another, or leave PYTHON out."
        else
            say "Reseat needs Python 3.11 or later, and none was found: install one (Debian, Ubuntu: apt install python3 python3-venv), or name it with PYTHON=/path/to/python3.11 make ..."
        fi
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
