import CarillonCore

/// Says which devices may have changed since a snapshot. The snapshot shows all other devices as they are, although it
/// may lack changes that were answered.
///
/// The devices are divided into classes by their ids. The table has a word for each class: the number of the last
/// transaction that has changed a device of the class. A snapshot has the number of its newest commit. So a device may
/// have changed since the snapshot if the word of its class is greater than that number. For example, transaction 70
/// changes a device. The snapshot of commit 69 then answers no lookup of a device of that class, and the snapshot of
/// commit 70 answers all again, without a reset of the word.
///
/// The writer marks a device before its change is answered, so a read that comes after the answer sees the mark.
/// After an abort the same changes are applied again, in transactions of other numbers. Until these are committed,
/// marks may be too low. So the writer answers all lookups until then, and no snapshot does
/// (``ReadGate/closeForAllReads()``).
///
/// It takes 4 MiB at most, and only the pages that are used.
struct LastDeviceChanges: Sendable {
    private static let wordCount = 1 << 19

    private let transactions = AtomicWords(count: wordCount)

    /// Marks the class of a device that a transaction changes. A new device needs no mark: no snapshot shows it.
    @inline(__always)
    func mark(_ id: DeviceID, app: AppNumber, in transaction: UInt64) {
        transactions?[Self.index(of: id, app: app)] = transaction
    }

    /// Returns false if a snapshot certainly shows the device as it is.
    ///
    /// - Parameter snapshot: the number of the newest commit in the snapshot.
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
