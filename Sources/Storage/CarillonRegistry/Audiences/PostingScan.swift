import CarillonCore
import CarillonLMDB

/// Reads the chunks of several sets in ascending order, with one cursor for each set.
final class PostingScan {
    // Safety: lent by `Tables.withScan` for the lifetime of the scan.
    private let cursors: UnsafeMutableBufferPointer<Cursor>
    private let app: AppNumber
    /// The numbers of the sets; nil for a set that does not exist, which is empty.
    private let numbers: [SetNumber?]
    private var positions: [Position]
    private var remainingSteps: Int

    /// The error of a scan that has taken as many steps as it may.
    struct LimitError: Error {}

    /// The place of the scan in one set.
    private enum Position {
        /// No chunk of the set was requested yet.
        case nowhere
        /// The scan is at the first chunk at or after the last one that was requested.
        case at(ChunkNumber)
        /// The set has no chunk at or after the last one that was requested.
        case end
    }

    /// Makes a scan that has read nothing.
    ///
    /// - Parameter maximumSteps: the most times that a set may be looked at in a chunk.
    init(
        _ cursors: UnsafeMutableBufferPointer<Cursor>, app: AppNumber, numbers: [SetNumber?], maximumSteps: Int = .max
    ) {
        self.cursors = cursors
        self.app = app
        self.numbers = numbers
        remainingSteps = maximumSteps
        positions = Array(repeating: .nowhere, count: numbers.count)
    }

    /// Returns the first chunk from `chunk` on in which a set is not empty; nil if there is no such chunk. `chunk` must
    /// not decrease from call to call.
    ///
    /// - Throws: ``LimitError``, or the error of reading.
    func next(_ index: Int, from chunk: ChunkNumber) throws -> ChunkNumber? {
        guard remainingSteps > 0 else { throw LimitError() }
        remainingSteps -= 1
        guard let number = numbers[index] else { return nil }
        switch positions[index] {
        case .end: return nil
        case .at(let found) where found >= chunk: return found
        case .at:
            // Usually the next chunk is the requested one.
            positions[index] = try cursors[index].moveToNext() ? try position(of: index, in: number) : .end
            if case .at(let found) = positions[index], found >= chunk { return found }
            if case .end = positions[index] { return nil }
        case .nowhere: break
        }
        let isFound = try PostingTable.withKey(PostingTable.RowKey(app: app, set: number, chunk: chunk)) {
            try cursors[index].seek($0)
        }
        positions[index] = isFound ? try position(of: index, in: number) : .end
        if case .at(let found) = positions[index] { return found }
        return nil
    }

    /// Loads the devices of a set in a chunk into `bits`, which are empty before.
    func load(_ index: Int, at chunk: ChunkNumber, into bits: inout ChunkBits) throws {
        guard try next(index, from: chunk) == chunk else { return }
        _ = try cursors[index].withCurrent { _, value in try PostingTable.decode(value, into: &bits) }
    }

    private func position(of index: Int, in number: SetNumber) throws -> Position {
        let position = try cursors[index].withCurrent { key, _ in
            let rowKey = try PostingTable.readKey(key)
            return rowKey.app == app && rowKey.set == number ? Position.at(rowKey.chunk) : .end
        }
        return position ?? .end
    }
}
