import CarillonClient
import CarillonCommandLine
import CarillonCore

/// Updates a message for a command, and reports the effect.
extension MessageArguments {
    func updateMessage(_ messageUpdate: MessageUpdate, on server: ServerOptions) async throws {
        try await server.updateMessage(id, of: app, with: messageUpdate)
    }
}

extension ServerOptions {
    /// Updates a message and shows the effect and the state of the message.
    func updateMessage(_ id: MessageID, of app: AppOption, with messageUpdate: MessageUpdate) async throws {
        try await run(for: app) { client, app in
            // Why try?: the update itself reports a message that does not exist, and needs no status.
            let before = try? await client.status(of: id, app: app)
            let state = try await client.updateMessage(id, app: app, with: messageUpdate)
            if json {
                let changed = before.map { JSON.bool(state != .finished && !messageUpdate.changesNothing(of: $0)) }
                StandardOutput.printLine(
                    JSON.members([
                        "message_id": .number(id.rawValue), "state": .text(state.name), "changed": changed,
                    ]).line)
            } else {
                StandardOutput.printLine("message \(id)  \(messageUpdate.sentence(state, before: before))")
            }
        }
    }
}

extension MessageUpdate {
    /// Returns the effect of the update on a message, in words.
    ///
    /// - Parameters:
    ///   - state: the state after the update.
    ///   - before: the status before the update; nil if it is not known. The answer of the server does not say whether
    ///     the update has changed something, except for a message that had finished before.
    func sentence(_ state: MessageState, before: MessageStatus? = nil) -> String {
        guard state != .finished else { return "finished: there is nothing left to \(verb)" }
        let isRepeated = before.map(changesNothing) ?? false
        return switch self {
        case .cancel: "cancelled: devices without an outcome end as cancelled"
        case .pause: isRepeated ? "was paused already" : "paused"
        case .resume: isRepeated ? "was not paused, \(state.name)" : "resumed, \(state.name)"
        case .pace(let limit):
            (limit.map { "at most \($0.grouped) deliveries a second" } ?? "no limit of deliveries a second")
                + (isRepeated ? " as before" : Self.formerPace(before)) + ", \(state.name)"
        }
    }

    private static func formerPace(_ before: MessageStatus?) -> String {
        guard let before else { return "" }
        return before.pace.map { " (before: \($0.grouped))" } ?? " (before: no limit)"
    }

    func changesNothing(of before: MessageStatus) -> Bool {
        switch self {
        case .cancel: before.state == .finished
        case .pause: before.state == .paused
        case .resume: before.state == .waiting || before.state == .sending || before.state == .finished
        case .pace(let limit): before.pace == limit
        }
    }

    private var verb: String {
        switch self {
        case .cancel: "cancel"
        case .pause: "pause"
        case .resume: "resume"
        case .pace: "pace"
        }
    }
}
