/// The members that are not over, as a replica knows them. The list is a part of its state.
///
/// The list follows from the entries alone: a member begins with its entry `joined`, and ends with `left`, with
/// `expired`, or when its node joins again. A claim of a member that is not here no longer counts, so the end of a
/// member ends all of its claims at that position without touching them.
package struct LiveMembers: Hashable, Sendable {
    /// The members in the order of their incarnations: the member that joined first comes first.
    package private(set) var members: [Member] = []

    package init() {}

    /// Takes an entry into account. Entries must come in the order of the log.
    ///
    /// - Returns: the members that are over since this entry.
    @discardableResult
    package mutating func apply(_ entry: LogEntry) -> [Member] {
        let member = entry.id.member
        switch entry.content {
        case .changes, .initialState: return []
        case .joined:
            let ended = remove { $0.node == member.node }
            // The log database gives each incarnation once, and greater ones later.
            members.append(member)
            return ended
        case .left: return remove { $0 == member }
        case .expired(let other): return remove { $0 == other }
        }
    }

    private mutating func remove(_ isOver: (Member) -> Bool) -> [Member] {
        let ended = members.filter(isOver)
        if !ended.isEmpty { members.removeAll(where: isOver) }
        return ended
    }

    /// Returns true if the member with an incarnation is not over.
    package func isLive(_ incarnation: UInt64) -> Bool {
        var low = 0
        var high = members.count
        while low < high {
            let middle = low + (high - low) / 2
            if members[middle].incarnation < incarnation { low = middle + 1 } else { high = middle }
        }
        return low < members.count && members[low].incarnation == incarnation
    }

    package func contains(_ member: Member) -> Bool { members.contains(member) }

    /// The member that has been live longest; nil if no member is live. It runs the shared tasks, such as releasing
    /// scheduled messages: all nodes that have applied the same entries name the same member, and it changes only when
    /// that member ends. For a moment two nodes may both take themselves for this member, so a shared task must be
    /// harmless if it is run twice.
    package var oldest: Member? { members.first }

    // MARK: Bytes

    /// The encoded members: the version `u8` 1, the count `u16`, and for each member the name after its `u8` length and
    /// its incarnation `u64`.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = [1]
        bytes.append(bigEndian: UInt16(clamping: members.count))
        for member in members {
            bytes.append(UInt8(clamping: member.node.text.utf8.count))
            bytes += member.node.text.utf8
            bytes.append(bigEndian: member.incarnation)
        }
        return bytes
    }

    /// Reads ``bytes``.
    package init(_ bytes: [UInt8]) throws(StoredBytesError) {
        var reader = StoredBytesReader(bytes[...])
        guard try reader.number() as UInt8 == 1 else { throw .unknownForm }
        let count: UInt16 = try reader.number()
        for _ in 0..<count {
            let name = try reader.take(Int(try reader.number() as UInt8))
            guard let text = String(validating: name, as: UTF8.self), let node = NodeName(text) else {
                throw .contradictory
            }
            let member = Member(node: node, incarnation: try reader.number())
            guard members.last.map({ $0.incarnation < member.incarnation }) ?? true,
                !members.contains(where: { $0.node == node })
            else { throw .contradictory }
            members.append(member)
        }
        try reader.end()
    }
}
