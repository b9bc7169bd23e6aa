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
        case .register(let registration, _): 256 + 64 * (registration.topics.count + registration.groups.count)
        case .unregister, .update, .mute, .finish, .steer, .restore, .acknowledge: 256
        case .note(let event): 256 + (event.text?.utf8.count ?? 0)
        // What they copy is written page by page; its contents are counted as one message's.
        case .resend, .release: 8_192
        case .count(let receipts, _, _): 64 + 128 * receipts.count
        case .join(let join, _): 256 + 128 * join.devices.count + (join.announcement?.approximateBytes ?? 0)
        case .leave(let leave): 256 + 128 * leave.devices.count
        case .subscribe(let subscription), .unsubscribe(let subscription): subscription.approximateBytes
        case .accept(let message, _): 512 + message.content.approximateBytes + message.audience.approximateBytes
        case .record(let record, _): 128 + 64 * record.entries.count
        }
    }
}

extension MessageContent {
    fileprivate var approximateBytes: Int { bodies.reduce(payload.count) { $0 + 64 + $1.payload.count } }
}

extension Audience {
    fileprivate var approximateBytes: Int {
        switch self {
        case .devices(let devices): 128 * devices.count
        case .groups(let groups): 256 * groups.count
        case .condition: Condition.byteLimit
        case .topic, .all: 256
        }
    }
}

extension Subscription {
    /// Each pair touches a posting.
    fileprivate var approximateBytes: Int {
        let holders = devices.count + groups.count
        return 256 + 256 * (topics.count + holders) + 64 * topics.count * holders
    }
}
