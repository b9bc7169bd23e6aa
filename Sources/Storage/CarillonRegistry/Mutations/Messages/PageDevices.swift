import CarillonCore
import CarillonLMDB

/// The devices of a page, which are read at the first use.
struct PageDevices {
    private let message: MessageID
    private let page: UInt32
    private let isLive: Bool
    private let tables: Tables
    private var ids: [UInt64]?

    init(_ record: OutcomeRecord, isLive: Bool, tables: Tables) {
        message = record.message
        page = record.page
        self.isLive = isLive
        self.tables = tables
    }

    /// Returns the device at a position that has an outcome; nil if the message named a token that was not
    /// registered.
    mutating func device(
        at position: UInt16, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> DeviceID? {
        if isLive { return DeviceID(chunk: page, offset: position) }
        let ids = try self.ids ?? tables.recipients.get(message, page: page, in: transaction) ?? []
        self.ids = ids
        guard Int(position) < ids.count else { throw RegistryError.corrupted("recipients: fewer than outcomes") }
        return ids[Int(position)] == 0 ? nil : DeviceID(rawValue: ids[Int(position)])
    }
}
