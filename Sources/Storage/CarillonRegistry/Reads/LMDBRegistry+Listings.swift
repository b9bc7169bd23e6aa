package import CarillonCore
import CarillonLMDB

/// Reads devices, sets and messages (`ListingReads`). Each may be long, so it reads a snapshot.
extension LMDBRegistry {
    // MARK: Devices

    package func devices(of app: AppID, cursor: UInt64, limit: Int) throws(RegistryError) -> DevicePage {
        try readAfterCheckpoint { transaction, tables in
            try DeviceReader(app: app, tables: tables, in: transaction)?
                .all(cursor: cursor, limit: limit, in: transaction) ?? DevicePage(next: 0, devices: [])
        }
    }

    package func quarantinedDevices(of app: AppID, cursor: UInt64, limit: Int) throws(RegistryError) -> DeviceIDPage {
        try readAfterCheckpoint { transaction, tables in
            try DeviceReader(app: app, tables: tables, in: transaction)?
                .quarantined(cursor: cursor, limit: limit, in: transaction) ?? .empty
        }
    }

    package func devices(
        in set: SetName, of app: AppID, cursor: UInt64, limit: Int
    ) throws(RegistryError) -> DeviceIDPage {
        try readAfterCheckpoint { transaction, tables in
            try DeviceReader(app: app, tables: tables, in: transaction)?
                .members(of: set, cursor: cursor, limit: limit, in: transaction) ?? .empty
        }
    }

    // MARK: Sets

    package func memberships(
        of device: DeviceReference, app: AppID, after: String, limit: Int
    ) throws(RegistryError) -> Memberships? {
        try readAfterCheckpoint { transaction, tables in
            try MembershipReader(of: device, app: app, tables: tables, in: transaction)?
                .page(after: after, limit: limit, in: transaction)
        }
    }

    package func groups(
        of app: AppID, prefix: String, after: String, limit: Int
    ) throws(RegistryError) -> NamedSetPage {
        try readAfterCheckpoint { transaction, tables in
            try SetReader(app: app, tables: tables, in: transaction)?
                .sets(of: .group, prefix: prefix, after: after, limit: limit, in: transaction) ?? .empty
        }
    }

    package func topics(
        of app: AppID, prefix: String, after: String, limit: Int
    ) throws(RegistryError) -> NamedSetPage {
        try readAfterCheckpoint { transaction, tables in
            try SetReader(app: app, tables: tables, in: transaction)?
                .sets(of: .topic, prefix: prefix, after: after, limit: limit, in: transaction) ?? .empty
        }
    }

    package func topics(
        of group: GroupName, app: AppID, after: String, limit: Int
    ) throws(RegistryError) -> NamedSetPage {
        try readAfterCheckpoint { transaction, tables in
            try SetReader(app: app, tables: tables, in: transaction)?
                .topics(of: group, after: after, limit: limit, in: transaction) ?? .empty
        }
    }

    package func explain(_ condition: Condition, app: AppID) throws(RegistryError) -> Explanation {
        try readAfterCheckpoint { transaction, tables in
            try AudienceCounter(tables: tables).explain(condition, app: app, in: transaction)
        }
    }

    // MARK: Messages

    package func messages(
        of app: AppID, before message: MessageID?, limit: Int, filter: MessageFilter = MessageFilter()
    ) throws(RegistryError) -> MessageSummaryPage {
        try readAfterCheckpoint { transaction, tables in
            try MessageSearch(of: app, filter: filter, tables: tables, in: transaction)?
                .page(before: message, limit: limit, in: transaction) ?? MessageSummaryPage(next: nil, rows: [])
        }
    }

    package func outcomes(
        of message: MessageID, app: AppID, cursor: UInt64, limit: Int
    ) throws(RegistryError) -> RecipientOutcomePage? {
        try readAfterCheckpoint { transaction, tables in
            try MessageReader(message, app: app, tables: tables, in: transaction)?
                .outcomes(cursor: cursor, limit: limit, in: transaction)
        }
    }

    package func receipts(
        of message: MessageID, app: AppID, kind: ReceiptKind, cursor: UInt64, limit: Int
    ) throws(RegistryError) -> DeviceIDPage? {
        try readAfterCheckpoint { transaction, tables in
            try MessageReader(message, app: app, tables: tables, in: transaction)?
                .receipts(kind, cursor: cursor, limit: limit, in: transaction)
        }
    }

    package func trace(
        of message: MessageID, device: DeviceReference, app: AppID
    ) throws(RegistryError) -> MessageTraceResult {
        try readAfterCheckpoint { transaction, tables in
            try MessageTracer(of: message, app: app, now: wallClock(), tables: tables, in: transaction)?
                .trace(of: device, in: transaction) ?? .noMessage
        }
    }

    package func audienceCount(of message: MessageID) throws(RegistryError) -> UInt64? {
        try readAfterCheckpoint { transaction, tables in
            try AudienceCounter(tables: tables).count(of: message, in: transaction)
        }
    }

    /// Returns the answer that a message would get now. Nothing is stored, and the writer is not involved.
    package func dryRun(_ message: Message) throws(RegistryError) -> SendResult {
        try readAfterCheckpoint { transaction, tables in
            try AudienceCounter(tables: tables).dryRun(message, in: transaction)
        }
    }
}
