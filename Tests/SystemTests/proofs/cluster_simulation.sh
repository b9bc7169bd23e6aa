#!/usr/bin/env bash
# Three simulated nodes with faults keep the promises of a cluster for each seed, and each planted fault is found.
#
# Tools/prove cluster-simulation [--seeds N]          N seeds (50,000), and each planted fault within 2,000 seeds
# Tools/prove cluster-simulation --smoke              200 seeds and the planted faults
# Tools/prove cluster-simulation --seed S [--fault F] seed S alone, with fault F planted
set -euo pipefail
source "$(dirname "$0")/../../../Tools/support/setup.sh"
cd "$ROOT"

FAULTS=(fencing-off lease-unchecked answered-before-append apply-twice claim-ignored freshness-unchecked
    answered-at-once)

usage() { fail "usage: Tools/prove cluster-simulation [--seeds N | --smoke | --seed S [--fault F]]"; }

seeds=50000 seed="" fault=()
while [ $# -gt 0 ]; do
    case "$1" in
    --seeds)
        [[ "${2:-}" =~ ^[1-9][0-9]{0,8}$ ]] || usage
        seeds=$2
        shift
        ;;
    --seed)
        [[ "${2:-}" =~ ^[0-9]{1,18}$ ]] || usage
        seed=$2
        shift
        ;;
    --fault)
        [[ " ${FAULTS[*]} " == *" ${2:-} "* ]] || usage
        fault=(--fault "$2")
        shift
        ;;
    --smoke) seeds=200 ;;
    *) usage ;;
    esac
    shift
done
[ -n "$seed" ] || [ ${#fault[@]} = 0 ] || usage

require_build
build --product carillon-cluster-simulation
PROGRAM=$(programs)/carillon-cluster-simulation
[ -z "$seed" ] || exec "$PROGRAM" --seed "$seed" "${fault[@]}"

status=0
for planted in "${FAULTS[@]}"; do
    found=$("$PROGRAM" --seeds 2000 --fault "$planted" --stop-at-first | sed -n 's/^found with seed //p')
    [ -n "$found" ] || status=1
    say "$planted: ${found:+found with seed }${found:-not found}"
    printf 'RESULT cluster-simulation.%s %s\n' "$planted" "${found:-0}"
done

# One share of the seeds for each processor.
jobs=$(nproc)
share=$(((seeds + jobs - 1) / jobs))
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
for ((job = 0; job < jobs; job++)); do
    first=$((job * share + 1))
    last=$(((job + 1) * share < seeds ? (job + 1) * share : seeds))
    [ "$first" -le "$last" ] || continue
    "$PROGRAM" --seed "$first" --seeds $((last - first + 1)) >"$logs/$job" 2>&1 &
done
wait
grep -h '^seed ' "$logs"/* | sort -u | head -n 20 || true
sum() { cat "$logs"/* | awk -v name="$1" '$1 == name { sum += $2 } END { print sum + 0 }'; }
ran=$(sum seeds) failed=$(sum failed-seeds)
[ "$failed" = 0 ] || say "Tools/prove cluster-simulation --seed N runs seed N alone."
for figure in seeds entries pushes duplicates answers failed-seeds; do
    printf 'RESULT cluster-simulation.%s %s\n' "$figure" "$(sum "$figure")"
done
[ "$status" = 0 ] && [ "$failed" = 0 ] && [ "$ran" = "$seeds" ]
