# A Carillon deployment for one run: certificates, keys, configuration, simulator and server on free loopback ports, all in
# one folder that the caller removes. Sourced by demo, bench and StoryTests; not a program. For Python tests the same is in
# Tests/SystemTests/support/deployment.py.

# Makes certificates and keys in $DEPLOYMENT: an authority, a server certificate for localhost, a provider key (.p8).
make_keys() {
    (
        cd "$DEPLOYMENT"
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
    ) 2>"$DEPLOYMENT/openssl.log" || { cat "$DEPLOYMENT/openssl.log" >&2; return 1; }
}

# Writes the configuration of the server: one app, and one principal whose key is in $DEPLOYMENT/api-key.
make_configuration() {
    local made
    made=$("$(programs)/carillond" make-key demo)
    (umask 077 && awk '/^key/ { print $NF }' <<<"$made" >"$DEPLOYMENT/api-key")
    local hash
    hash=$(grep -oE '"keySHA256": \["[0-9a-f]{64}"\]' <<<"$made")
    cat >"$DEPLOYMENT/principals.json" <<EOF
{"principals": [{"name": "demo", $hash,
  "grants": [{"app": "*", "roles": ["register", "send", "observe", "admin"]}]}]}
EOF
    cat >"$DEPLOYMENT/apps.json" <<EOF
{"credentials": {"main": {"teamID": "TEAM123456", "keyID": "KEY1234567", "keyFile": "AuthKey.p8"}},
 "apps": {"com.example.game": {"production": "main"}}}
EOF
    # With another umask the server could refuse them: other users could change them.
    chmod 644 "$DEPLOYMENT/principals.json" "$DEPLOYMENT/apps.json"
    cat >"$DEPLOYMENT/carillon.json" <<EOF
{"listen": {"host": "127.0.0.1", "port": 0, "portFile": "$DEPLOYMENT/server.port"},
 "metrics": {"port": 0, "portFile": "$DEPLOYMENT/metrics.port"},
 "data": {"path": "$DEPLOYMENT/data"},
 "apns": {"productionHost": "localhost", "port": 1, "authorities": "$DEPLOYMENT/authority.pem"},
 "apps": {"file": "$DEPLOYMENT/apps.json"},
 "principals": {"file": "$DEPLOYMENT/principals.json"}}
EOF
}

# Waits until a starting program has written a file.
wait_for_file() {
    local file=$1 process=$2 tries=0
    until [ -s "$file" ]; do
        kill -0 "$process" 2>/dev/null || { echo "a program ended before it was ready" >&2; return 1; }
        tries=$((tries + 1))
        [ $tries -lt 2400 ] || { echo "$file did not appear in 120 s" >&2; return 1; }
        sleep 0.05
    done
}

# Starts the simulator with the arguments as further options. Sets SIMULATOR, APNS_PORT and CONTROL_PORT.
start_simulator() {
    rm -f "$DEPLOYMENT/apns.port" "$DEPLOYMENT/control.port"
    "$(programs)/apns-simulator" --certificate "$DEPLOYMENT/apns.pem" --key "$DEPLOYMENT/apns.key" --app com.example.game \
        --team TEAM123456 --key-id KEY1234567 --public-key "$DEPLOYMENT/AuthKey.pub" \
        --port 0 --port-file "$DEPLOYMENT/apns.port" --control-port 0 --control-port-file "$DEPLOYMENT/control.port" \
        "$@" >>"$DEPLOYMENT/simulator.log" 2>&1 &
    SIMULATOR=$!
    wait_for_file "$DEPLOYMENT/apns.port" $SIMULATOR && wait_for_file "$DEPLOYMENT/control.port" $SIMULATOR ||
        { cat "$DEPLOYMENT/simulator.log" >&2; return 1; }
    APNS_PORT=$(cat "$DEPLOYMENT/apns.port")
    CONTROL_PORT=$(cat "$DEPLOYMENT/control.port")
}

# Starts the server with the arguments as further flags. Sets SERVER and SERVER_PORT.
start_server() {
    rm -f "$DEPLOYMENT/server.port"
    "$(programs)/carillond" --config "$DEPLOYMENT/carillon.json" --apns-port "$APNS_PORT" "$@" >>"$DEPLOYMENT/server.log" 2>&1 &
    SERVER=$!
    wait_for_file "$DEPLOYMENT/server.port" $SERVER || { cat "$DEPLOYMENT/server.log" >&2; return 1; }
    SERVER_PORT=$(cat "$DEPLOYMENT/server.port")
}

# Sends one line to the simulator's control port and prints the answer without the empty line at its end.
simulator() {
    exec 3<>"/dev/tcp/127.0.0.1/$CONTROL_PORT"
    printf '%s\n' "$*" >&3
    local line
    while IFS= read -r -t 60 line <&3 && [ -n "$line" ]; do printf '%s\n' "$line"; done
    exec 3>&-
}

# Prints the first number with the name in JSON on standard input, or 0.
number() { grep -oE "\"$1\":[0-9]+" | head -n 1 | grep -oE '[0-9]+$' || echo 0; }

# Waits until the simulator has no connection: it has read all that a killed server had written.
wait_for_connections_to_end() {
    local tries=0
    until [ "$(simulator stats | number connections)" = 0 ]; do
        tries=$((tries + 1))
        [ $tries -lt 1200 ] || { echo "connections to the simulator did not end in 60 s" >&2; return 1; }
        sleep 0.05
    done
}

# Ends the started processes with SIGTERM.
stop_all() {
    local process
    for process in ${SERVER:-} ${SIMULATOR:-} ${OTHERS:-}; do
        kill -TERM "$process" 2>/dev/null || true
        # A stopped process does not get the signal.
        kill -CONT "$process" 2>/dev/null || true
    done
    for process in ${SERVER:-} ${SIMULATOR:-} ${OTHERS:-}; do wait "$process" 2>/dev/null || true; done
    SERVER= SIMULATOR= OTHERS=
}
