#!/usr/bin/env bash
# No bytes of a peer or a disk make the decoders trap, hang or take too much memory: libFuzzer searches.
#
# Tools/prove fuzz [--minutes N] [TARGET…]   N minutes (1), divided among all targets or the named ones, each with its
#                                            corpus
# Tools/prove fuzz --smoke [TARGET…]         replays the corpus and fuzzes two seconds each
# Tools/prove fuzz --corpus [TARGET…]        writes Tests/Corpus: the seeds and all inputs found since, minimised
set -euo pipefail
source "$(dirname "$0")/../../../Tools/support/setup.sh"
cd "$ROOT"

TARGETS=(server-session client-session frames http2-client http2-server apns-answer payload registry log)
CORPUS=Tests/Corpus
# The inputs that this machine has found so far, and the inputs that broke something.
WORK=.build/fuzz-work
FINDINGS=.build/fuzz-findings
PROGRAM=.build/fuzz/release/carillon-fuzz
LIMITS=(-timeout=10 -rss_limit_mb=2048 -max_len=8192)

usage() { fail "usage: Tools/prove fuzz [--minutes N | --smoke | --corpus] [${TARGETS[*]}]"; }

mode=minutes minutes=1 chosen=()
while [ $# -gt 0 ]; do
    case "$1" in
    --minutes)
        [[ "${2:-}" =~ ^[1-9][0-9]{0,3}$ ]] || usage
        minutes=$2
        shift
        ;;
    --smoke) mode=smoke ;;
    --corpus) mode=corpus ;;
    *)
        [[ " ${TARGETS[*]} " == *" $1 "* ]] || usage
        chosen+=("$1")
        ;;
    esac
    shift
done
[ ${#chosen[@]} -gt 0 ] || chosen=("${TARGETS[@]}")
# On a busy machine an input may wait for a processor longer than it runs. What hangs is found in any case.
[ $mode != smoke ] || LIMITS[0]=-timeout=300

require_build
# Of two options --sanitize the compiler follows the last one only, and the fuzzer would search without coverage.
BUILD=release CARILLON_FUZZ=1 build --sanitize=fuzzer -Xswiftc -sanitize=fuzzer,address --scratch-path .build/fuzz \
    --product carillon-fuzz
# The backtracer of Swift would keep a broken process for minutes.
export SWIFT_BACKTRACE=enable=no

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fuzz() { CARILLON_FUZZ_TARGET=$1 "$PROGRAM" "${LIMITS[@]}" "${@:2}"; }

# Without counters of coverage libFuzzer would search blindly and select no input, and would not fail.
fuzz frames -runs=0 >"$scratch/counters.log" 2>&1 || true
grep -q 'inline 8-bit counters' "$scratch/counters.log" || fail "The fuzzer counts no coverage."

# Prints the existing folders of a target: kept inputs, and inputs that once broke something.
kept() {
    local folder
    for folder in "$CORPUS/$1" "$CORPUS/findings/$1"; do [ ! -d "$folder" ] || printf '%s\n' "$folder"; done
}

executions=0 findings=0

# Fuzzes a target for some seconds; new inputs go to a folder.
run() {
    local target=$1 seconds=$2 new=$3 log="$scratch/$1.log" status=0 count speed folders
    mapfile -t folders < <(kept "$target")
    mkdir -p "$new" "$FINDINGS"
    fuzz "$target" -max_total_time="$seconds" -print_final_stats=1 -artifact_prefix="$FINDINGS/$target-" \
        "$new" "${folders[@]}" >"$log" 2>&1 || status=$?
    # After a finding at the end of a run the statistics are printed twice.
    count=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -n 1)
    speed=$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log" | tail -n 1)
    executions=$((executions + ${count:-0}))
    if [ "$status" = 0 ]; then
        printf '%-16s %9d executions, %6d a second\n' "$target" "${count:-0}" "${speed:-0}"
        return
    fi
    findings=$((findings + 1))
    local input
    input=$(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)
    printf '%-16s FINDING\n' "$target"
    grep -m 3 -E 'BROKEN|Fatal error|ERROR: |SUMMARY' "$log" | sed 's/^/    /' || tail -n 5 "$log"
    [ -z "$input" ] || printf '    %s\n    %s\n' "$input" "$(od -An -v -tx1 "$input" | tr -d ' \n')"
}

# Replaces the corpus of a target by few inputs with the same coverage; of more than 400, by the first 400.
minimise() {
    local target=$1 folders from=("$scratch/seeds/$1")
    mapfile -t folders < <(kept "$target")
    [ ! -d "$WORK/$target" ] || from+=("$WORK/$target")
    mkdir -p "$scratch/new/$target"
    fuzz "$target" -set_cover_merge=1 -use_counters=0 "$scratch/new/$target" "${from[@]}" "${folders[@]}" \
        >"$scratch/$target.log" 2>&1 ||
        { tail -n 5 "$scratch/$target.log" >&2; fail "The corpus of $target breaks it."; }
    # Replaying must stay quick. The names are hashes, so the first inputs are a fair sample.
    find "$scratch/new/$target" -type f | sort | tail -n +401 | xargs -r rm --
    rm -rf "${CORPUS:?}/$target"
    mv "$scratch/new/$target" "$CORPUS/$target"
    printf '%-16s %4d inputs\n' "$target" "$(find "$CORPUS/$target" -type f | wc -l)"
}

case $mode in
corpus)
    python3 "$CORPUS/seeds.py" "$scratch/seeds"
    for target in "${chosen[@]}"; do minimise "$target"; done
    exit 0
    ;;
smoke) for target in "${chosen[@]}"; do run "$target" 2 "$scratch/$target"; done ;;
minutes)
    seconds=$((minutes * 60 / ${#chosen[@]}))
    for target in "${chosen[@]}"; do run "$target" "$seconds" "$WORK/$target"; done
    ;;
esac

printf 'RESULT fuzz.targets %d\nRESULT fuzz.executions %d\nRESULT fuzz.findings %d\n' \
    "${#chosen[@]}" "$executions" "$findings"
[ "$findings" = 0 ]
