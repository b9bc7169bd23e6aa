import CarillonSimulator
import Foundation

/// The rules of `--devices`, `--rules` and the control port: states of devices, responses to some of the requests, and
/// faults. The simulator asks them about valid requests only; without a rule, it accepts these.
struct APNsSimulatorRules {
    /// A line of the rules or devices file.
    struct Line: Decodable {
        var token: String?
        var state: String?
        var topic: String?
        var environment: String?
        var fault: String?
        var status: UInt16?
        var reason: String?
        var timestamp: Int64?
        var retryAfter: RetryAfter?
        /// The kind of requests that a response is for: `channels` for requests of channel management; nil for pushes.
        var about: String?

        private enum CodingKeys: String, CodingKey, CaseIterable {
            case token, state, topic, environment, fault, status, reason, timestamp, about
            case retryAfter = "retry-after"
        }

        static let names = Set(CodingKeys.allCases.map(\.rawValue))
    }

    /// The header `retry-after`: seconds, or any text of the rule.
    struct RetryAfter: Decodable {
        var text: String

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            // Why try?: else it is a text.
            if let seconds = try? value.decode(Int.self) {
                text = String(seconds)
            } else {
                text = try value.decode(String.self)
            }
        }
    }

    /// A response to some of the requests. It may also be one with status 200.
    private struct ResponseRule {
        var rejection: Rejection
        var trigger: Trigger
        var isAboutChannels: Bool
    }

    private enum DeviceState {
        case rejected(Rejection)
        case topic([UInt8])
    }

    let environment: String
    let seed: UInt64
    private var devices: [RawToken: DeviceState] = [:]
    private var responseRules: [ResponseRule] = []
    var faults: Faults

    private static let maximumResponseRules = 1000

    init(environment: String, certificates: (chain: String, key: String) = ("", ""), seed: UInt64 = 1) {
        self.environment = environment
        self.seed = seed
        faults = Faults(certificates: certificates, seed: seed)
    }

    /// Removes the faults and the responses to some of the requests, but not the single devices.
    mutating func removeFaults() {
        responseRules = []
        faults.removeAll()
    }

    mutating func add(_ json: String) throws {
        let data = Data(json.utf8)
        let line = try JSONDecoder().decode(Line.self, from: data)
        if line.fault != nil {
            try faults.add(rule: data)
        } else if let status = line.status {
            try KnownKeys(
                Line.names.subtracting(["token", "state", "topic", "environment"]).union(Trigger.Line.names)
            ).check(data)
            guard (200...599).contains(status) else { throw SimulatorError(text: "a status is 200 to 599") }
            guard responseRules.count < APNsSimulatorRules.maximumResponseRules else {
                throw SimulatorError(text: "more than \(APNsSimulatorRules.maximumResponseRules) rules")
            }
            guard line.about == nil || line.about == "channels" else {
                throw SimulatorError(text: "a response is about channels or, without that, about pushes")
            }
            let rejection = Rejection(
                status: status,
                reason: line.reason ?? usualReason(of: status),
                timestamp: line.timestamp,
                retryAfter: line.retryAfter?.text
            )
            responseRules.append(
                ResponseRule(
                    rejection: rejection,
                    trigger: try faults.trigger(ofRule: data),
                    isAboutChannels: line.about != nil
                )
            )
        } else if let token = line.token.flatMap({ RawToken(hex: $0) }) {
            try KnownKeys(["token", "state", "topic", "environment", "timestamp"]).check(data)
            devices[token] = try state(of: line)
        } else {
            throw SimulatorError(text: "neither a token nor a status nor a fault")
        }
    }

    private func usualReason(of status: UInt16) -> String {
        switch status {
        case 429: "TooManyRequests"
        case 503: "ServiceUnavailable"
        default: Reason.allCases.first { $0.status == status }?.rawValue ?? "InternalServerError"
        }
    }

    private func state(of line: Line) throws(SimulatorError) -> DeviceState? {
        let badToken = DeviceState.rejected(Rejection(status: 400, reason: Reason.badDeviceToken.rawValue))
        switch line.state {
        case "unregistered":
            let timestamp = line.timestamp ?? millisecondsSince1970()
            return .rejected(
                Rejection(status: 410, reason: Reason.unregistered.rawValue, timestamp: timestamp)
            )
        case "wrong-environment": return badToken
        case nil, "registered":
            if let environment = line.environment, environment != self.environment { return badToken }
            return line.topic.map { .topic(Array($0.utf8)) }
        case let other?: throw SimulatorError(text: "the state \(other) is unknown")
        }
    }

    /// Returns the response to a push that is valid in itself. `now` is in milliseconds since 1970.
    mutating func response(
        to token: RawToken,
        hex: UnsafeRawBufferPointer,
        topic: UnsafeRawBufferPointer?,
        at now: Int64
    ) -> SimulatedResponse {
        if !devices.isEmpty, let state = devices[token] {
            switch state {
            case .rejected(let rejection): return .rejected(rejection)
            case .topic(let own):
                if let topic, !own.withUnsafeBytes({ $0.equals(topic) }) { return .rejected(.deviceTokenNotForTopic) }
            }
        }
        return rejection(aboutChannels: false, hex, at: now).map(SimulatedResponse.rejected) ?? .accepted
    }

    /// Returns the response other than a success that a rule gives to a valid request of channel management; nil if no
    /// rule gives one.
    mutating func rejection(ofChannelRequest path: UnsafeRawBufferPointer, at now: Int64) -> Rejection? {
        rejection(aboutChannels: true, path, at: now)
    }

    private mutating func rejection(
        aboutChannels: Bool, _ text: UnsafeRawBufferPointer, at now: Int64
    ) -> Rejection? {
        for index in responseRules.indices where responseRules[index].isAboutChannels == aboutChannels {
            if responseRules[index].trigger.fires(on: text, at: now) { return responseRules[index].rejection }
        }
        return nil
    }
}
