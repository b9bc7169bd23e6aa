import CarillonCore
import CarillonLMDB

/// Finds devices among the recipients of a message. In ascending order of devices it reads each page once.
struct RecipientSearch {
    private let tables: Tables
    private let progress: MessageProgress
    /// The page of a list that was read last; nil before the first.
    private var page: (number: UInt32, ids: [UInt64])?
    /// The page of a live audience that was read last; nil before the first.
    private var chunk: (number: ChunkNumber, addressed: ChunkBits)?

    init(tables: Tables, progress: MessageProgress) {
        self.tables = tables
        self.progress = progress
    }

    /// Returns true if the device is a recipient; of a live audience, if it is one of a page that is fixed.
    mutating func contains(
        _ device: DeviceID, of message: MessageID, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> Bool {
        guard !progress.isLive else {
            if let chunk, chunk.number == device.chunk { return chunk.addressed.contains(device.offset) }
            let addressed = try tables.outcomes.getLive(message, page: device.chunk, in: transaction)?.addressed
            chunk = (device.chunk, addressed ?? ChunkBits())
            return addressed?.contains(device.offset) ?? false
        }
        return try position(of: device, message: message, in: transaction) != nil
    }

    /// Returns the page and the position of a device in a list of recipients; nil if the device is not in the list.
    /// Call it only for an audience by list.
    mutating func position(
        of device: DeviceID, message: MessageID, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> (page: UInt32, position: UInt16)? {
        if !isWithinPage(device) { page = try findPage(of: device, message: message, in: transaction) }
        guard let (number, ids) = page else { return nil }
        let index = Self.lowerBound(of: device.rawValue, in: 0..<ids.count) { ids[$0] }
        guard index < ids.count, ids[index] == device.rawValue else { return nil }
        return (number, UInt16(truncatingIfNeeded: index))
    }

    /// Returns true if only the page that was read last can have the device.
    private func isWithinPage(_ device: DeviceID) -> Bool {
        guard let first = page?.ids.first, let last = page?.ids.last else { return false }
        return first <= device.rawValue && device.rawValue <= last
    }

    /// Returns the last page that begins with the device or before it; nil if all begin after it.
    private func findPage(
        of device: DeviceID, message: MessageID, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> (UInt32, [UInt64])? {
        let after = try Self.lowerBound(of: device.rawValue + 1, in: 0..<Int(progress.pageCount)) { page in
            guard let first = try tables.recipients.first(message, page: UInt32(page), in: transaction) else {
                throw RegistryError.corrupted("recipients: a page is missing")
            }
            return first
        }
        guard after > 0 else { return nil }
        let page = UInt32(after - 1)
        return try tables.recipients.get(message, page: page, in: transaction).map { (page, $0) }
    }

    /// Returns the index of the first element that is not below `value`; elements ascend.
    private static func lowerBound(
        of value: UInt64,
        in range: Range<Int>,
        _ element: (Int) throws -> UInt64
    ) rethrows -> Int {
        var low = range.lowerBound
        var high = range.upperBound
        while low < high {
            let middle = low + (high - low) / 2
            if try element(middle) < value { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
