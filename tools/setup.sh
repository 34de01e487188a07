#!/bin/sh
# Makes .venv and installs a lock file into it; does nothing where that is done already.
# usage: tools/setup.sh LOCK...   (PYTHON names the interpreter to use)
#
# Who installs writes the number of its process into .venv/installing. Where that is stopped, packages lack files that
# no later install looks for, so the environment is made anew.
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

installing=.venv/installing
begin() { mkdir -p .venv && echo $$ >"$installing"; }
packages() { ls -d .venv/lib*/python*/site-packages/*.dist-info 2>/dev/null | cksum; }

waiting=
while other=$(cat "$installing" 2>/dev/null) && kill -0 "$other" 2>/dev/null; do
    [ -n "$waiting" ] || say "Waiting for process $other, which installs into .venv"
    waiting=yes
    sleep 1
done
if [ -e "$installing" ]; then
    say "An earlier setup was stopped half-way."
    rm -rf .venv
fi

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
    begin
    "$python" -m venv .venv
fi

for lock in "$@"; do
    stamp=".venv/installed-$lock"
    cmp -s "$lock" "$stamp" && continue
    begin
    if [ ! -x .venv/bin/uv ]; then
        # One package by pip; uv then installs the rest in a fraction of pip's time.
        .venv/bin/python -m pip install --quiet --disable-pip-version-check "$(sed -n 's/^\(uv==[0-9.]*\).*/\1/p' requirements.lock)"
    fi
    say "Installing $lock"
    before=$(packages)
    .venv/bin/uv pip install --quiet --python .venv/bin/python --require-hashes -r "$lock" || {
        failed=$?
        [ "$before" != "$(packages)" ] || rm "$installing" # as without a network: what is there is whole
        exit "$failed"
    }
    cp "$lock" "$stamp"
    rm "$installing"
done
