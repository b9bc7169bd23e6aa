import CarillonSimulator
import Foundation

/// The rules of `--rules` and the control port: states of tokens and subscriptions, responses to some of the requests,
/// and faults.
struct PushSimulatorRules {
    /// A line of JSON; of a fault, only the name is read here.
    struct Line: Decodable {
        var token: String?
        var subscription: String?
        var state: String?
        var fault: String?
        var status: UInt16?
        var service: Service?
        var code: String?
        var info: String?
        var message: String?
        var html: Bool?
        var retryAfterSeconds: Int?

        private enum CodingKeys: String, CodingKey, CaseIterable {
            case token, subscription, state, fault, status, service, code, info, message, html
            case retryAfterSeconds = "retry-after"
        }

        static let responseNames: Set<String> = [
            "status", "service", "code", "info", "message", "html", "retry-after",
        ]
    }

    /// A response that the rules give instead of the service's own.
    struct RuledResponse {
        var service: Service?
        var line: Line
        var trigger: Trigger
    }

    /// The state that a line has added, if it is about a device.
    enum Addition {
        case device(String, FCM.DeviceState)
        case subscription(String)
        case rule
    }

    private var responses: [RuledResponse] = []
    var faults: Faults

    private static let maximumResponses = 1_000

    init(certificates: (chain: String, key: String), seed: UInt64) {
        faults = Faults(certificates: certificates, seed: seed)
    }

    /// Removes faults and responses, but not the states of devices.
    mutating func removeFaults() {
        responses = []
        faults.removeAll()
    }

    /// Reads a line, and adds its rule.
    mutating func add(_ json: String) throws -> Addition {
        let data = Data(json.utf8)
        let line = try JSONDecoder().decode(Line.self, from: data)
        if line.fault != nil {
            try faults.add(rule: data)
            return .rule
        }
        if let token = line.token {
            try KnownKeys(["token", "state"]).check(data)
            guard let state = line.state.flatMap(FCM.DeviceState.init) else {
                let known = "unregistered, sender-mismatch, third-party, device-quota, apns-unregistered"
                throw SimulatorError(text: "a state of a token is one of \(known)")
            }
            return .device(token, state)
        }
        if let subscription = line.subscription {
            try KnownKeys(["subscription", "state"]).check(data)
            guard line.state == "gone" else { throw SimulatorError(text: "the state of a subscription is gone") }
            return .subscription(subscription)
        }
        guard let status = line.status else {
            throw SimulatorError(text: "neither a token nor a subscription nor a status nor a fault")
        }
        try KnownKeys(Line.responseNames.union(Trigger.Line.names)).check(data)
        guard (200...599).contains(status) else { throw SimulatorError(text: "a status is 200 to 599") }
        guard responses.count < PushSimulatorRules.maximumResponses else {
            throw SimulatorError(text: "more than \(PushSimulatorRules.maximumResponses) rules")
        }
        responses.append(
            RuledResponse(service: line.service, line: line, trigger: try faults.trigger(ofRule: data)))
        return .rule
    }

    /// Returns the response that a rule gives to a request that the service would accept; nil if no rule gives one.
    mutating func response(of service: Service, on device: String, at now: Int64) -> ServiceResponse? {
        for index in responses.indices where responses[index].service.map({ $0 == service }) ?? true {
            let fires = Array(device.utf8).withUnsafeBytes { responses[index].trigger.fires(on: $0, at: now) }
            if fires { return Self.response(responses[index].line, of: service) }
        }
        return nil
    }

    private static func response(_ line: Line, of service: Service) -> ServiceResponse {
        let status = line.status ?? 500
        if line.html == true {
            var response = ServiceResponse.html(status, title: "Error \(status): please try again in 30 seconds")
            response.fields["retry-after"] = line.retryAfterSeconds.map(String.init)
            return response
        }
        guard service == .fcm else {
            var response = ServiceResponse(status: status, body: line.message ?? "", fault: "rule-\(status)")
            response.fields["retry-after"] = line.retryAfterSeconds.map(String.init)
            return response
        }
        var details: [GoogleError.Detail] = []
        if let code = line.code ?? (line.info == nil ? usualCode(of: status) : nil) { details.append(.fcm(code)) }
        if let info = line.info { details.append(.info(info)) }
        return GoogleError.response(
            status, line.message ?? usualMessage(of: status), details,
            retryAfter: line.retryAfterSeconds.map(String.init))
    }

    private static func usualCode(of status: UInt16) -> String? {
        switch status {
        case 429: "QUOTA_EXCEEDED"
        case 500: "INTERNAL"
        case 503: "UNAVAILABLE"
        default: nil
        }
    }

    private static func usualMessage(of status: UInt16) -> String {
        switch status {
        case 500: "Internal error encountered."
        case 503: "The service is currently unavailable."
        default: "Request failed."
        }
    }
}
