import CarillonCore

/// The last changes of devices: they say which devices have changed since a snapshot. The snapshot shows all other
/// devices as they are, although it lacks changes that were answered.
///
/// A table has a word for each class of devices, and the class of a device follows from its id. The word is the number
/// of the last transaction that has changed a device of the class. A snapshot has the number of its newest commit. So a
/// device may have changed since a snapshot if its word is greater. For example, transaction 70 changes one device of a
/// class. The snapshot of commit 69 then answers no lookup of that class, and the snapshot of commit 70 answers all.
/// Nothing is reset at a commit.
///
/// The writer marks a device before its change is answered, so a read that comes after the answer sees the mark.
/// After an abort the same changes are applied again, in transactions of other numbers. Until they are committed the
/// marks say nothing, and no snapshot answers a lookup: the writer does (``ReadGate/closeForAllReads()``).
///
/// It takes 4 MiB at most, and only the pages that are used.
struct LastDeviceChanges: Sendable {
    private static let wordCount = 1 << 19

    private let transactions = AtomicWords(count: wordCount)

    /// Marks a device that a snapshot may show, because a transaction changes it.
    @inline(__always)
    func mark(_ id: DeviceID, app: AppNumber, in transaction: UInt64) {
        transactions?[Self.index(of: id, app: app)] = transaction
    }

    /// Returns true unless the snapshot with that number shows the device as it is.
    @inline(__always)
    func mayHaveChanged(_ id: DeviceID, app: AppNumber, since snapshot: UInt64) -> Bool {
        transactions.map { $0[Self.index(of: id, app: app)] > snapshot } ?? true
    }

    @inline(__always)
    private static func index(of id: DeviceID, app: AppNumber) -> Int {
        let index = id.rawValue &+ UInt64(app) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: index & UInt64(wordCount - 1))
    }
}
