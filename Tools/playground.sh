# A Carillon world of one's own: certificates, keys, configuration, simulator and server on free loopback ports, all in one
# folder that goes away at the end. Sourced by demo, test and bench; not a program.

# Where the built programs are; BUILD=debug or release.
programs() { echo "$ROOT/.build/${BUILD:-release}"; }

# Makes certificates and keys in $WORLD: an authority, a server certificate for localhost, a provider key (.p8).
make_keys() {
    (
        cd "$WORLD"
        umask 077
        openssl ecparam -name prime256v1 -genkey -noout -out authority.key
        openssl req -x509 -new -key authority.key -subj "/CN=Carillon playground" -days 2 -out authority.pem
        local name
        for name in apns server; do
            openssl ecparam -name prime256v1 -genkey -noout -out $name.key
            openssl req -new -key $name.key -subj "/CN=localhost" -out $name.csr
            printf 'subjectAltName=DNS:localhost,IP:127.0.0.1\n' >$name.ext
            openssl x509 -req -in $name.csr -CA authority.pem -CAkey authority.key -CAcreateserial -days 2 \
                -extfile $name.ext -out $name.pem
        done
        openssl ecparam -name prime256v1 -genkey -noout | openssl pkcs8 -topk8 -nocrypt -out AuthKey.p8
        openssl pkey -in AuthKey.p8 -pubout -out AuthKey.pub
    ) 2>"$WORLD/openssl.log" || { cat "$WORLD/openssl.log" >&2; return 1; }
}

# Writes the configuration of the server: one app, one principal whose key is in $WORLD/api-key.
make_configuration() {
    local made
    made=$("$(programs)/carillond" make-key demo)
    (umask 077 && awk '/^key/ { print $NF }' <<<"$made" >"$WORLD/api-key")
    local hash
    hash=$(grep -oE '"keySHA256": \["[0-9a-f]{64}"\]' <<<"$made")
    cat >"$WORLD/principals.json" <<EOF
{"principals": [{"name": "demo", $hash,
  "grants": [{"app": "*", "roles": ["register", "send", "observe", "admin"]}]}]}
EOF
    cat >"$WORLD/apps.json" <<EOF
{"credentials": {"main": {"teamID": "TEAM123456", "keyID": "KEY1234567", "keyFile": "AuthKey.p8"}},
 "apps": {"com.example.game": {"production": "main"}}}
EOF
    cat >"$WORLD/carillon.json" <<EOF
{"listen": {"host": "127.0.0.1", "port": 0, "portFile": "$WORLD/server.port"},
 "metrics": {"port": 0, "portFile": "$WORLD/metrics.port"},
 "data": {"path": "$WORLD/data"},
 "apns": {"productionHost": "localhost", "port": 1, "authorities": "$WORLD/authority.pem"},
 "apps": {"file": "$WORLD/apps.json"},
 "principals": {"file": "$WORLD/principals.json"}}
EOF
}

# Waits until a file that a starting program writes is there.
wait_for_file() {
    local file=$1 process=$2 tries=0
    until [ -s "$file" ]; do
        kill -0 "$process" 2>/dev/null || { echo "a program ended before it was ready" >&2; return 1; }
        tries=$((tries + 1))
        [ $tries -lt 400 ] || { echo "$file did not appear in 20 s" >&2; return 1; }
        sleep 0.05
    done
}

# Starts the simulator; more options as arguments. Sets SIMULATOR, APNS_PORT and CONTROL_PORT.
start_simulator() {
    rm -f "$WORLD/apns.port" "$WORLD/control.port"
    "$(programs)/apns-simulator" --certificate "$WORLD/apns.pem" --key "$WORLD/apns.key" --app com.example.game \
        --team TEAM123456 --key-id KEY1234567 --public-key "$WORLD/AuthKey.pub" \
        --port 0 --port-file "$WORLD/apns.port" --control-port 0 --control-port-file "$WORLD/control.port" \
        "$@" >>"$WORLD/simulator.log" 2>&1 &
    SIMULATOR=$!
    wait_for_file "$WORLD/apns.port" $SIMULATOR && wait_for_file "$WORLD/control.port" $SIMULATOR ||
        { cat "$WORLD/simulator.log" >&2; return 1; }
    APNS_PORT=$(cat "$WORLD/apns.port")
    CONTROL_PORT=$(cat "$WORLD/control.port")
}

# Starts the server; more flags as arguments. Sets SERVER and SERVER_PORT.
start_server() {
    rm -f "$WORLD/server.port"
    "$(programs)/carillond" --config "$WORLD/carillon.json" --apns-port "$APNS_PORT" "$@" >>"$WORLD/server.log" 2>&1 &
    SERVER=$!
    wait_for_file "$WORLD/server.port" $SERVER || { cat "$WORLD/server.log" >&2; return 1; }
    SERVER_PORT=$(cat "$WORLD/server.port")
}

# Says one line to the simulator's control port and prints its answer without the blank line at the end.
simulator() {
    exec 3<>"/dev/tcp/127.0.0.1/$CONTROL_PORT"
    printf '%s\n' "$*" >&3
    local line
    while IFS= read -r -t 60 line <&3 && [ -n "$line" ]; do printf '%s\n' "$line"; done
    exec 3>&-
}

# Ends what was started, politely first.
stop_all() {
    local process
    for process in ${SERVER:-} ${SIMULATOR:-} ${OTHERS:-}; do
        kill -TERM "$process" 2>/dev/null || true
        # One that was stopped does not hear.
        kill -CONT "$process" 2>/dev/null || true
    done
    for process in ${SERVER:-} ${SIMULATOR:-} ${OTHERS:-}; do wait "$process" 2>/dev/null || true; done
    SERVER= SIMULATOR= OTHERS=
}
