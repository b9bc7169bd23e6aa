import CarillonCommandLine
import CarillonCore

/// Formats the status of a message for users and as JSON.
extension MessageStatus {
    private var sorted: [(outcome: Outcome, count: UInt64)] {
        outcomes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Returns the status as JSON; its names are stable.
    func json(_ id: MessageID) -> JSON {
        .members([
            "message_id": .number(id.rawValue),
            "state": .text(state.name),
            "label": label.map { .text($0) },
            "sender": sender.map { .text($0) },
            "traceparent": traceParent.map { .text($0.description) },
            "accepted_at_ms": .number(acceptedAt.milliseconds),
            "finished_at_ms": finishedAt == .zero ? nil : .number(finishedAt.milliseconds),
            "send_at_ms": sendAt.map { .number($0.milliseconds) },
            "audience": audience.map { .text($0) },
            "pace": pace.map { .number(UInt64($0)) },
            "rate": rate.map { .number(UInt64($0)) },
            "remaining_ms": remainingMilliseconds.map { .number($0) },
            "total": .number(total),
            "received": received > 0 ? .number(received) : nil,
            "opened": opened > 0 ? .number(opened) : nil,
            "obstacles": obstacles.isEmpty ? nil : .list(obstacles.map(\.json)),
            "outcomes": .object(sorted.map { JSON.Member(name: $0.outcome.name, value: .number($0.count)) }),
        ])
    }

    func table(_ id: MessageID, at now: Timestamp) -> String {
        var rows = [("message", "\(id)  \(state.name)")]
        if let label { rows.append(("label", label)) }
        if let sender { rows.append(("sender", sender)) }
        if let traceParent { rows.append(("trace", traceParent.traceID)) }
        rows.append(("accepted", acceptedAt.relative(to: now)))
        if finishedAt != .zero {
            let length = TimeSpan(milliseconds: finishedAt.milliseconds(since: acceptedAt)).text
            rows.append(("finished", "\(finishedAt.relative(to: now)), after \(length)"))
        }
        if let sendAt, state == .scheduled { rows.append(("begins", sendAt.relative(to: now))) }
        if let audience { rows.append(("audience", audience)) }
        if let pace { rows.append(("pace", "\(pace.grouped) a second at most")) }
        if let rate {
            let left = remainingMilliseconds.map { ", \(TimeSpan(milliseconds: $0).text) left" } ?? ""
            rows.append(("rate", "\(rate.grouped) a second\(left)"))
        }
        rows.append(("devices", total.grouped))
        rows += sorted.map { ($0.outcome.name, $0.count.grouped) }
        rows += obstacles.map { ("waits for", $0.line(at: now)) }
        if received > 0 { rows.append(("received", received.grouped)) }
        if opened > 0 { rows.append(("opened", opened.grouped)) }
        return TwoColumnTable.text(of: rows)
    }

    /// True if the message was not delivered to a recipient, or had none.
    var hasMissed: Bool { total == 0 || outcomes[.delivered, default: 0] != total }

    /// The number of recipients that have an outcome.
    var endedCount: UInt64 { total - min(outcomes[.pending, default: 0], total) }

    var progress: String {
        var parts = ["\(endedCount.grouped) of \(total.grouped)"]
        parts += sorted.filter { $0.outcome != .pending }.map {
            "\($0.outcome.name) \($0.count.grouped)"
        }
        if let rate { parts.append("\(rate.grouped)/s") }
        if let remainingMilliseconds { parts.append("\(TimeSpan(milliseconds: remainingMilliseconds).text) left") }
        return parts.joined(separator: "  ")
    }
}
