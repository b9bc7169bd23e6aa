import CarillonClient

/// Makes the configuration of a client of scripted servers on these ports, without TLS. Its pauses are short. Only a
/// test that is about a limit of time may run into one, however busy the machine is.
func scriptedConfiguration(_ ports: Int..., key: String? = nil) -> CarillonClient.Configuration {
    var configuration = CarillonClient.Configuration(
        addresses: ports.map { .tcp(host: "127.0.0.1", port: $0) }, security: .plaintext,
        apiKey: key.map { .value($0) })
    for limit in [
        \CarillonClient.Configuration.requestTimeout, \.connectTimeout, \.pingTimeout,
    ] {
        configuration[keyPath: limit] = .seconds(3_600)
    }
    configuration.backoff = .milliseconds(1)
    configuration.maximumBackoff = .milliseconds(20)
    return configuration
}

/// The code of the error with which a server refuses a request, or a client a call; nil if there is none.
func refusal(of client: CarillonClient) async -> CarillonError.Code? {
    do throws(CarillonError) {
        _ = try await client.serverInfo()
        return nil
    } catch {
        return error.code
    }
}
