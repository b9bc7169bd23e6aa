#!/usr/bin/env bash
# ThreadSanitizer finds no data race in the unit tests of the modules that have threads.
#
# Tools/prove threads [--filter REGEX]
#
# Left out are ScenarioTests, which test other processes; seven modules that have neither threads nor locks; and two
# suites of the registry that use one thread and would take most of the time: its random model, and its Bloom filter.
# The build has its own folder, .build-threads. No race is suppressed by name; races.py says which reports cannot be
# races.
set -euo pipefail
source "$(dirname "$0")/../../../Tools/support/setup.sh"
cd "$ROOT"

WITHOUT_THREADS='Carillon(Core|Wire|Session|APNs|Delivery|HTTP2|TLS)Tests'
SELECTION=(--skip "ScenarioTests|$WITHOUT_THREADS|LMDBRegistryRandomModelTests|TokenBloomFilterTests")
case "${1:-}" in
--filter) SELECTION=(--filter "${2:?}") ;;
"") ;;
*) fail "usage: Tools/prove threads [--filter REGEX]" ;;
esac

require_build
SCRATCH=(--scratch-path .build-threads --sanitize=thread)
BUILD=debug build --build-tests "${SCRATCH[@]}"

log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=4 SWIFT_BACKTRACE=enable=no TSAN_OPTIONS="exitcode=0 history_size=4" \
    swift test "${SCRATCH[@]}" --skip-build --parallel "${SELECTION[@]}" >"$log" 2>&1 || status=$?
grep -aE '✘ Test |recorded an issue' "$log" | head -n 20 || true
grep -aE '^. Test run with' "$log" || { tail -n 20 "$log" >&2; fail "The tests did not finish."; }
python3 -B Tests/SystemTests/proofs/parts/races.py "$log" && [ "$status" = 0 ]
