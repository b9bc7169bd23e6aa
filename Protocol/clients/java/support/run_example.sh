#!/usr/bin/env bash
# Runs one example: run_example.sh NAME ARGUMENT…, such as look_up. `build.sh compile` makes it.
set -euo pipefail
build=$(cd "$(dirname "$0")/.." && pwd)/build
class=$(sed -E 's/(^|_)([a-z])/\U\2/g' <<<"$1")
shift
exec java -XX:TieredStopAtLevel=1 -cp "$build/main:$build/examples" "$class" "$@"
