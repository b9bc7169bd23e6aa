import CarillonCore
import CarillonLMDB

/// A counter of the devices, groups and topics of each app. It reads the names of all groups and topics and the
/// quarantine, in many short reads, which may see different snapshots.
struct AppCounter {
    let registry: LMDBRegistry

    /// The number of keys that are counted in one read: a millisecond or so.
    private static let keysPerRead = 10_000

    /// Returns the counts of the apps, by name.
    func counts() throws(RegistryError) -> [ServerStatistics.AppCount] {
        let apps = try registry.readAfterCheckpoint { transaction, tables in
            var apps: [(AppID, AppNumber)] = []
            try tables.apps.forEach(in: transaction) { app, record in apps.append((app, record.number)) }
            return apps
        }
        var counts: [ServerStatistics.AppCount] = []
        for (app, number) in apps {
            let (devices, byProvider) = try registry.readAfterCheckpoint { transaction, tables in
                (
                    try tables.sets.get(.all, app: number, in: transaction)?.devices ?? 0,
                    try devicesByProvider(of: number, tables: tables, in: transaction)
                )
            }
            counts.append(
                ServerStatistics.AppCount(
                    app: app, devices: devices,
                    quarantined: try count(QuarantineTable.prefix(number)) { $0.quarantine.database },
                    groups: try count(SetTable.prefix(number, kind: .group)) { $0.sets.database },
                    topics: try count(SetTable.prefix(number, kind: .topic)) { $0.sets.database },
                    devicesByProvider: byProvider))
        }
        return counts
    }

    /// Returns the number of active devices of an app by provider, with every provider. Each device is in the set of
    /// its token kind, and the record of each set has its number of devices. So this reads a record for each kind, and
    /// no device.
    private func devicesByProvider(
        of app: AppNumber, tables: Tables, in transaction: borrowing ReadTransaction
    ) throws -> [Provider: UInt64] {
        var counts: [Provider: UInt64] = [:]
        for kind in TokenKind.allCases {
            let label = SetLabel.attribute(AttributeKey.kind.name, kind.name)
            counts[kind.provider, default: 0] += try tables.sets.get(label, app: app, in: transaction)?.devices ?? 0
        }
        return counts
    }

    private func count(_ prefix: [UInt8], in database: (Tables) -> Database) throws(RegistryError) -> UInt64 {
        var total: UInt64 = 0
        var last: [UInt8]?
        repeat {
            let (count, end) = try registry.readAfterCheckpoint { transaction, tables in
                var seen = 0
                var end: [UInt8]?
                try transaction.forEach(
                    in: database(tables), prefix: prefix.span, after: last?.span, limit: Self.keysPerRead
                ) { key, _ in
                    seen += 1
                    if seen == Self.keysPerRead { end = key.withUnsafeBufferPointer { Array($0) } }
                    return .proceed
                }
                return (seen, end)
            }
            total += UInt64(count)
            last = end
        } while last != nil
        return total
    }
}
