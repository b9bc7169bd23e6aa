import CarillonClient

/// Opens a connection, asks for a round trip, shows the server and the principal.
func connect() async throws(CarillonError) {
    try await withCarillonClient(configuration: .fromEnvironment()) { client throws(CarillonError) in
        try await client.connect()
        let server = try await client.serverInfo()
        print("server", server.software)
        print("principal", server.principal ?? "")
        _ = try await client.ping()
        print("round trip ok")
    }
}
