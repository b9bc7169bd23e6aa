import CarillonCore

/// What waits for the writer.
struct Job: Sendable {
    let work: Work
    /// Uptime in milliseconds after which it is refused if not begun.
    let deadline: UInt64?
    /// Called once, without a lock held.
    let completion: @Sendable (Result<Answer, RegistryError>) -> Void

    enum Work: Sendable {
        case changes([Change])
        case sweep(now: Timestamp)
    }

    enum Answer: Sendable {
        case changes([ChangeAnswer])
        case swept(hasMore: Bool)
    }

    /// Changes, for limits.
    var count: Int {
        switch work {
        case .changes(let changes): max(1, changes.count)
        case .sweep: 1
        }
    }

    /// Bytes, about, for limits.
    var bytes: Int {
        switch work {
        case .changes(let changes): changes.reduce(64) { $0 + $1.approximateBytes }
        case .sweep: 64
        }
    }
}

extension Change {
    /// What it takes in memory and on disk, about.
    fileprivate var approximateBytes: Int {
        switch self {
        case .register: 256
        case .unregister: 256
        case .accept(let message, _): 512 + message.content.payload.count + 128 * message.devices.count
        case .record(let record, _): 128 + 32 * record.entries.count
        }
    }
}
