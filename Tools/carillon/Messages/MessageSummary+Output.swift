import CarillonCommandLine
import CarillonCore

extension MessageSummary {
    /// The names of the columns of text.
    static let head = "     message  state             devices       ended  type          accepted"

    /// The row as JSON; its names are stable.
    var json: JSON {
        .members([
            "message_id": .number(id.rawValue),
            "state": .text(state.name),
            "accepted_at_ms": .number(acceptedAt.milliseconds),
            "push_type": .text(pushType.name),
            "lane": .text(String(describing: lane)),
            "total": .number(total),
            "ended": .number(ended),
        ])
    }

    /// The row as text.
    func line(at now: Timestamp) -> String {
        [
            "\(id)".right(12), state.name.left(9), Int(clamping: total).grouped.right(14),
            Int(clamping: ended).grouped.right(10), pushType.name.left(12), acceptedAt.relative(to: now),
        ].joined(separator: "  ")
    }
}
