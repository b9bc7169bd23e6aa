import CarillonCommandLine
import CarillonCore

/// The answer to SEND as JSON.
extension SendResult {
    /// Returns the acceptance as JSON; its names are stable.
    func json(_ key: UUIDBytes) -> JSON {
        .members([
            "message_id": .number(id.rawValue),
            "key": .text(key.description),
            "duplicate": .bool(isDuplicate),
            "total": .number(UInt64(total)),
            "ended": .number(UInt64(ended)),
        ])
    }
}
