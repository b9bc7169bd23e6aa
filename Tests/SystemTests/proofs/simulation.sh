#!/usr/bin/env bash
# In a random simulation for each seed, every recipient ends exactly once and the delivery engine keeps its invariants.
#
# Tools/prove simulation [--seeds N]   N seeds (20,000), with crashes, lost connections, changes and message updates
set -euo pipefail
source "$(dirname "$0")/../../../Tools/support/setup.sh"
cd "$ROOT"

usage() { fail "usage: Tools/prove simulation [--seeds N]"; }

seeds=20000
while [ $# -gt 0 ]; do
    case "$1" in
    --seeds)
        [[ "${2:-}" =~ ^[1-9][0-9]{0,8}$ ]] || usage
        seeds=$2
        shift
        ;;
    *) usage ;;
    esac
    shift
done

require_build
# A separate build: the tests need internal access, which the release build does not allow.
BUILD=release build --build-tests -Xswiftc -enable-testing --scratch-path .build/simulation

log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
CARILLON_SEEDS=$seeds swift test -c release --skip-build --scratch-path .build/simulation \
    --filter DeliveryEngineSimulationTests \
    >"$log" 2>&1 || status=$?
summary=$(grep -E '^simulation: [0-9]+ seeds, [0-9]+ violations$' "$log" | tail -n 1) ||
    { tail -n 20 "$log" >&2; fail "The simulation did not finish."; }
grep -oE 'seed [0-9]+, step [0-9]+: .*' "$log" | sort -u | head -n 10 || true
printf '%s\n' "$summary" | sed 's/^simulation: //'
[ "$status" = 0 ] || say "CARILLON_SEED=N swift test --filter DeliveryEngineSimulationTests runs seed N alone."
read -r _ ran _ violations _ <<<"$summary"
printf 'RESULT simulation.seeds %d\nRESULT simulation.violations %d\n' "$ran" "$violations"
[ "$status" = 0 ] && [ "$violations" = 0 ]
