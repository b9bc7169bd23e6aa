#!/usr/bin/env bash
# Compiles the client and runs its tests, without Maven: JDK 17 and JUnit 5 of Debian are enough.
#
#   ./build.sh           everything: compile, tests, generated files, documentation
#   ./build.sh compile   build/carillon-client.jar, and the examples and the benchmark in build/examples
#   ./build.sh test [SELECT…]   the tests; SELECT as of the JUnit console: --select-class carillon.client.VectorsTest
#   ./build.sh doc       the documentation in build/doc
#
# With CARILLON_PROGRAMS, the folder of the programs of Carillon, the tests run against a server as well.
set -euo pipefail
cd "$(dirname "$0")"
LINT=(-Xlint:all -Werror --release 17 -encoding UTF-8)
JUNIT=/usr/share/java
API=$JUNIT/junit-jupiter-api.jar:$JUNIT/junit-platform-commons.jar:$JUNIT/opentest4j.jar:$JUNIT/apiguardian-api.jar
RUN=$API:$JUNIT/junit-jupiter-engine.jar:$JUNIT/junit-platform-engine.jar:$JUNIT/junit-platform-launcher.jar
RUN+=:$JUNIT/junit-platform-console.jar:$JUNIT/junit-platform-reporting.jar:$JUNIT/picocli.jar
RUN+=:$JUNIT/opentest4j-reporting-events.jar:$JUNIT/opentest4j-reporting-schema.jar

compile() {
    rm -rf build/main build/examples
    find src/main/java -name '*.java' -print0 | xargs -0 javac "${LINT[@]}" -d build/main
    jar --create --file build/carillon-client.jar -C build/main .
    javac "${LINT[@]}" -d build/examples -cp build/main examples/*.java benchmark/*.java
}
tests() {
    rm -rf build/test
    find src/test/java -name '*.java' -print0 | xargs -0 javac "${LINT[@]}" -d build/test -cp "build/main:$API"
    [ $# -gt 0 ] || set -- --select-package carillon.client
    java -Xmx1g -ea -Dcarillon.protocol=../.. -cp "build/test:build/main:build/examples:$RUN" \
        org.junit.platform.console.ConsoleLauncher --disable-banner --disable-ansi-colors \
        --details ${DETAILS:-summary} --fail-if-no-tests "$@"
}
documentation() {
    rm -rf build/doc
    javadoc -quiet -Xdoclint:all -Werror -encoding UTF-8 -d build/doc \
        --module-source-path carillon.client=src/main/java \
        --module carillon.client
}

case ${1:-all} in
    compile) compile ;;
    test) shift; compile; tests "$@" ;;
    doc) documentation ;;
    all)
        python3 -B support/generate_calls.py --check
        compile
        tests
        documentation
        ;;
    *) echo "usage: build.sh [compile|test|doc]" >&2; exit 2 ;;
esac
