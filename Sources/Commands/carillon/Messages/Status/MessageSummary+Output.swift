import CarillonCommandLine
import CarillonCore

/// The output of a message in a list, for users and as JSON.
extension MessageSummary {
    /// The names of the columns, as a row of text.
    static let head = row([
        "message", "state", "accepted", "devices", "delivered", "failed", "label", "sender",
    ])

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
            "delivered": delivered.map { .number($0) },
            "failed": failed.map { .number($0) },
            "label": label.map { .text($0) },
            "sender": sender.map { .text($0) },
        ])
    }

    /// Returns the row as text.
    func line(at now: Timestamp) -> String {
        func count(_ number: UInt64?) -> String { number.map { Int(clamping: $0).grouped } ?? "-" }
        return Self.row([
            "\(id)", state.name, acceptedAt.relative(to: now), count(total), count(delivered), count(failed),
            label ?? "-", sender ?? "-",
        ])
    }

    /// Returns a row with a text for each column. A long label moves the sender to the right: neither of them is cut.
    private static func row(_ texts: [String]) -> String {
        [
            texts[0].rightAligned(in: 12), texts[1].leftAligned(in: 9), texts[2].leftAligned(in: 11),
            texts[3].rightAligned(in: 11), texts[4].rightAligned(in: 11),
            texts[5].rightAligned(in: 11), texts[6].leftAligned(in: 24), texts[7],
        ].joined(separator: "  ")
    }
}
