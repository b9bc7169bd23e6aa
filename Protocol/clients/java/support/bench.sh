#!/usr/bin/env bash
# Measures the client against a server of its own. CARILLON_PROGRAMS is the folder of the programs; the argument is how
# many seconds each measurement takes.
set -euo pipefail
cd "$(dirname "$0")/.."
./build.sh compile
javac -Xlint:all -Werror --release 17 -d build/bench -cp build/main bench/Benchmark.java
coproc SERVER { exec python3 -B support/deployment.py; }
read -r line <&"${SERVER[0]}"
field() { python3 -c 'import json, sys; print(json.loads(sys.argv[1])[sys.argv[2]])' "$line" "$1"; }
CARILLON_SERVER=$(field server) CARILLON_API_KEY_FILE=$(field key_file) CARILLON_APP=$(field app) \
    java ${BENCH_JAVA:-} -cp build/main:build/bench Benchmark "${1:-3}"
eval "exec ${SERVER[1]}>&-"
