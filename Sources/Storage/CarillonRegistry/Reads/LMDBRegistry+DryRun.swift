package import CarillonCore
import CarillonLMDB

/// Dry runs of SEND.
extension LMDBRegistry {
    /// Returns the answer that a message would get now. Nothing is stored, and the writer is not involved.
    package func dryRun(_ message: Message) throws(RegistryError) -> SendResult {
        try readAfterCheckpoint { transaction, tables in
            let app = try tables.apps.get(message.content.app, in: transaction)
            var (total, ended): (UInt64, UInt64) = (0, 0)
            if case .devices(let devices) = message.audience {
                let counts = try ListedAudience(
                    of: devices,
                    excluding: message.excludedDevice,
                    pushType: message.content.pushType,
                    app: app?.number,
                    tables: tables,
                    in: transaction
                ).counts
                total = counts.total
                ended = total - counts[.pending]
            } else if case .channel = message.audience {
                total = 1
            } else if let app {
                let left = try message.excludedDevice.flatMap {
                    try Self.id(of: $0, app: app.number, tables: tables, in: transaction)
                }
                let audience = LiveAudience(
                    audience: message.audience, excluded: left.map { [$0] } ?? [], idBound: app.nextDevice)
                total = try Self.count(audience, app: app.number, tables: tables, in: transaction)
            }
            return SendResult(
                id: MessageID(rawValue: 0), isDuplicate: false, total: UInt32(clamping: total),
                ended: UInt32(clamping: ended))
        }
    }

    private static func id(
        of reference: DeviceReference, app: AppNumber, tables: Tables, in transaction: borrowing ReadTransaction
    ) throws -> DeviceID? {
        switch reference {
        case .id(let id): id
        case .address(let address):
            try tables.id(
                at: address, digest: tables.digest(of: address, app: app), app: app, in: transaction)
        }
    }
}
