import CarillonClient

/// The configuration of a client of a scripted server, with short pauses.
func scriptedConfiguration(_ port: Int, key: String? = nil) -> CarillonClient.Configuration {
    var configuration = CarillonClient.Configuration(
        address: .tcp(host: "127.0.0.1", port: port), security: .plaintext, apiKey: key.map { .value($0) })
    configuration.backoff = .milliseconds(1)
    configuration.backoffLimit = .milliseconds(20)
    return configuration
}

/// The code of the error with which a server refuses a request, or a client a call; nil if there is none.
func refusal(of client: CarillonClient) async -> CarillonError.Code? {
    do throws(CarillonError) {
        _ = try await client.serverInformation()
        return nil
    } catch {
        return error.code
    }
}
