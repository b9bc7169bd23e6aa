import CarillonClient
import CarillonTestKit
import CarillonWire

/// Returns a client of a scripted server.
///
/// - Parameters:
///   - timeout: the time of each call; nil if no call may run out of time.
///   - maximumAttempts: the number of attempts that a call may make.
func scriptedClient(
    of server: ScriptedServer, key: String? = nil, timeout: Duration? = nil, maximumAttempts: Int = 6
) -> CarillonClient {
    var configuration = scriptedConfiguration(server.port, key: key)
    if let timeout { configuration.requestTimeout = timeout }
    configuration.maximumAttempts = maximumAttempts
    return CarillonClient(configuration: configuration)
}

/// Returns the error that a call ends with; nil if it succeeds.
func failure<T>(_ call: () async throws(CarillonError) -> T) async -> CarillonError? {
    do throws(CarillonError) {
        _ = try await call()
        return nil
    } catch {
        return error
    }
}

/// Returns the requests that calls make, one after the other; `answers` are the answers of the server.
func requests(
    _ answers: [AnyAnswer],
    _ calls: @escaping @Sendable (CarillonClient) async throws -> Void
) async throws -> [AnyRequest] {
    let server = try await ScriptedServer.start()
    async let done: Void = calls(scriptedClient(of: server))
    let peer = try await server.accept()
    var requests: [AnyRequest] = []
    for answer in answers {
        let (id, request) = try await peer.request()
        requests.append(request)
        peer.answer(id, answer)
    }
    try await done
    return requests
}

/// Returns the request and the result of a call; `answer` is the answer of the server.
func exchange<T: Sendable>(
    _ answer: AnyAnswer,
    _ call: @escaping @Sendable (CarillonClient) async throws(CarillonError) -> T
) async throws -> (request: AnyRequest, result: T) {
    let server = try await ScriptedServer.start()
    async let result = call(scriptedClient(of: server))
    let peer = try await server.accept()
    let (id, request) = try await peer.request()
    peer.answer(id, answer)
    return (request, try await result)
}

/// Returns all rows of a listing, and the requests that were made for them; `pages` are the answers.
func listing<Row: Sendable, Cursor: Sendable>(
    _ pages: [AnyAnswer], _ listing: @escaping @Sendable (CarillonClient) -> Listing<Row, Cursor>
) async throws -> (requests: [AnyRequest], rows: [Row]) {
    let server = try await ScriptedServer.start()
    let client = scriptedClient(of: server)
    async let rows = { () async throws -> [Row] in
        var rows: [Row] = []
        for try await row in listing(client) { rows.append(row) }
        return rows
    }()
    let peer = try await server.accept()
    var requests: [AnyRequest] = []
    for page in pages {
        let (id, request) = try await peer.request()
        requests.append(request)
        peer.answer(id, page)
    }
    let all = try await rows
    return (requests, all)
}

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

/// Returns the code of the error with which `serverInfo` fails; nil if it succeeds.
func refusal(of client: CarillonClient) async -> CarillonError.Code? {
    do throws(CarillonError) {
        _ = try await client.serverInfo()
        return nil
    } catch {
        return error.code
    }
}
