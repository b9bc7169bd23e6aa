import CarillonCommandLine
import CarillonCore

/// The result of `send --dry-run`: the size of the audience, and the payloads that would be sent.
struct DryRun {
    var total: UInt64
    var content: MessageContent
    /// The largest payload, in bytes.
    var maximumPayloadBytes: Int

    init(of message: Message, total: UInt64) {
        self.total = total
        content = message.content
        maximumPayloadBytes =
            if case .channel = message.audience {
                MessageRules.maximumBroadcastBytes
            } else {
                content.pushType.maximumPayloadBytes
            }
    }

    /// The payloads with their languages: first, with nil, the payload for all other languages, then the ones for
    /// particular languages.
    private var payloads: [(language: String?, bytes: [UInt8])] {
        (content.payload.isEmpty ? [] : [(nil, content.payload)]) + content.bodies.map { ($0.language, $0.payload) }
    }

    /// The result as JSON; its names are stable.
    var json: JSON {
        .members([
            "dry_run": .bool(true), "total": .number(total),
            "payload_limit": .number(UInt64(maximumPayloadBytes)),
            "payloads": .list(
                payloads.map { payload in
                    .members([
                        "language": payload.language.map { .text($0) }, "bytes": .number(UInt64(payload.bytes.count)),
                        "payload": .text(String(decoding: payload.bytes, as: UTF8.self)),
                    ])
                }),
        ])
    }

    var text: String {
        let limit = maximumPayloadBytes.grouped
        let names = payloads.map { $0.language.map { "payload \($0)" } ?? "payload" }
        let width = (names.map(\.columns).max() ?? 0)
        let lines = zip(names, payloads).map { name, payload in
            "\(name.leftAligned(in: width))  \(payload.bytes.count.grouped) of \(limit) bytes  "
                + String(decoding: payload.bytes, as: UTF8.self)
        }
        let idKey = content.idKey.map { ["The server adds the message's number as '\($0)'."] } ?? []
        return (["dry run  \(Int(clamping: total).devices), nothing is sent"] + lines + idKey).joined(separator: "\n")
    }
}
