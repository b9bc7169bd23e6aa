/// The costs and needs of a change, as far as they follow from the change alone.
package struct ChangeTraits: Hashable, Sendable {
    /// The room that a change takes for good: when it is scarce, some changes are refused.
    package struct Growth: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// A message, with its recipients and outcomes. It is refused first.
        package static let message = Growth(rawValue: 1)
        /// Rows of devices, groups, topics or receipts. They are refused later.
        package static let registration = Growth(rawValue: 2)
    }

    /// The approximate number of rows of devices, groups or topics that the change touches; at least 1.
    package var rows = 1
    /// The approximate number of bytes that the change takes in memory and in the write-ahead log.
    package var bytes = 256
    /// The room that the change takes for good. A change that takes none is always admitted: it is small, or it makes
    /// room.
    package var growth: Growth = []
    /// True if the change needs all rows of `memberships`, also the buffered ones.
    package var readsMemberships = false
}

extension Change {
    package var traits: ChangeTraits {
        switch self {
        // REGISTER and SUBSCRIBE write the buffered topics themselves if they must.
        case .register(let registration, _):
            let names = registration.topics.count + registration.groups.count
            let browser = registration.subscription == nil ? 0 : 2 * WebPushSubscription.maximumBytes
            return ChangeTraits(rows: 1 + names, bytes: 256 + 64 * names + browser, growth: .registration)
        case .subscribe(let subscription):
            return ChangeTraits(rows: subscription.rows, bytes: subscription.approximateBytes, growth: .registration)
        case .unsubscribe(let subscription):
            return ChangeTraits(
                rows: subscription.rows, bytes: subscription.approximateBytes, readsMemberships: true)
        case .updateDevice: return ChangeTraits(growth: .registration, readsMemberships: true)
        case .unregister, .restore: return ChangeTraits(readsMemberships: true)
        case .join(let join, _, _):
            return ChangeTraits(
                rows: max(1, join.devices.count),
                bytes: 256 + 128 * join.devices.count + (join.announcement?.approximateBytes ?? 0),
                growth: join.announcement == nil ? .registration : [.registration, .message], readsMemberships: true)
        case .leave(let leave):
            return ChangeTraits(
                rows: max(1, leave.devices.count), bytes: 256 + 128 * leave.devices.count, readsMemberships: true)
        case .updateGroup(let request):
            return ChangeTraits(growth: request.isMuted == true ? .registration : [], readsMemberships: true)
        case .accept(let message, _, _):
            return ChangeTraits(
                bytes: 512 + message.content.approximateBytes + message.audience.approximateBytes, growth: .message)
        // The recipients that RESEND copies are written page by page; the contents count as one message.
        case .resend: return ChangeTraits(bytes: 8_192, growth: .message)
        case .releaseScheduled: return ChangeTraits(bytes: 8_192)
        case .countReceipts(let request, _):
            return ChangeTraits(bytes: 64 + 128 * request.receipts.count, growth: .registration)
        case .recordOutcomes(let record, _):
            return ChangeTraits(
                bytes: 128 + 64 * record.endedRecipients.count + 32 * record.delays.count + 192 * record.attempts.count,
                // The provider's answer about a token quarantines or moves its device.
                readsMemberships: record.endedRecipients.contains { $0.deadToken != nil || $0.movedTo != nil })
        // Events are limited in number.
        case .appendEvent(let event): return ChangeTraits(bytes: 256 + (event.text?.utf8.count ?? 0))
        case .setAudienceCount, .claim, .claimPages, .endBlock, .releaseBlocks, .finish, .updateMessage, .acknowledge,
            .forgetSubscriber, .configure:
            return ChangeTraits()
        }
    }

    /// The app of the devices that the change may affect; nil if it affects no devices.
    package var affectedApp: AppID? {
        switch self {
        case .register(let registration, _): registration.app
        case .unregister(let request, _): request.app
        case .updateDevice(let request): request.app
        case .join(let join, _, _): join.app
        case .leave(let leave): leave.app
        case .subscribe(let subscription), .unsubscribe(let subscription): subscription.app
        case .updateGroup(let request): request.app
        case .restore(let request, _): request.app
        case .accept, .setAudienceCount, .recordOutcomes, .updateMessage, .resend, .releaseScheduled, .countReceipts,
            .appendEvent, .acknowledge, .forgetSubscriber, .finish, .configure, .claim, .claimPages, .endBlock,
            .releaseBlocks:
            nil
        }
    }
}

extension MessageContent {
    fileprivate var approximateBytes: Int {
        bodies.reduce(payload.count + (android?.byteCount ?? 0) + (web?.byteCount ?? 0)) {
            $0 + 64 + $1.payload.count
        }
    }
}

extension Audience {
    fileprivate var approximateBytes: Int {
        switch self {
        case .devices(let devices): 128 * devices.count
        case .groups(let groups): 256 * groups.count
        case .condition: Condition.maximumBytes
        case .topic, .all: 256
        case .channel: 256 + ChannelID.maximumBytes
        }
    }
}

extension TopicSubscription {
    fileprivate var rows: Int { max(1, topics.count * (devices.count + groups.count)) }

    /// The approximate size of the change, in bytes: each pair of a topic and a source changes a posting.
    fileprivate var approximateBytes: Int {
        let sources = devices.count + groups.count
        return 256 + 256 * (topics.count + sources) + 64 * topics.count * sources
    }
}
