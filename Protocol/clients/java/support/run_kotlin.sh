#!/usr/bin/env bash
# Compiles the program in Kotlin, runs it with the server of the environment, and compares what it prints. Needs
# kotlinc; `build.sh compile` makes the client. Debian's Kotlin is 1.3, the oldest that is tried.
set -euo pipefail
cd "$(dirname "$0")/.."
built=$(mktemp -d)
trap 'rm -rf "$built"' EXIT
kotlinc -jvm-target 1.8 -cp build/main -include-runtime -d "$built/program.jar" kotlin/*.kt 2>"$built/log" \
    || { cat "$built/log" >&2; exit 1; }
printed=$(java -XX:TieredStopAtLevel=1 -cp "$built/program.jar:build/main" InteroperationKt)
expected='delivered 1
NOT_FOUND: device, was not executed
NOT_FOUND: device, was not executed'
[ "$printed" = "$expected" ] || { printf 'the program in Kotlin has printed:\n%s\n' "$printed" >&2; exit 1; }
echo "the program in Kotlin passed"
