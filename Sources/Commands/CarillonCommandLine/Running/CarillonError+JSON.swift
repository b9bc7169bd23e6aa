package import CarillonClient

/// The JSON of errors.
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
            "reason": reason.map { .text($0) },
            "message": .text(message),
        ])
    }
}
