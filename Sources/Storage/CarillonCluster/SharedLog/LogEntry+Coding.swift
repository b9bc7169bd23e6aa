private import CarillonCore

/// The bytes of an entry, big-endian:
///
/// - encoding `u8`: 1, the version of this list
/// - kind `u8`
/// - format `u16`
/// - the member that made it: name of the node (`u8` length, text), incarnation `u64`
/// - sequence `u64`
/// - what depends on the kind:
///   - changes (`u32` byte count, bytes)
///   - the expired member, in the same form as the one above
///   - the kind `u8` and the parameters (`u16` byte count, bytes) of an initial state
///   - nothing for a member that joined or left
/// - the ``WordHash`` of all bytes before, 16 bytes
extension LogEntry {
    /// The reason why bytes are no entry.
    package enum ParseError: Error, ByteReadingError, Hashable, CustomStringConvertible {
        case endsEarly
        case bytesLeftOver
        case tooLong
        case damaged
        case unknownEncoding(UInt8)
        case unknownKind(UInt8)
        case invalidName
        case invalidNumber

        /// The reason as a sentence without its subject.
        package var description: String {
            switch self {
            case .endsEarly: "it ends early"
            case .bytesLeftOver: "bytes are left over"
            case .tooLong: "it has more than \(LogEntry.maximumBytes) bytes"
            case .damaged: "its checksum is another"
            case .unknownEncoding(let encoding): "its encoding \(encoding) is unknown: a later version has written it"
            case .unknownKind(let kind): "its kind \(kind) is unknown: a later version has written it"
            case .invalidName: "a name in it is not one of a node"
            case .invalidNumber: "a number in it is 0 or too great"
            }
        }
    }

    fileprivate enum Kind: UInt8 {
        case changes = 1
        case joined = 2
        case expired = 3
        case left = 4
        case initialState = 5
    }

    private static let encoding: UInt8 = 1
    private static let checksumBytes = 16

    /// The encoded entry, at most ``maximumBytes``.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        if case .changes(let changes) = content { bytes.reserveCapacity(changes.count + 192) }
        bytes += [Self.encoding, kind.rawValue]
        bytes.append(bigEndian: format)
        Self.append(id.member, to: &bytes)
        bytes.append(bigEndian: id.sequence)
        switch content {
        case .changes(let changes):
            bytes.append(bigEndian: UInt32(changes.count))
            bytes += changes
        case .expired(let member): Self.append(member, to: &bytes)
        case .initialState(let initialState):
            bytes.append(initialState.kind.rawValue)
            bytes.append(bigEndian: UInt16(initialState.parameters.count))
            bytes += initialState.parameters
        case .joined, .left: break
        }
        let checksum = WordHash.of(bytes[...])
        bytes.append(bigEndian: checksum.high)
        bytes.append(bigEndian: checksum.low)
        return bytes
    }

    /// The number of ``bytes``, counted without encoding them.
    package var byteCount: Int {
        func bytes(of member: Member) -> Int { 9 + member.node.text.utf8.count }
        let rest =
            switch content {
            case .changes(let changes): 4 + changes.count
            case .expired(let member): bytes(of: member)
            case .initialState(let initialState): 3 + initialState.parameters.count
            case .joined, .left: 0
            }
        return 4 + bytes(of: id.member) + 8 + rest + Self.checksumBytes
    }

    private var kind: Kind {
        switch content {
        case .changes: .changes
        case .joined: .joined
        case .expired: .expired
        case .left: .left
        case .initialState: .initialState
        }
    }

    private static func append(_ member: Member, to bytes: inout [UInt8]) {
        bytes.append(UInt8(member.node.text.utf8.count))
        bytes += member.node.text.utf8
        bytes.append(bigEndian: member.incarnation)
    }

    /// Reads an entry. Takes memory for the changes only after their count was checked.
    package init(_ bytes: [UInt8]) throws(ParseError) {
        guard bytes.count <= Self.maximumBytes else { throw .tooLong }
        // The encoding comes before the checksum: a later encoding may have another checksum.
        guard let encoding = bytes.first else { throw .endsEarly }
        guard encoding == Self.encoding else { throw .unknownEncoding(encoding) }
        guard bytes.count > Self.checksumBytes else { throw .endsEarly }
        let content = bytes.dropLast(Self.checksumBytes)
        var checksum = BigEndianReader<ParseError>(bytes[content.endIndex...])
        guard UUIDBytes(high: try checksum.number(), low: try checksum.number()) == WordHash.of(content) else {
            throw .damaged
        }
        var reader = BigEndianReader<ParseError>(content.dropFirst())
        let number: UInt8 = try reader.number()
        guard let kind = Kind(rawValue: number) else { throw .unknownKind(number) }
        format = try reader.number()
        let member = try reader.member()
        id = ID(member: member, sequence: try reader.positive())
        self.content = try reader.content(kind)
        try reader.end()
    }
}

extension BigEndianReader where Failure == LogEntry.ParseError {
    /// Reads a number from 1 to the greatest one that a log database stores.
    fileprivate mutating func positive() throws(Failure) -> UInt64 {
        let number: UInt64 = try number()
        guard (1...UInt64(Int64.max)).contains(number) else { throw .invalidNumber }
        return number
    }

    fileprivate mutating func member() throws(Failure) -> Member {
        let name = try take(Int(try number() as UInt8))
        guard let text = String(validating: name, as: UTF8.self), let node = NodeName(text) else {
            throw .invalidName
        }
        return Member(node: node, incarnation: try positive())
    }

    fileprivate mutating func content(_ kind: LogEntry.Kind) throws(Failure) -> LogEntry.Content {
        switch kind {
        case .changes:
            let count = Int(try number() as UInt32)
            guard count <= LogEntry.maximumChangeBytes else { throw .tooLong }
            return .changes(Array(try take(count)))
        case .joined: return .joined
        case .expired: return .expired(try member())
        case .left: return .left
        case .initialState:
            let kind: UInt8 = try number()
            let parameters = Array(try take(Int(try number() as UInt16)))
            guard let kind = InitialState.Kind(rawValue: kind),
                let initialState = InitialState(kind: kind, parameters: parameters)
            else { throw .invalidNumber }
            return .initialState(initialState)
        }
    }
}
