#!/usr/bin/env bash
# Measures the client: run_benchmark.sh [SECONDS [IN_FLIGHT]]. `build.sh compile` makes it. BENCHMARK_JAVA has options
# of the command java.
set -euo pipefail
build=$(cd "$(dirname "$0")/.." && pwd)/build
exec java ${BENCHMARK_JAVA:-} -cp "$build/main:$build/examples" Benchmark "$@"
