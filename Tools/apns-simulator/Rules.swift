import Foundation

/// What is special about single devices and about tokens with a prefix: everything else is accepted.
struct Rules {
    /// A line of the rules or devices file.
    struct Line: Decodable {
        var token: String?
        var state: String?
        var topic: String?
        var environment: String?
        var prefix: String?
        var status: UInt16?
        var reason: String?
        var timestamp: Int64?
        var times: Int?
        var retryAfter: Int?

        private enum CodingKeys: String, CodingKey {
            case token, state, topic, environment, prefix, status, reason, timestamp, times
            case retryAfter = "retry-after"
        }
    }

    private struct Prefix {
        var text: [UInt8]
        var rejection: Rejection
        /// How many more pushes it rejects; nil for all.
        var times: Int?
    }

    private enum State {
        case rejected(Rejection)
        case topic([UInt8])
    }

    let environment: String
    private var devices: [DeviceToken: State] = [:]
    private var prefixes: [Prefix] = []

    init(environment: String) { self.environment = environment }

    /// Adds a line of JSON.
    mutating func add(_ json: String) throws {
        let line = try JSONDecoder().decode(Line.self, from: Data(json.utf8))
        if let prefix = line.prefix, let status = line.status {
            guard (200...599).contains(status) else { throw Problem(text: "a status is 200 to 599") }
            let reason = line.reason ?? usualReason(of: status)
            let rejection = Rejection(
                status: status,
                reason: reason,
                timestamp: line.timestamp,
                retryAfter: line.retryAfter
            )
            prefixes.append(Prefix(text: Array(prefix.lowercased().utf8), rejection: rejection, times: line.times))
        } else if let token = line.token.flatMap({ DeviceToken(hex: $0) }) {
            devices[token] = try state(of: line)
        } else {
            throw Problem(text: "neither a token nor a prefix with a status")
        }
    }

    private func usualReason(of status: UInt16) -> String {
        switch status {
        case 429: "TooManyRequests"
        case 503: "ServiceUnavailable"
        default: Reason.allCases.first { $0.status == status }?.rawValue ?? "InternalServerError"
        }
    }

    private func state(of line: Line) throws -> State? {
        let badToken = State.rejected(Rejection(status: 400, reason: Reason.badDeviceToken.rawValue))
        switch line.state {
        case "unregistered":
            let timestamp = line.timestamp ?? Int64(Date().timeIntervalSince1970 * 1000)
            return .rejected(
                Rejection(status: 410, reason: Reason.unregistered.rawValue, timestamp: timestamp)
            )
        case "wrong-environment": return badToken
        case nil, "registered":
            if let environment = line.environment, environment != self.environment { return badToken }
            return line.topic.map { .topic(Array($0.utf8)) }
        case let other?: throw Problem(text: "the state \(other) is unknown")
        }
    }

    /// The verdict on a push that is right in itself.
    mutating func verdict(on token: DeviceToken, hex: UnsafeRawBufferPointer, topic: UnsafeRawBufferPointer?)
        -> Verdict
    {
        if !devices.isEmpty, let state = devices[token] {
            switch state {
            case .rejected(let rejection): return .rejected(rejection)
            case .topic(let own):
                if let topic, !own.withUnsafeBytes({ $0.equals(topic) }) { return .rejected(.deviceTokenNotForTopic) }
            }
        }
        for index in prefixes.indices where matches(prefixes[index].text, hex) {
            if let times = prefixes[index].times {
                guard times > 0 else { continue }
                prefixes[index].times = times - 1
            }
            return .rejected(prefixes[index].rejection)
        }
        return .accepted
    }

    private func matches(_ prefix: [UInt8], _ hex: UnsafeRawBufferPointer) -> Bool {
        guard hex.count >= prefix.count else { return false }
        for index in prefix.indices where hex[index] | 0x20 != prefix[index] | 0x20 { return false }
        return true
    }
}

/// Something wrong in a file or a command, in words for the user.
struct Problem: Error, CustomStringConvertible {
    var text: String
    var description: String { text }
}
