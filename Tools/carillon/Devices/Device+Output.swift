import CarillonCommandLine
import CarillonCore

extension Device {
    /// The device as JSON; its names are stable.
    var json: JSON {
        .members([
            "device_id": .number(id.rawValue),
            "environment": .text(address.environment.name),
            "kind": .text(address.kind.name),
            "token": .text(address.token.hex),
            "state": .text("\(state)"),
            "registered_at_ms": .number(registeredAt.milliseconds),
            "seen_at_ms": .number(seenAt.milliseconds),
            "locale": locale.map { .text($0) },
            "time_zone": timeZone.map { .text($0) },
            "attributes": attributes.entries.isEmpty
                ? nil : .object(attributes.entries.map { .init(name: $0.key.name, value: .text($0.value.text)) }),
            "muted": isMuted ? .bool(true) : nil,
        ])
    }

    /// The device as text.
    func table(at now: Timestamp) -> String {
        var rows = [
            ("device", "\(id)  \(state)\(isMuted ? "  muted" : "")"),
            ("kind", "\(address.kind.name), \(address.environment.name)"),
            ("token", address.token.hex), ("registered", registeredAt.relative(to: now)),
            ("seen", seenAt.relative(to: now)),
        ]
        if let locale { rows.append(("locale", locale)) }
        if let timeZone { rows.append(("time zone", timeZone)) }
        let pairs = attributes.entries.map { "\($0.key)=\($0.value)" }
        if !pairs.isEmpty { rows.append(("attributes", pairs.joined(separator: " "))) }
        return Terminal.table(rows)
    }
}
