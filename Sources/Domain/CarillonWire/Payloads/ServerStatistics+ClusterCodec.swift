import CarillonCore

/// Reads and writes the fields of STATISTICS about a cluster (Protocol 13.1).
extension ServerStatistics.Cluster {
    static let nodesTag: UInt32 = 44
    static let positionTag: UInt32 = 46
    static let entriesTag: UInt32 = 48
    static let snapshotTag: UInt32 = 50
    static let claimsTag: UInt32 = 52

    /// The tagged fields, ascending.
    var tags: [FrameWriter.TaggedField?] {
        [
            FrameWriter.field(Self.nodesTag, list: nodes) { $1.write(to: &$0) },
            FrameWriter.field(Self.positionTag, position), FrameWriter.field(Self.entriesTag, entries),
            FrameWriter.field(Self.snapshotTag, snapshot),
            FrameWriter.field(Self.claimsTag, list: claims) { $1.write(to: &$0) },
        ]
    }

    /// The claims of the nodes, in their order; empty if they are not known.
    private var claims: [ServerStatistics.Claims] {
        nodes.contains { $0.claims != nil } ? nodes.map { $0.claims ?? ServerStatistics.Claims() } : []
    }

    /// Reads a tag; returns false if it is no tag of a cluster.
    mutating func read(
        _ tag: UInt32, value: UnsafeRawBufferPointer, with reader: inout PayloadReader
    ) throws(WireError) -> Bool {
        func number() throws(WireError) -> UInt64 { try reader.integer(UInt64.self, of: value, field: "tag \(tag)") }
        switch tag {
        case Self.nodesTag:
            nodes = try reader.parse(value, as: "nodes") { reader throws(WireError) in
                var nodes: [ServerStatistics.Node] = []
                try reader.list("nodes", elementBytes: ServerStatistics.Node.minimumBytes) {
                    reader, _ throws(WireError) in nodes.append(try ServerStatistics.Node(from: &reader))
                }
                return nodes
            }
        case Self.positionTag: position = try number()
        case Self.entriesTag: entries = try number()
        case Self.snapshotTag: snapshot = try number()
        case Self.claimsTag: try readClaims(value, with: &reader)
        default: return false
        }
        return true
    }

    private mutating func readClaims(
        _ value: UnsafeRawBufferPointer, with reader: inout PayloadReader
    ) throws(WireError) {
        var found = nodes
        let count = try reader.parse(value, as: "claims") { reader throws(WireError) in
            var count = 0
            try reader.list("claims", elementBytes: ServerStatistics.Claims.byteCount) {
                reader, index throws(WireError) in
                let claims = try ServerStatistics.Claims(from: &reader)
                count = index + 1
                if found.indices.contains(index) { found[index].claims = claims }
            }
            return count
        }
        guard count == found.count else {
            return reader.recordInvalid("claims", because: "\(count) claims of \(found.count) nodes")
        }
        nodes = found
    }
}

extension ServerStatistics.Claims {
    fileprivate static let byteCount = 4 + 4 + 8

    fileprivate init(from reader: inout PayloadReader) throws(WireError) {
        self.init(
            messages: try reader.u32("messages"), blocks: try reader.u32("blocks"), pages: try reader.u64("pages"))
    }

    fileprivate func write(to writer: inout FrameWriter) {
        writer.u32(messages)
        writer.u32(blocks)
        writer.u64(pages)
    }
}

extension ServerStatistics.Node {
    fileprivate static let minimumBytes = 2 + 8 + 1 + 8 + 16 + 4 + 4 + 2 + 2 + 2
    /// The most bytes of a version and of an address; longer ones are cut.
    private static let maximumVersionBytes = 64
    private static let maximumAddressBytes = 255

    fileprivate init(from reader: inout PayloadReader) throws(WireError) {
        self.init(name: try reader.string("node"), incarnation: try reader.u64("incarnation"))
        isLive = try reader.u8("over") == 0
        position = try reader.u64("position")
        hash = try reader.uuid("hash")
        silentMilliseconds = try reader.u32("silent_ms")
        leaseMilliseconds = try reader.u32("lease_ms")
        format = try reader.u16("format")
        version = try reader.string("version")
        address = try reader.string("address")
    }

    fileprivate func write(to writer: inout FrameWriter) {
        writer.string(name)
        writer.u64(incarnation)
        writer.u8(isLive ? 0 : 1)
        writer.u64(position)
        writer.uuid(hash)
        writer.u32(silentMilliseconds)
        writer.u32(leaseMilliseconds)
        writer.u16(format)
        writer.string(version.cut(toBytes: Self.maximumVersionBytes))
        writer.string(address.cut(toBytes: Self.maximumAddressBytes))
    }
}
