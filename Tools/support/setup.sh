# Installs what a fresh Debian 12 with a Swift toolchain lacks, and builds. Sourced by demo, test, prove, bench, package
# and the proofs in shell; not a program.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
BUILD=${BUILD:-debug}

say() { printf '%s\n' "$*"; }
fail() { printf '%s\n' "$*" >&2; exit 1; }

# Fails without Swift 6.2 or later.
require_swift() {
    command -v swift >/dev/null ||
        fail "There is no Swift here. Carillon needs a Swift toolchain, 6.2 or later, in PATH:
see https://www.swift.org/install/linux (Debian 12), then run this again."
    local version
    version=$(swift --version 2>/dev/null | grep -oE 'Swift version [0-9]+\.[0-9]+' | grep -oE '[0-9]+\.[0-9]+')
    [ "$(printf '%s\n6.2\n' "$version" | sort -V | head -n 1)" = 6.2 ] ||
        fail "Swift $version is too old: Carillon needs 6.2 or later."
}

# Installs the Debian packages named that are missing, as root or through sudo.
require_packages() {
    local missing=() package
    for package in "$@"; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    say "Installing ${missing[*]} …"
    local sudo=
    [ "$(id -u)" = 0 ] || sudo=sudo
    local log
    log=$(mktemp)
    {
        $sudo apt-get update -qq &&
            echo "wireshark-common wireshark-common/install-setuid boolean false" | $sudo debconf-set-selections &&
            DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends "${missing[@]}"
    } >"$log" 2>&1 || { cat "$log" >&2; fail "apt-get could not install ${missing[*]}"; }
    rm -f "$log"
}

# Installs PostgreSQL, which the tests of the shared log start themselves: without the server that Debian's package
# would make and start.
require_postgresql() {
    local settings=/etc/postgresql-common/createcluster.d
    if [ ! -x /usr/lib/postgresql/15/bin/postgres ]; then
        require_packages postgresql-common
        local sudo=
        [ "$(id -u)" = 0 ] || sudo=sudo
        $sudo mkdir -p "$settings"
        echo "create_main_cluster = false" | $sudo tee "$settings/carillon.conf" >/dev/null
    fi
    require_packages postgresql-15 libpq5
}

# Makes .build/python-peers, an environment with other implementations of Web Push and of Google's credentials: Debian
# has no packages of them. Returns at once when it is there already.
require_python_peers() {
    local wanted=$ROOT/Tests/SystemTests/requirements.txt made=$ROOT/.build/python-peers
    cmp -s "$wanted" "$made/requirements.txt" && return 0
    require_packages python3-venv
    say "Installing $(grep -vc '^#' "$wanted") Python packages for tests …"
    local log
    log=$(mktemp)
    { rm -rf "$made" && mkdir -p "$ROOT/.build" && python3 -m venv "$made" &&
        "$made/bin/pip" install --quiet --disable-pip-version-check -r "$wanted" &&
        cp "$wanted" "$made/"; } >"$log" 2>&1 ||
        { cat "$log" >&2; fail "pip could not install the packages of $wanted"; }
    rm -f "$log"
}

# Installs what every build needs.
require_build() {
    require_swift
    require_packages liblmdb-dev libnghttp2-dev libssl-dev pkg-config openssl python3 ca-certificates
}

# Prints the folder of the built programs: CARILLON_PROGRAMS, else the folder of BUILD, which is debug or release.
programs() { echo "${CARILLON_PROGRAMS:-$ROOT/.build/$BUILD}"; }

# Builds with one line of output; prints the compiler's errors if the build fails. More arguments go to swift build.
# With CARILLON_PROGRAMS, the programs of that folder are used and only builds with a folder of their own are made.
build() {
    [ -z "${CARILLON_PROGRAMS:-}" ] || [[ " $* " == *" --scratch-path "* ]] || return 0
    local log status=0
    log=$(mktemp)
    local words="Building ($BUILD)"
    [ -d "$ROOT/.build/$BUILD" ] || words="$words; the first time takes some minutes"
    say "$words …"
    (cd "$ROOT" && swift build -c "$BUILD" "$@") >"$log" 2>&1 || status=$?
    [ $status = 0 ] || { grep -E 'error|warning: unre' "$log" >&2 || tail -n 40 "$log" >&2; }
    rm -f "$log"
    [ $status = 0 ] || fail "The build failed."
}
