import CarillonClient
import CarillonClock
import CarillonCommandLine
import CarillonCore
import CarillonSpelling
import Foundation

/// Runs the command: asks the user, sends the request, and waits for the end of the message.
extension SendCommand {
    func run() async throws {
        let message = try makeMessage(at: Clock.wallTime())
        if content.isPayload {
            let payloads = [message.content.payload] + message.content.bodies.map(\.payload)
            for payload in payloads where !payload.isEmpty {
                for warning in PayloadWarnings.of(payload, type: message.content.pushType) {
                    StandardError.warn(warning)
                }
            }
        }
        let missed = try await server.run { client in
            guard try await isConfirmed(message, by: client) else {
                throw CommandError.refused("nothing was sent")
            }
            let accepted = try await client.send(message)
            // Control-C is handled before the number is shown: from then on Control-C ends the command, and not the
            // message.
            let interruption = wait || watch ? Interruption() : nil
            show(accepted, of: message)
            guard let interruption else { return false }
            let app = message.content.app
            guard watch else {
                return try await follow(accepted.id, of: app, client: client, interruption: interruption)
            }
            return try await MessageWatch(accepted.id, app: app, client: client, interruption: interruption)
                .run(isJSON: server.json).hasMissed
        }
        if missed { throw ExitStatus.notAllDelivered }
    }

    /// Asks on a terminal whether to send to all devices. Returns true without a question for any other audience, with
    /// `--yes`, and without a terminal.
    private func isConfirmed(_ message: Message, by client: CarillonClient) async throws -> Bool {
        guard audience.all, !yes, !dryRun, Confirmation.canAsk else { return true }
        var trial = message
        trial.isDryRun = true
        trial.idempotencyKey = .random()
        let total = Int(try await client.send(trial).total)
        return Confirmation.ask("Send to all \(total.devices) of \(message.content.app)?")
    }

    private func show(_ accepted: SendResult, of message: Message) {
        if dryRun {
            let result = DryRun(of: message, total: UInt64(accepted.total))
            return StandardOutput.printLine(server.json ? result.json.line : result.text)
        }
        let isEmpty = accepted.total == 0 && at == nil
        if server.json {
            StandardOutput.printLine(accepted.json(message.idempotencyKey ?? .zero).line)
        } else {
            let again = accepted.isDuplicate ? ", accepted before" : ""
            let ended = accepted.ended > 0 ? ", \(accepted.ended.grouped) of them not registered" : ""
            let empty = isEmpty ? ", the audience is empty" : ""
            StandardOutput.printLine("message \(accepted.id)  \(Int(accepted.total).devices)\(ended)\(empty)\(again)")
        }
        if isEmpty { StandardError.warn(message.audience.adviceIfEmpty(app: message.content.app)) }
    }

    /// Waits for the outcomes and shows them; returns true if a device was missed.
    private func follow(
        _ id: MessageID, of app: AppID, client: CarillonClient, interruption: Interruption
    ) async throws -> Bool {
        let limit = waitLimit.duration
        let finished = try await interruption.unlessInterrupted {
            try await Self.finalStatus(of: id, app: app, client: client, limit: limit)
        }
        guard let status = finished else {
            StandardError.printLine(MessageWatch.closingNote(id, app: app))
            throw ExitStatus.interrupted
        }
        StandardOutput.printLine(server.json ? status.json(id).line : status.table(id, at: Clock.wallTime()))
        if status.state != .finished { StandardError.printLine(MessageWatch.closingNote(id, app: app)) }
        return status.hasMissed
    }

    /// Waits for the end; returns the final status, or the current one after the limit. Meanwhile it tells the user why
    /// devices wait.
    private static func finalStatus(
        of id: MessageID, app: AppID, client: CarillonClient, limit: Duration
    ) async throws(CarillonError) -> MessageStatus {
        let clock = ContinuousClock()
        let end = clock.now + limit
        var notes = ObstacleNotes()
        var pause = Duration.seconds(1)
        while true {
            let rest = clock.now.duration(to: end)
            do {
                return try await client.waitUntilFinished(id, app: app, timeout: min(rest, pause))
            } catch {
                guard error.code == .noAnswer else { throw error }
                let status = try await client.status(of: id, app: app)
                notes.show(status.obstacles, at: Clock.wallTime())
                if rest <= pause || status.state == .finished { return status }
                pause = min(pause * 2, .seconds(10))
            }
        }
    }
}

/// The warnings about a payload that the user has written: APNs accepts it, and the device shows nothing.
enum PayloadWarnings {
    /// Returns the warnings, as sentences; none for a payload that is not a JSON object, which the server refuses.
    static func of(_ payload: [UInt8], type: PushType) -> [String] {
        // Why try?: the server refuses it and says why.
        guard let members = try? JSONObjectParser.parse(payload) else { return [] }
        guard let aps = members["aps"]?.members else {
            guard type == .alert else { return [] }
            let near = Spelling.nearest(to: "aps", among: members.keys.sorted())
            return ["the payload has no aps\(near.map { ", but '\($0)'" } ?? ""): the push shows nothing"]
        }
        var warnings = APSRules.undocumentedKeys(in: aps, for: type).map { key in
            let suggestion = Spelling.suggestion(for: key.name, among: key.documented)
            return "Apple documents no key '\(key.name)' in \(key.parent).\(suggestion)"
        }
        let visible = ["alert", "badge", "sound"]
        if type == .alert, !visible.contains(where: { aps[$0] != nil && aps[$0] != .null }) {
            warnings.append("aps has none of \(visible.joined(separator: ", ")): the push shows nothing")
        }
        return warnings
    }
}

/// Formats the answer to SEND as JSON.
extension SendResult {
    /// Returns the acceptance as JSON; its names are stable.
    func json(_ key: UUIDBytes) -> JSON {
        .members([
            "message_id": .number(id.rawValue),
            "key": .text(key.description),
            "duplicate": .bool(isDuplicate),
            "total": .number(UInt64(total)),
            "ended": .number(UInt64(ended)),
        ])
    }
}

/// Advice about audiences.
extension Audience {
    /// Returns advice for a message whose audience is empty.
    func adviceIfEmpty(app: AppID) -> String {
        switch self {
        case .topic(let topic):
            "no device is subscribed to topic \(topic); `carillon topic list --app \(app)` lists the topics"
        case .groups(let groups):
            groups.count == 1
                ? "no device is in group \(groups[0]); `carillon group list --app \(app)` lists the groups"
                : "no device is in these groups; `carillon group list --app \(app)` lists the groups"
        case .condition:
            "the condition holds for no device; `carillon audience explain CONDITION --app \(app)` counts its terms"
        case .all: "the app \(app) has no devices"
        case .devices: "none of the devices is registered"
        case .channel(let channel): "\(channel) is always one recipient"
        }
    }
}
