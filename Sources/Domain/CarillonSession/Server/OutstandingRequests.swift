import CarillonWire

/// The requests of one connection that are read and not answered. Their ids ascend, so the newest is last.
struct OutstandingRequests {
    /// A request that was read, and its memory.
    struct Request {
        let id: UInt64
        let opcode: Opcode
        /// The number of bytes of the request's payload.
        let bytes: Int
        fileprivate var isAnswered = false
    }

    /// The entries, ascending by id. Answered entries stay until there are many of them, or until no outstanding entry
    /// follows them.
    private var entries: [Request] = []
    /// The index of the oldest outstanding entry; 0 if no request is outstanding.
    private var first = 0
    private(set) var count = 0
    /// The number of bytes of the payloads of outstanding requests.
    private(set) var bytes = 0

    /// The most answered entries that stay, in addition to as many as are outstanding.
    private static let maximumAnswered = 32

    var isEmpty: Bool { count == 0 }

    /// The most memory that the outstanding requests take, in bytes.
    var memoryBytes: Int { count * Self.requestBytes + bytes * Self.growth }

    /// The memory for the bookkeeping of a request, from the session to the thread that runs it, in bytes.
    private static let requestBytes = 512
    /// The most bytes of memory for one byte of payload. A token of one byte takes five bytes on the wire and sixty in
    /// memory; a topic of one letter takes two and thirty-two.
    private static let growth = 16

    /// Adds a request, whose id is greater than all before.
    mutating func add(_ id: UInt64, opcode: Opcode, bytes: Int) {
        entries.append(Request(id: id, opcode: opcode, bytes: bytes))
        count += 1
        self.bytes += bytes
    }

    /// Removes a request that is answered, and returns it; nil if that id is not outstanding.
    mutating func remove(_ id: UInt64) -> Request? {
        guard let index = index(of: id) else { return nil }
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
        if entries.count > 2 * count + Self.maximumAnswered {
            entries.removeAll(where: \.isAnswered)
            first = 0
        }
        return entry
    }

    private func index(of id: UInt64) -> Int? {
        var low = first
        var high = entries.count
        guard low < high else { return nil }
        // Usually the oldest request is answered, or the newest.
        if entries[low].id == id { return low }
        if entries[high - 1].id <= id { low = high - 1 }
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low < entries.count && entries[low].id == id && !entries[low].isAnswered ? low : nil
    }
}
