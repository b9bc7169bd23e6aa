import CarillonCore
import CarillonLMDB

/// The recipients of a message to a list, each once, with their outcomes at acceptance.
struct ListedAudience {
    /// The id of a token that is not registered, in place of the id of a device.
    private static let unregisteredID: UInt64 = 0

    /// The recipients, ascending: `unregisteredID` for each token that is not registered, or `DeviceID.channel` for a
    /// broadcast channel, then device ids.
    private(set) var ids: [UInt64] = []
    /// The outcomes by the same index: pending, or the outcome at once.
    private(set) var outcomes: [UInt8] = []

    /// The audience of a broadcast channel: one recipient without a device.
    static let channel: ListedAudience = {
        var audience = ListedAudience()
        audience.ids = [DeviceID.channel.rawValue]
        audience.outcomes = [Outcome.pending.rawValue]
        return audience
    }()

    private init() {}

    var counts: OutcomeCounts {
        var byOutcome = [UInt64](repeating: 0, count: 256)
        for outcome in outcomes { byOutcome[Int(outcome)] += 1 }
        var counts = OutcomeCounts()
        for (outcome, count) in byOutcome.enumerated() where count > 0 {
            counts.add(UInt8(truncatingIfNeeded: outcome), count: count)
        }
        return counts
    }

    /// Looks up the devices of a list. An app without a number has no devices.
    ///
    /// - Parameters:
    ///   - pushType: the push type, which decides with the state of a device whether the device is pending; nil
    ///     makes every device pending.
    ///   - known: the device of an address that may have no row yet, if the caller knows it.
    init(
        of devices: [DeviceReference],
        excluding excluded: DeviceReference?,
        pushType: PushType?,
        app: AppNumber?,
        tables: Tables,
        known: WriterRead.KnownDeviceLookup = { _, _ in nil },
        in transaction: borrowing some Transaction & ~Copyable
    ) throws {
        var named: Set<Recipient> = []
        named.reserveCapacity(devices.count)
        for reference in devices {
            named.insert(try Self.recipient(reference, app: app, tables: tables, known: known, in: transaction))
        }
        if let excluded {
            named.remove(try Self.recipient(excluded, app: app, tables: tables, known: known, in: transaction))
        }
        for case .unregistered in named {
            ids.append(Self.unregisteredID)
            outcomes.append(Outcome.unregistered.rawValue)
        }
        let namedIDs = named.compactMap { if case .device(let id) = $0 { id } else { nil } }
        for id in namedIDs.sorted() {
            ids.append(id.rawValue)
            guard let pushType else {
                outcomes.append(Outcome.pending.rawValue)
                continue
            }
            let outcome = try app.flatMap { app in
                try tables.devices.visit(id, app: app, in: transaction) { head, _, _ in
                    Self.outcome(of: head, pushType: pushType)
                }
            }
            outcomes.append((outcome ?? .unregistered).rawValue)
        }
    }

    private enum Recipient: Hashable {
        case device(DeviceID)
        /// An address without a device.
        case unregistered(DeviceAddress)
    }

    private static func recipient(
        _ reference: DeviceReference,
        app: AppNumber?,
        tables: Tables,
        known: WriterRead.KnownDeviceLookup,
        in transaction: borrowing some Transaction & ~Copyable
    ) throws -> Recipient {
        switch reference {
        case .id(let id):
            return .device(id)
        case .address(let address):
            guard let app else { return .unregistered(address) }
            let digest = tables.digest(of: address, app: app)
            let id =
                try known(digest, app) ?? tables.id(at: address, digest: digest, app: app, in: transaction)
            return id.map(Recipient.device) ?? .unregistered(address)
        }
    }

    private static func outcome(of device: DeviceHead, pushType: PushType) -> Outcome {
        switch device.state {
        case .quarantined: .quarantined
        case .active: pushType.reaches(device.kind) ? .pending : .wrongKind
        }
    }
}
