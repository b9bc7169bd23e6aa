import CarillonClient
import CarillonCore
import CarillonTestKit
import CarillonWire
import Foundation
import NIOCore
import NIOPosix

/// A player of the client's part of one vector.
final class BehaviourPlayer {
    typealias Object = [String: Any]

    /// The result of an action.
    enum Outcome: Sendable {
        /// The fields of an answer, as JSON.
        case fields(Data)
        case element(EventStreamElement?)
        case error(CarillonError)
        case done
    }

    struct Mismatch: Error {
        let text: String
    }

    private let vector: Object
    private let server: FakeServer
    private let encoder: LayoutEncoder
    private let loop = NIOSingletons.posixEventLoopGroup.next()
    private let key = Watched("test-key")
    private let states = Watched<[ConnectionState]>([])
    private var client: CarillonClient?
    private var clients: [CarillonClient] = []
    private var tasks: [String: Task<Outcome, Never>] = [:]
    private var streams: [String: EventStream] = [:]

    /// Plays a vector; returns the faults that it found.
    static func play(_ vector: BehaviourVector) async throws -> [String] {
        guard let object = try JSONSerialization.jsonObject(with: vector.text) as? Object else { return ["no object"] }
        let player = try BehaviourPlayer(object, FakeServer(vector: vector.name))
        return try await player.play()
    }

    private init(_ vector: Object, _ server: FakeServer) throws {
        self.vector = vector
        self.server = server
        encoder = try LayoutEncoder()
    }

    private func play() async throws -> [String] {
        try await server.listening()
        var problems: [String] = []
        for (number, action) in (vector["client"] as? [Object] ?? []).enumerated() {
            do {
                try await perform(action)
            } catch {
                problems.append("action \(number + 1), \(action["do"] ?? ""): \(error)")
                break
            }
        }
        for task in tasks.values { task.cancel() }
        streams = [:]
        for client in clients { await client.close(drainTimeout: .milliseconds(10)) }
        return problems + (try await server.verdict())
    }

    private func perform(_ action: Object) async throws {
        switch action["do"] as? String {
        case "connect": try await connect(action)
        case "call": try await call(action)
        case "send": try await send(action)
        case "ping":
            try await begin(action) { client throws(CarillonError) in
                _ = try await client.ping()
                return .done
            }
        case "wait": try compare(await result(of: text(action, "for")), action)
        case "cancel": tasks[text(action, "call")]?.cancel()
        case "events": try await events(action)
        case "take": try await take(action)
        case "ack": try acknowledge(action)
        case "flush": try await streams[text(action, "from")]?.flush()
        case "end_events": await streams[text(action, "from")]?.close()
        case "close": try await close(action)
        case "await":
            try await server.reach(text(action, "name"))
            // What the servers have sent before is in the socket: the event loop reads it before it comes here again.
            for _ in 0..<4 { try await loop.submit {}.get() }
        case "signal":
            // The event loop reads its sockets before it takes orders: what was begun before must have reached the
            // client before the servers go on.
            try await loop.submit {}.get()
            server.command("signal \(text(action, "name"))")
        case "credential":
            let value = text(action, "value")
            key.change { $0 = value }
        case "states": try compareStates(action)
        default: throw Mismatch(text: "no such action")
        }
    }

    private func text(_ action: Object, _ name: String) -> String { action[name] as? String ?? "" }

    /// Runs a call. A call with a name only begins, and is handed to the client when this returns.
    private func begin(
        _ action: Object, _ body: @escaping @Sendable (CarillonClient) async throws(CarillonError) -> Outcome
    ) async throws {
        guard let client else { throw Mismatch(text: "there is no client") }
        let task = Task.immediate {
            do throws(CarillonError) { return try await body(client) } catch { return Outcome.error(error) }
        }
        let name = action["as"] as? String ?? "the action itself"
        tasks[name] = task
        if action["as"] == nil { try compare(await result(of: name), action) }
    }

    private func result(of name: String) async throws -> Outcome {
        guard let task = tasks[name] else { throw Mismatch(text: "nothing has begun as \(name)") }
        let ended = Watched<Outcome?>(nil)
        Task { ended.change { [outcome = await task.value] in $0 = outcome } }
        guard let outcome = try await ended.wait(until: "the result of \(name)", { $0 != nil }) else {
            throw Mismatch(text: "no result")
        }
        return outcome
    }

    // MARK: Connecting

    private func connect(_ action: Object) async throws {
        let options = (vector["options"] as? Object ?? [:]).merging(action["options"] as? Object ?? [:]) { $1 }
        var configuration: CarillonClient.Configuration
        do throws(CarillonError) {
            configuration = try self.configuration(options)
        } catch {
            return try compare(.error(error), action)
        }
        configuration.hooks.onState = { [states] state in states.change { $0.append(state) } }
        let client = CarillonClient(configuration: configuration, eventLoopGroup: loop)
        self.client = client
        clients.append(client)
        if options["lazy"] as? Bool == true { return }
        try await begin(action) { client throws(CarillonError) in
            try await client.connect()
            return .done
        }
    }

    private func configuration(_ options: Object) throws(CarillonError) -> CarillonClient.Configuration {
        let said = server.said.now
        let names = options["addresses"] as? [String] ?? (vector["servers"] as? Object ?? [:]).keys.sorted()
        let listed = names.map { said.addresses[$0] ?? $0 }.joined(separator: ",")
        var configuration = CarillonClient.Configuration(
            addresses: try CarillonClient.Configuration.addresses(listed))
        if let key = options["api_key"] as? String { self.key.change { $0 = key } }
        if options["credential"] != nil {
            configuration.apiKey = .function { [key] in key.now }
        } else if !(options["api_key"] is NSNull) {
            configuration.apiKey = .value(key.now)
        }
        configuration.security = security(options, said.files)
        func duration(_ name: String, _ path: WritableKeyPath<CarillonClient.Configuration, Duration>) {
            if let value = options[name] as? Int { configuration[keyPath: path] = .milliseconds(value) }
        }
        func number(_ name: String, _ path: WritableKeyPath<CarillonClient.Configuration, Int>) {
            if let value = options[name] as? Int { configuration[keyPath: path] = value }
        }
        duration("connect_timeout_ms", \.connectTimeout)
        duration("ping_timeout_ms", \.pingTimeout)
        duration("probe_after_ms", \.probeAfter)
        duration("refusal_pause_ms", \.refusalPause)
        duration("backoff_ms", \.backoff)
        duration("maximum_backoff_ms", \.maximumBackoff)
        number("maximum_attempts", \.maximumAttempts)
        number("maximum_in_flight", \.maximumInFlight)
        number("maximum_waiting_calls", \.maximumWaitingCalls)
        number("maximum_memory_bytes", \.maximumMemoryBytes)
        return configuration
    }

    private func security(_ options: Object, _ files: [String: String]) -> CarillonClient.Configuration.Security {
        func file(_ name: String) -> CarillonClient.Configuration.PEM? {
            (options[name] as? String).flatMap { files[String($0.dropFirst())] }.map { .file($0) }
        }
        var identity: CarillonClient.Configuration.ClientCertificate?
        if let chain = file("certificate_file"), let key = file("certificate_key_file") {
            identity = .init(chain: chain, key: key)
        }
        let authorities = file("ca_file")
        let name = options["server_name"] as? String
        switch options["security"] as? String {
        case "plaintext": return .plaintext
        case "plaintext_anywhere": return .plaintextAnywhere
        case nil where authorities == nil && identity == nil && name == nil: return .automatic
        default: return .tls(authorities: authorities, clientCertificate: identity, serverName: name)
        }
    }

    private func close(_ action: Object) async throws {
        let limit = (action["drain_timeout_ms"] as? Int).map { Duration.milliseconds($0) }
        try await begin(action) { client throws(CarillonError) in
            await client.close(drainTimeout: limit)
            return .done
        }
    }

    private func compareStates(_ action: Object) throws {
        let names = Dictionary(uniqueKeysWithValues: server.said.now.addresses.map { ($1, $0) })
        func name(_ address: CarillonClient.Configuration.Address) -> String { names["\(address)"] ?? "\(address)" }
        let found = states.now.compactMap { state -> String? in
            switch state {
            case .connecting, .newHistory: nil
            case .connected(let address, _, _): "connected \(name(address))"
            case .failed(let address, _): "failed \(name(address))"
            case .draining(let address, _): "draining \(name(address))"
            case .disconnected(let address, _): "disconnected \(name(address))"
            case .refused(let address, _): "refused \(name(address))"
            case .closed: "closed"
            }
        }
        let expected = action["expect"] as? [String] ?? []
        guard found == expected else { throw Mismatch(text: "\(expected) was expected, \(found) came") }
    }

    // MARK: Calls

    private func call(_ action: Object) async throws {
        let operation = text(action, "operation")
        var fields = action["fields"] as? Object ?? [:]
        if operation == "send" || operation == "resend", fields["key"] == nil {
            fields["key"] = Hex.string(UUIDBytes.random().bytes)
        }
        let request = try makeRequest(operation, fields)
        let timeout = (action["timeout_ms"] as? Int).map { Duration.milliseconds($0) }
        let isRepeated = action["retry"] as? Bool ?? true
        try await begin(action) { client throws(CarillonError) in
            let timed = timeout.map { client.with(timeout: $0) } ?? client
            let answer = try await (isRepeated ? timed : timed.withoutRetries()).request(any: request)
            let fields = MessageFields.of(answer)?.fields ?? [:]
            return .fields((try? JSONSerialization.data(withJSONObject: fields)) ?? Data())
        }
    }

    /// Returns the request. The types of Swift have no condition that is none, and decoding checks a payload, which the
    /// client does not: the vectors that have them are about other things.
    private func makeRequest(_ operation: String, _ fields: Object) throws -> any CarillonWire.Operation {
        var fields = fields
        if operation == "explain" { fields["condition"] = "'raids' in topics" }
        let payload = operation == "send" ? Hex.bytes(text(fields, "payload")) : nil
        if payload != nil { fields["payload"] = Hex.string(Array("{}".utf8)) }
        let request = try encoder.request(operation, fields)
        guard let payload, var message = request as? Message else { return request }
        message.content.payload = payload
        return message
    }

    private func send(_ action: Object) async throws {
        let arguments = action["arguments"] as? Object ?? [:]
        let options = arguments["options"] as? Object ?? [:]
        guard let audience = makeAudience(arguments["audience"]), options.isEmpty || options["dry_run"] as? Int == 1,
            let app = AppID(text(arguments, "app"))
        else {
            // The types of Swift have no form for it.
            guard action["may_skip"] as? Bool == true else { throw Mismatch(text: "it cannot be written") }
            return
        }
        let payload = Array(text(arguments, "payload").utf8)
        let isDryRun = !options.isEmpty
        try await begin(action) { client throws(CarillonError) in
            let accepted = try await client.app(app).send(
                payload: payload, to: audience, options: .init(isDryRun: isDryRun))
            let fields: Object = ["message_id": "\(accepted.id.rawValue)", "total": accepted.total]
            return .fields((try? JSONSerialization.data(withJSONObject: fields)) ?? Data())
        }
    }

    private func makeAudience(_ value: Any?) -> Audience? {
        guard let value = value as? Object, value.count == 1, let (kind, content) = value.first else { return nil }
        switch kind {
        case "devices": return (content as? [Object]).map { .devices($0.compactMap(device)) }
        case "groups": return (content as? [String]).map { .groups($0.compactMap { GroupName($0) }) }
        case "topic": return (content as? String).flatMap { TopicName($0) }.map { .topic($0) }
        case "condition": return (content as? String).flatMap { try? Condition($0) }.map { .condition($0) }
        case "all": return content as? Bool == true ? .allDevices : nil
        default: return nil
        }
    }

    private func device(_ value: Object) -> DeviceReference? {
        if let id = (value["id"] as? String).flatMap({ UInt64($0) }) { return .id(DeviceID(rawValue: id)) }
        guard let token = value["token"] as? Object, let digits = DeviceToken(hex: text(token, "token")),
            let environment = (token["environment"] as? UInt8).flatMap({ APNsEnvironment(rawValue: $0) }),
            let kind = (token["kind"] as? UInt8).flatMap({ TokenKind(rawValue: $0) })
        else { return nil }
        return .address(DeviceAddress(environment: environment, kind: kind, token: digits))
    }

    // MARK: Events

    private func events(_ action: Object) async throws {
        guard let client else { throw Mismatch(text: "there is no client") }
        let start: EventStart =
            switch action["start"] {
            case nil: .acknowledged
            case let text as String where text == "acknowledged": .acknowledged
            case let text as String where text == "now": .now
            case let text as String where text == "oldest": .oldest
            case let value: .after(UInt64("\(value ?? "")") ?? 0)
            }
        let apps = (action["apps"] as? [String])?.compactMap { AppID($0) }
        let kinds = (action["kinds"] as? [UInt16])?.map { Event.Kind(rawValue: $0) }
        do throws(CarillonError) {
            streams[text(action, "as")] = try await client.events(
                name: text(action, "name"), from: start, apps: apps, kinds: kinds,
                window: action["window"] as? Int ?? 256)
        } catch {
            return try compare(.error(error), action)
        }
        try compare(.done, action)
    }

    private func take(_ action: Object) async throws {
        guard let stream = streams[text(action, "from")] else { throw Mismatch(text: "there is no stream") }
        tasks["take"] = Task {
            var iterator = stream.makeAsyncIterator()
            do throws(CarillonError) { return .element(try await iterator.next()) } catch { return .error(error) }
        }
        try compare(await result(of: "take"), action)
    }

    private func acknowledge(_ action: Object) throws {
        let sequence = UInt64(text(action, "sequence")) ?? 0
        do throws(CarillonError) {
            try streams[text(action, "from")]?.acknowledge(upTo: sequence)
        } catch {
            return try compare(.error(error), action)
        }
        try compare(.done, action)
    }
}

extension BehaviourPlayer {
    // MARK: Comparing

    /// Compares an outcome with `expect`: without it, the action must succeed.
    private func compare(_ outcome: Outcome, _ action: Object) throws {
        let expect = action["expect"] as? Object ?? [:]
        switch outcome {
        case .error(let error):
            guard let expected = expect["error"] as? Object else {
                throw Mismatch(text: "success was expected, \(error) came, \(error.causes)")
            }
            try compare(Self.fields(error), expected)
        case .fields(let data):
            guard expect["error"] == nil else { throw Mismatch(text: "an error was expected") }
            let found = try JSONSerialization.jsonObject(with: data) as? Object ?? [:]
            try compare(found, expect["fields"] as? Object ?? [:])
        case .element(let element): try compare(element, expect)
        case .done: if expect["error"] != nil { throw Mismatch(text: "an error was expected") }
        }
    }

    private func compare(_ element: EventStreamElement?, _ expect: Object) throws {
        switch element {
        case nil:
            guard expect["end"] as? Bool == true else { throw Mismatch(text: "the stream has ended") }
        case .event(let event):
            guard let expected = expect["event"] as? Object else { throw Mismatch(text: "\(event) came") }
            try compare(MessageFields.of(EventNotice.event(event)), expected)
        case .gap(let missed):
            guard let expected = expect["gap"] as? Object else { throw Mismatch(text: "a gap \(missed) came") }
            try compare(MessageFields.of(EventNotice.gap(missed: missed, at: .zero)), expected)
        case .newHistory:
            guard expect["new_history"] as? Bool == true else { throw Mismatch(text: "a new history came") }
        }
    }

    private func compare(_ found: Object, _ expected: Object) throws {
        for (name, value) in expected {
            let one = try Vectors.canonical([found[name] ?? NSNull()])
            let other = try Vectors.canonical([value])
            guard one == other else { throw Mismatch(text: "\(name): \(value) was expected, \(found) came") }
        }
    }

    private static func fields(_ error: CarillonError) -> Object {
        let scope = error.scope == .connection ? "connection" : "request"
        var fields: Object = [
            "code": error.code.name, "number": error.code.number, "effect": error.effect.name, "scope": scope,
            "attempts": error.attempts, "causes": error.causes.count, "is_not_executed": error.isNotExecuted,
            "is_safe_to_retry": error.isSafeToRetry, "is_transient": error.isTransient,
        ]
        fields["retry_after_ms"] = error.retryAfter.map { pause in
            pause.components.seconds * 1_000 + pause.components.attoseconds / 1_000_000_000_000_000
        }
        fields["field"] = error.field
        fields["item"] = error.item
        fields["limit"] = error.limit.map { "\($0)" }
        fields["column"] = error.column
        fields["key"] = error.key.map { Hex.string($0.bytes) }
        return fields
    }
}
