import CarillonClient
import CarillonClock
import CarillonCommandLine
import CarillonCore
import Foundation

/// The run of the command: the question before it, the request, and the wait for the end.
extension SendCommand {
    func run() async throws {
        let message = try message(at: Clock.wallTime())
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
        (trial.isDryRun, trial.idempotencyKey) = (true, .random())
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
