import CarillonHTTP2
import CarillonTLS
import Foundation

/// A rule that describes a fault. `fault` is its name; the stage has the key `at`. The other keys depend on the fault,
/// as the manual of the simulator says; a key that the fault does not use is ignored.
struct FaultLine: Decodable {
    var fault: String
    var stage: Fault.Stage?
    var processed: Bool?
    var form: Fault.GoAway.Form?
    var ending: Fault.Ending?
    var code: String?
    var reason: String?
    var count: Int?
    var milliseconds: Int64?
    var min: Int64?
    var max: Int64?
    var mean: Double?
    var bytes: Int?
    var rate: Int?
    var seconds: Int64?
    var name: String?
    var maxStreams: UInt32?
    var window: UInt32?
    var maxFrame: UInt32?
    var headerTable: UInt32?
    var unknown: UInt32?
    var certificate: String?
    var key: String?
    var protocols: [String]?
    var hello: String?

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case fault, processed, form, ending, code, reason, count, milliseconds, min, max, mean, bytes, rate
        case seconds, name, window, unknown, certificate, key, protocols, hello
        case stage = "at"
        case maxStreams = "max-streams"
        case maxFrame = "max-frame"
        case headerTable = "header-table"
    }

    /// Reads a rule.
    static func fault(
        _ json: Data, certificates: (chain: String, key: String), now: Int64, seed: UInt64
    ) throws -> Fault {
        try KnownKeys(Trigger.Line.names.union(CodingKeys.allCases.map(\.rawValue))).check(json)
        let line = try JSONDecoder().decode(FaultLine.self, from: json)
        let trigger = try JSONDecoder().decode(Trigger.Line.self, from: json)
        let stages = try line.stages
        let stage = line.stage ?? stages[0]
        guard stages.contains(stage) else {
            throw SimulatorError(text: "\(line.fault) happens at \(stages.map(\.rawValue).joined(separator: ", "))")
        }
        return Fault(
            name: line.fault,
            action: try line.action(certificates),
            stage: stage,
            isProcessed: line.processed ?? line.isUsuallyProcessed,
            trigger: try Trigger(trigger, now: now, seed: seed),
            afterMilliseconds: trigger.after ?? 0
        )
    }

    /// The stages at which the fault may happen. The first is the default.
    private var stages: [Fault.Stage] {
        get throws(SimulatorError) {
            switch fault {
            case "reset", "silence", "delay", "reverse", "split", "skew": [.request]
            case "tls": [.accept]
            case "goaway", "settings", "frame", "pings", "ignore-pings": [.request, .now, .open]
            case "close", "freeze", "slow-read": [.request, .now, .open, .accept]
            default: throw SimulatorError(text: "the fault \(fault) is unknown")
            }
        }
    }

    private var isUsuallyProcessed: Bool {
        switch fault {
        case "reset": code != "REFUSED_STREAM"
        case "goaway": form != .refusesLater && form != .refusesAll
        default: true
        }
    }

    private func action(_ certificates: (chain: String, key: String)) throws -> Fault.Action {
        switch fault {
        case "reset": .reset(try errorCode ?? .internalError)
        case "silence": .silence
        case "delay": .delay(try delay)
        case "reverse": .reverse(try bounded(count, by: 2...10_000, name: "count"))
        case "split": .split(bytes: try bounded(bytes, by: 1...16_384, name: "bytes"))
        case "skew": .skew(seconds: try bounded(seconds, by: -1_000_000_000...1_000_000_000, name: "seconds"))
        case "goaway": .goAway(try goAway)
        case "settings": .settings(try settings)
        case "frame":
            if let frame = name.flatMap(BadFrame.init) {
                .frame(frame)
            } else {
                throw SimulatorError(
                    text: "name is one of \(BadFrame.allCases.map(\.rawValue).joined(separator: ", "))")
            }
        case "pings": .pings(try bounded(count, by: 1...100_000, name: "count"))
        case "ignore-pings": .ignorePings
        case "close": .close(ending ?? .polite)
        case "freeze":
            .freeze(milliseconds: try bounded(milliseconds ?? 120_000, by: 1...3_600_000, name: "milliseconds"))
        case "slow-read": .slowRead(bytesPerSecond: try bounded(rate, by: 10...1_000_000_000, name: "rate"))
        default: try tls(certificates)
        }
    }

    private func bounded<Number: Comparable>(
        _ value: Number?, by range: ClosedRange<Number>, name: String
    ) throws(SimulatorError) -> Number {
        guard let value, range.contains(value) else {
            throw SimulatorError(text: "\(name) is \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    private static let codes: [String: HTTP2ErrorCode] = [
        "NO_ERROR": .noError, "PROTOCOL_ERROR": .protocolError, "INTERNAL_ERROR": .internalError,
        "STREAM_CLOSED": .streamClosed, "REFUSED_STREAM": .refusedStream, "CANCEL": .cancel,
        "ENHANCE_YOUR_CALM": .enhanceYourCalm,
    ]

    private var errorCode: HTTP2ErrorCode? {
        get throws(SimulatorError) {
            guard let code else { return nil }
            guard let known = FaultLine.codes[code] else {
                throw SimulatorError(text: "code is one of \(FaultLine.codes.keys.sorted().joined(separator: ", "))")
            }
            return known
        }
    }

    private var delay: Fault.Delay {
        get throws(SimulatorError) {
            if let mean { return .around(mean: try bounded(mean, by: 1...600_000, name: "mean")) }
            let least = try bounded(min ?? milliseconds, by: 0...600_000, name: "milliseconds, min or mean")
            return .even(least...(try bounded(max ?? least, by: least...600_000, name: "max")))
        }
    }

    private var goAway: Fault.GoAway {
        get throws(SimulatorError) {
            Fault.GoAway(
                form: form ?? .refusesNone,
                code: try errorCode ?? .noError,
                reason: reason,
                count: try bounded(count ?? 1, by: 1...1000, name: "count")
            )
        }
    }

    private var settings: [Fault.Setting] {
        get throws(SimulatorError) {
            // The numbers of RFC 9113, section 6.5.2, and an unknown one.
            let pairs: [(UInt32, UInt32?)] = [
                (1, headerTable), (3, maxStreams), (4, window), (5, maxFrame), (0xf0f0, unknown),
            ]
            let settings = pairs.compactMap { id, value in value.map { Fault.Setting(id: id, value: $0) } }
            guard !settings.isEmpty, window ?? 0 <= 0x7fff_ffff, (16_384...0xff_ffff).contains(maxFrame ?? 16_384)
            else {
                throw SimulatorError(
                    text: "give max-streams, window, max-frame, header-table or unknown, as RFC 9113 allows")
            }
            return settings
        }
    }

    private func tls(_ certificates: (chain: String, key: String)) throws -> Fault.Action {
        switch hello {
        case "tls-1.1": return .hello(BadHello.oldVersion)
        case "garbage": return .hello(BadHello.garbage)
        case "alert": return .hello(BadHello.alert)
        case nil: break
        default: throw SimulatorError(text: "hello is tls-1.1, garbage or alert")
        }
        let context = try TLSContext.server(
            identity: .pemFiles(certificateChain: certificate ?? certificates.chain, key: key ?? certificates.key),
            applicationProtocols: protocols ?? ["h2"]
        )
        return .tls(context)
    }
}
