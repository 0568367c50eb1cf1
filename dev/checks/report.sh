# shellcheck shell=bash
# To be sourced by a check: counts its tests and writes the last line that dev/test reads.
#
#   check 'what is true' command…       passes if the command succeeds
#   refuse 'what is noticed' command…   a control: passes if the command fails where the check
#                                       before it succeeded
#   skip 'what' 'why'
#   add 'what' command…                adds the tests of a command whose last line counts them
#   finish                              writes the last line; fails if any test failed
#
# What a command says is shown only where the test fails.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
root="$PWD"
. dev/php-settings.sh
passed=0 failed=0 skipped=0 holds=no
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

pass() {
    echo "ok      $1"
    passed=$((passed + 1))
}

fail() {
    echo "FAILED  $1"
    failed=$((failed + 1))
}

check() {
    local what="$1"
    shift
    if "$@" >"$work/said" 2>&1; then
        holds=yes
        pass "$what"
    else
        holds=no
        fail "$what"
        sed 's/^/        /' "$work/said"
    fi
}

refuse() {
    local what="$1"
    shift
    if [ "$holds" = no ]; then
        fail "control: $what (shows nothing while the check itself fails)"
    elif "$@" >"$work/said" 2>&1; then
        fail "control: $what (it was not noticed)"
    else
        pass "control: $what"
    fi
}

skip() {
    echo "skipped $1: $2"
    skipped=$((skipped + 1))
}

add() {
    local what="$1" code=0
    shift
    "$@" >"$work/said" 2>&1 || code=$?
    if [[ "$(grep -aE '^[0-9]+ passed, ' "$work/said" | tail -n 1)" =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed(,\ ([0-9]+)\ skipped)?$ ]]; then
        passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2])) skipped=$((skipped + ${BASH_REMATCH[4]:-0}))
        echo "$what: ${BASH_REMATCH[0]}"
        [ "${BASH_REMATCH[2]}" -gt 0 ] || [ "$code" -eq 0 ] || fail "$what (exit code $code)"
        [ "$code" -eq 0 ] || sed 's/^/        /' "$work/said"
    else
        fail "$what (exit code $code)"
        sed 's/^/        /' "$work/said"
    fi
}

finish() {
    echo "$passed passed, $failed failed$([ "$skipped" -eq 0 ] || echo ", $skipped skipped")"
    [ "$failed" -eq 0 ]
}
