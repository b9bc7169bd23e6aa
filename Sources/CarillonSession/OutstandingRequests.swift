import CarillonWire

/// Requests of one connection that are read and not answered. Their ids ascend, so the newest stands last.
struct OutstandingRequests {
    struct Entry {
        let id: UInt64
        let opcode: Opcode
        /// Of its payload.
        let bytes: Int
        fileprivate var isAnswered = false
    }

    /// Ascending by id; those that are answered stay until they are many, or nothing stands behind them.
    private var entries: [Entry] = []
    /// The place of the oldest that is outstanding, if one is.
    private var first = 0
    /// Requests outstanding.
    private(set) var count = 0
    /// Bytes of their payloads.
    private(set) var bytes = 0

    /// Answered entries that may stay, beside as many as are outstanding.
    private static let spare = 32

    var isEmpty: Bool { count == 0 }

    /// Adds a request; its id is greater than those of all before.
    mutating func add(_ id: UInt64, _ opcode: Opcode, bytes: Int) {
        entries.append(Entry(id: id, opcode: opcode, bytes: bytes))
        count += 1
        self.bytes += bytes
    }

    /// Removes a request that is answered; nil if that id is not outstanding.
    mutating func remove(_ id: UInt64) -> Entry? {
        guard let index = place(of: id) else { return nil }
        let entry = entries[index]
        entries[index].isAnswered = true
        count -= 1
        bytes -= entry.bytes
        if count == 0 {
            entries.removeAll(keepingCapacity: true)
            first = 0
        } else if index == first {
            while entries[first].isAnswered { first += 1 }
        } else if index == entries.count - 1 {
            while entries.last?.isAnswered == true { entries.removeLast() }
        }
        if entries.count > 2 * count + Self.spare {
            entries.removeAll(where: \.isAnswered)
            first = 0
        }
        return entry
    }

    private func place(of id: UInt64) -> Int? {
        var (low, high) = (first, entries.count)
        guard low < high else { return nil }
        // What is answered at once is the oldest or the newest.
        if entries[low].id == id { return low }
        if entries[high - 1].id <= id { low = high - 1 }
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low < entries.count && entries[low].id == id && !entries[low].isAnswered ? low : nil
    }
}
