import CarillonCommandLine
import CarillonCore

/// Formats the trace of a message for users and as JSON.
extension MessageTrace {
    /// Returns the answer in one sentence: delivered, refused, not sent with the reason, or waiting with the cause.
    ///
    /// - Parameter audience: the audience of the message as a condition; nil for a list of devices.
    func explanation(audience: String?, at now: Timestamp) -> String {
        switch addressing {
        case .noRecipient: "Not a recipient: \(absence(from: audience))."
        case .wouldBeRecipient: "Not decided yet: the device would be a recipient now; \(waitingReason)."
        case .wouldBeNoRecipient: "Not decided yet: the device would not be a recipient now; \(waitingReason)."
        case .recipient: outcome == .pending ? pendingExplanation(at: now) : finalExplanation(at: now)
        }
    }

    private func absence(from audience: String?) -> String {
        guard sources.isEmpty else { return "the device joined the audience too late, or was left out of it" }
        guard let audience else { return "the message does not name the device" }
        // Why try?: the audience of a newer server may have a form that this version cannot parse.
        switch (try? Condition(audience))?.setNames.first {
        case .topic(let topic) where audience == Condition.topic(topic).description:
            return "the device is not subscribed to topic \(topic)"
        case .group(let group) where audience == Condition.groups([group])?.description:
            return "the device is not in group \(group)"
        default: return "the condition \(audience) does not hold for the device"
        }
    }

    private var waitingReason: String {
        switch state {
        case .scheduled: "the message is scheduled"
        case .paused: "the message is paused"
        default: "its part of the audience has not been read"
        }
    }

    private func pendingExplanation(at now: Timestamp) -> String {
        if let nextAttemptAt {
            let last = attempts.last.map { ", last answer \($0.answer)" } ?? ""
            return "Waiting: next attempt at \(nextAttemptAt.clock(at: now))\(last)."
        }
        switch state {
        case .scheduled, .paused: return "Waiting: \(waitingReason)."
        default:
            return attempts.last.map { "Waiting: the last answer was \($0.answer)." }
                ?? "Waiting: no attempt has been made yet."
        }
    }

    private func finalExplanation(at now: Timestamp) -> String {
        switch outcome {
        case .delivered:
            attempts.last.map {
                "Delivered at \($0.endedAt.clock(at: now)) by connection \($0.connectionNumber) (\($0.status))."
            } ?? "Delivered."
        case .muted: "Not sent: \(muteReason)."
        case .unregistered: "Not sent: the device was not registered."
        case .quarantined: "Not sent: the device was quarantined, because its token had been declared dead."
        case .wrongKind: "Not sent: the push type does not fit the kind of the token."
        case .noLanguage: "Not sent: the message has no body in the device's language, and no default."
        case .noCredential: "Not sent: there is no usable credential for the app and environment."
        case .cancelled: "Not sent: the message was cancelled."
        case .overBudget: "Not sent: the device's budget of silent pushes was used up."
        case .left: "Not sent: the device left the audience before it was sent to."
        case .expired: "Not sent: the time limit of the message passed\(lastAnswer(at: now))."
        case .gaveUp: "Not delivered: every attempt failed\(lastAnswer(at: now))."
        default:
            attempts.last.map { "Refused at \($0.endedAt.clock(at: now)): \($0.answer)." }
                ?? "Refused: \(outcome.name)."
        }
    }

    private var muteReason: String {
        if isMuted { return "the device is muted" }
        return mutedGroups.first.map { "group \($0) is muted" } ?? "the device or one of its groups was muted"
    }

    private func lastAnswer(at now: Timestamp) -> String {
        attempts.last.map { "; the last answer was \($0.answer) at \($0.endedAt.clock(at: now))" } ?? ""
    }

    /// Returns the facts as rows of text. Facts that the device does not have are left out.
    func rows(_ message: MessageID, at now: Timestamp) -> [(name: String, value: String)] {
        guard device != .channel else { return [("message", "\(message)  \(state.name)")] + deliveryRows(at: now) }
        var rows = [
            ("message", "\(message)  \(state.name)"),
            ("device", "\(device)" + (isQuarantined ? "  quarantined" : "") + (isMuted ? "  muted" : "")),
            ("audience", ([addressing.name] + sources.map { "through \($0.text)" }).joined(separator: ", ")),
        ]
        // A device that is not a recipient has no outcome and will get none.
        if addressing == .recipient { rows.append(("outcome", outcome.name)) }
        if !mutedGroups.isEmpty { rows.append(("muted groups", mutedGroups.map(\.name).joined(separator: ", "))) }
        rows.append(("language", language.map { $0.isEmpty ? "the default body" : $0 } ?? "no body fits"))
        if let silentBudgetLeft { rows.append(("budget", "\(silentBudgetLeft) silent pushes left")) }
        return rows + attemptRows(at: now)
    }

    /// Returns the rows of a broadcast push: its recipient is the channel, which has no state of a device.
    private func deliveryRows(at now: Timestamp) -> [(name: String, value: String)] {
        [("outcome", outcome.name)] + attemptRows(at: now)
    }

    private func attemptRows(at now: Timestamp) -> [(name: String, value: String)] {
        var rows: [(name: String, value: String)] = []
        rows.append(("attempts", attempts.isEmpty ? "none is stored" : "\(attempts.count)"))
        rows += attempts.map { attempt in
            let id = attempt.uniqueID.map { "  apns-unique-id \($0)" } ?? ""
            return (
                "  " + attempt.endedAt.clock(at: now), "\(attempt.answer)  connection \(attempt.connectionNumber)\(id)"
            )
        }
        if let nextAttemptAt { rows.append(("next attempt", nextAttemptAt.clock(at: now))) }
        return rows
    }

    /// Returns the trace as JSON; its names are stable. `language` is empty for the default body, and missing if no
    /// body fits.
    func json(_ message: MessageID, explanation: String) -> JSON {
        .members([
            "message_id": .number(message.rawValue), "device_id": .number(device.rawValue),
            "explanation": .text(explanation),
            "state": .text(state.name), "addressing": .text(addressing.name), "sources": .list(sources.map(\.json)),
            "outcome": .text(outcome.name), "quarantined": .bool(isQuarantined), "muted": .bool(isMuted),
            "muted_groups": .list(mutedGroups.map { .text($0.name) }), "language": language.map { .text($0) },
            "silent_budget_left": silentBudgetLeft.map { .number(UInt64($0)) },
            "attempts": .list(attempts.map(\.json)),
            "next_attempt_at_ms": nextAttemptAt.map { .number($0.milliseconds) },
        ])
    }
}

extension MessageTrace.Addressing {
    /// The name of the protocol (Protocol 10.8).
    fileprivate var name: String {
        switch self {
        case .recipient: "recipient"
        case .noRecipient: "no-recipient"
        case .wouldBeRecipient: "would-be-recipient"
        case .wouldBeNoRecipient: "would-be-no-recipient"
        }
    }
}

extension MessageTrace.Source {
    fileprivate var text: String {
        switch self {
        case .device: "its own name"
        case .group(let group): "group \(group)"
        case .topic(let topic, let group): "topic \(topic)" + (group.map { " of group \($0)" } ?? "")
        case .term(let term): "the term \(term)"
        case .all: "all devices of the app"
        }
    }

    fileprivate var json: JSON {
        switch self {
        case .device: .members(["kind": "device"])
        case .group(let group): .members(["kind": "group", "name": .text(group.name)])
        case .topic(let topic, let group):
            .members(["kind": "topic", "name": .text(topic.name), "through": group.map { .text($0.name) }])
        case .term(let term): .members(["kind": "term", "name": .text(term)])
        case .all: .members(["kind": "all"])
        }
    }
}

extension TraceAttempt {
    /// The status and the reason; only the reason if there was no answer.
    fileprivate var answer: String {
        [status == 0 ? nil : "\(status)", reason.isEmpty ? nil : reason].compactMap(\.self).joined(separator: " ")
    }

    fileprivate var json: JSON {
        .members([
            "at_ms": .number(endedAt.milliseconds), "connection": .number(UInt64(connectionNumber)),
            "status": .number(UInt64(status)), "reason": reason.isEmpty ? nil : .text(reason),
            "unique_id": uniqueID.map { .text($0) },
        ])
    }
}

extension Timestamp {
    /// Returns the time of day in UTC if it is the same day as `now`, else the date and the time.
    fileprivate func clock(at now: Timestamp) -> String {
        let isSameDay = milliseconds / Milliseconds.perDay == now.milliseconds / Milliseconds.perDay
        return isSameDay ? timeOfDay : utcText
    }
}
