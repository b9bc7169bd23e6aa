import CarillonClient
import CarillonCommandLine
import CarillonCore

/// Formats an event for users and as JSON.
extension EventStreamElement {
    /// The element as JSON; its names are stable.
    var json: JSON {
        switch self {
        case .event(let event):
            .members([
                "sequence": .number(event.sequence),
                "at_ms": .number(event.at.milliseconds),
                "kind": .text(event.kind.description),
                "app": event.app.map { .text($0.name) },
                "message_id": event.message.map { .number($0.rawValue) },
                "device_id": event.device.map { .number($0.rawValue) },
                "outcome": event.outcome.map { .text($0.name) },
                "count": event.count.map { .number($0) },
                "text": event.text.map { .text($0) },
                "traceparent": event.traceParent.map { .text($0.description) },
            ])
        case .gap(let missed):
            .members([
                "kind": "gap", "missed_from": .number(missed.lowerBound), "missed_to": .number(missed.upperBound),
            ])
        case .newHistory: .members(["kind": "new-history"])
        }
    }

    var line: String {
        switch self {
        case .event(let event):
            let parts: [String?] = [
                "\(event.sequence)", event.at.utcText, event.kind.description, event.app?.name,
                event.message.map { "message \($0)" }, event.device.map { "device \($0)" }, event.outcome?.name,
                event.count.map { Int(clamping: $0).devices }, event.text,
            ]
            return parts.compactMap(\.self).joined(separator: "  ")
        case .gap(let missed):
            return
                "\(missed.upperBound - 1)  gap  events \(missed.lowerBound) to \(missed.upperBound - 1) are no longer "
                + "stored"
        case .newHistory:
            return "-  new history  the server has a different database"
        }
    }
}
