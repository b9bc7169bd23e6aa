import CarillonClient

let configuration = try CarillonClient.Configuration.fromEnvironment()
try await withCarillonClient(configuration: configuration) { client in
    print("connected to", try await client.serverInfo().software)
}
