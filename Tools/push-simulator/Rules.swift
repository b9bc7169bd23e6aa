import CarillonSimulator
import Foundation

/// The rules of the rules file and of the control port: states of devices, answers to some of the requests, and faults.
struct Rules {
    /// A line of JSON that is not a fault.
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
        var retryAfter: Int?

        private enum CodingKeys: String, CodingKey, CaseIterable {
            case token, subscription, state, fault, status, service, code, info, message, html
            case retryAfter = "retry-after"
        }

        static let answerNames: Set<String> = [
            "status", "service", "code", "info", "message", "html", "retry-after",
        ]
    }

    /// An answer that the rules give instead of the service's own.
    struct Answer {
        var service: Service?
        var line: Line
        var trigger: Trigger
    }

    /// What a line has added, if it is about a device.
    enum Addition {
        case device(String, FCM.State)
        case subscription(String)
        case rule
    }

    private var answers: [Answer] = []
    var faults: Faults
    private let certificates: (chain: String, key: String)

    private static let maximumAnswers = 1_000

    init(certificates: (chain: String, key: String), seed: UInt64) {
        self.certificates = certificates
        faults = Faults(seed: seed)
    }

    /// Removes faults and answers, but not the states of devices.
    mutating func removeFaults() {
        answers = []
        faults.removeAll()
    }

    /// Reads a line.
    mutating func add(_ json: String) throws -> Addition {
        let data = Data(json.utf8)
        let line = try JSONDecoder().decode(Line.self, from: data)
        if line.fault != nil {
            try faults.add(FaultLine.fault(data, certificates, now: milliseconds(), seed: faults.nextSeed()))
            return .rule
        }
        if let token = line.token {
            try checkKeys(of: data, ["token", "state"])
            guard let state = line.state.flatMap(FCM.State.init) else {
                let known = "unregistered, sender-mismatch, third-party, device-quota, apns-unregistered"
                throw Problem(text: "a state of a token is one of \(known)")
            }
            return .device(token, state)
        }
        if let subscription = line.subscription {
            try checkKeys(of: data, ["subscription", "state"])
            guard line.state == "gone" else { throw Problem(text: "the state of a subscription is gone") }
            return .subscription(subscription)
        }
        guard let status = line.status else {
            throw Problem(text: "neither a token nor a subscription nor a status nor a fault")
        }
        try checkKeys(of: data, Line.answerNames.union(Trigger.Line.names))
        guard (200...599).contains(status) else { throw Problem(text: "a status is 200 to 599") }
        guard answers.count < Rules.maximumAnswers else {
            throw Problem(text: "more than \(Rules.maximumAnswers) rules")
        }
        let trigger = try JSONDecoder().decode(Trigger.Line.self, from: data)
        answers.append(
            Answer(
                service: line.service, line: line,
                trigger: try Trigger(trigger, now: milliseconds(), seed: faults.nextSeed())))
        return .rule
    }

    /// Returns the answer that a rule gives to a request that the service would accept; nil if none does.
    mutating func answer(
        of service: Service, on device: String, style: WebPush.Style, at now: Int64
    ) -> Reply? {
        for index in answers.indices where answers[index].service.map({ $0 == service }) ?? true {
            let fires = Array(device.utf8).withUnsafeBytes { answers[index].trigger.fires(on: $0, at: now) }
            if fires { return Self.reply(answers[index].line, of: service) }
        }
        return nil
    }

    private static func reply(_ line: Line, of service: Service) -> Reply {
        let status = line.status ?? 500
        if line.html == true {
            var reply = Reply.html(status, "Error \(status): please try again in 30 seconds")
            reply.fields["retry-after"] = line.retryAfter.map(String.init)
            return reply
        }
        guard service == .fcm else {
            var reply = Reply(status: status, body: line.message ?? "", fault: "rule-\(status)")
            reply.fields["retry-after"] = line.retryAfter.map(String.init)
            return reply
        }
        var details: [GoogleError.Detail] = []
        if let code = line.code ?? (line.info == nil ? usualCode(of: status) : nil) { details.append(.fcm(code)) }
        if let info = line.info { details.append(.info(info)) }
        return GoogleError.reply(
            status, line.message ?? usualMessage(of: status), details, retryAfter: line.retryAfter.map(String.init))
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
