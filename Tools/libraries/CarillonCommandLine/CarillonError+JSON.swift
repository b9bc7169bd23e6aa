package import CarillonClient

extension CarillonError {
    /// The error as JSON; its names are stable.
    package var json: JSON {
        let retry = retryAfter.map { pause in
            JSON.number(
                UInt64(
                    clamping: pause.components.seconds * 1_000 + pause.components.attoseconds / 1_000_000_000_000_000))
        }
        return .members([
            "code": .text(code.name),
            "effect": .text(effect.name),
            "retry_after_ms": retry,
            "field": field.map { .text($0) },
            "item": item.map { .number(UInt64($0)) },
            "limit": limit.map { .number($0) },
            "message": .text(message),
        ])
    }
}

extension CarillonError.Code {
    /// The name in JSON and error messages: of an error of the client in the form of the server's, as `NOT_CONNECTED`.
    package var name: String {
        guard server == nil else { return description }
        return description.map { $0.isUppercase ? "_\($0)" : $0.uppercased() }.joined()
    }
}
