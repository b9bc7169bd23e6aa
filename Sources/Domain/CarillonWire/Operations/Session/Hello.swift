package import CarillonCore

/// The request HELLO (Protocol 6.1). Frozen.
package struct HelloRequest: SessionOperation {
    package typealias Answer = HelloAnswer

    package static let opcode = Opcode.hello

    /// The name and version of the client, 1 to 64 bytes.
    package var software: String
    /// The largest payload that the client accepts; 0 = the server's own limit.
    package var receiveLimit: UInt32

    package init(software: String, receiveLimit: UInt32 = 0) {
        self.software = software
        self.receiveLimit = receiveLimit
    }

    package consuming func sessionRequest() -> SessionRequest { .hello(self) }
}

/// The server's answer to HELLO (Protocol 6.1).
package struct HelloAnswer: Hashable, Sendable {
    /// The layouts of one opcode that the server speaks.
    package struct AnnouncedLayouts: Hashable, Sendable {
        package var opcode: Opcode
        package var lowest: UInt8
        package var highest: UInt8

        package init(opcode: Opcode, lowest: UInt8 = 1, highest: UInt8 = 1) {
            self.opcode = opcode
            self.lowest = lowest
            self.highest = highest
        }
    }

    /// The limits and times that a server announces: the values of Protocol 17, unless the server has others.
    package struct AnnouncedLimits: Hashable, Sendable {
        /// The largest payload that the server takes, in bytes.
        package var frameBytes = WireLimits.frameBytes
        /// The most requests outstanding on a connection.
        package var requestsInFlight: UInt32 = 1_024
        /// The most items of a batch.
        package var batchItems = UInt32(WireLimits.batchItems)
        /// How long the client may be silent before the server pings it, in milliseconds.
        package var keepaliveMilliseconds: UInt32 = 30_000
        /// The least time between two pings of the client, in milliseconds.
        package var pingIntervalMilliseconds: UInt32 = 10_000
        /// How long an idempotency key is remembered, in seconds.
        package var idempotencyWindowSeconds: UInt32 = 86_400

        package init() {}
    }

    /// The node of a cluster that a server is.
    package struct AnnouncedNode: Hashable, Sendable {
        /// The name of the node. A frame may have 1 to 64 bytes here; a name has at most 63.
        package var name: String
        /// The cluster of the node: positions of one cluster mean nothing in another.
        package var cluster: UUIDBytes

        package init(name: String, cluster: UUIDBytes) { (self.name, self.cluster) = (name, cluster) }
    }

    /// The name and version of the server.
    package var software: String
    /// The history of the server, which changes when the history is gone.
    package var epoch: UUIDBytes
    package var clock: Timestamp
    package var limits: AnnouncedLimits
    /// True if the client certificate has named a principal.
    package var isAuthenticated: Bool
    /// The operations that are served, ascending.
    package var opcodes: [AnnouncedLayouts]
    /// The node that the server is; nil if it belongs to no cluster.
    package var node: AnnouncedNode?

    package init(
        software: String, epoch: UUIDBytes, clock: Timestamp, limits: AnnouncedLimits, isAuthenticated: Bool,
        opcodes: [AnnouncedLayouts], node: AnnouncedNode? = nil
    ) {
        self.software = software
        self.epoch = epoch
        self.clock = clock
        self.limits = limits
        self.isAuthenticated = isAuthenticated
        self.opcodes = opcodes
        self.node = node
    }

    /// Returns true if `opcodes` has the opcode; the search is binary.
    package func serves(_ opcode: Opcode) -> Bool {
        var low = 0
        var high = opcodes.count
        while low < high {
            let middle = (low + high) / 2
            if opcodes[middle].opcode.rawValue < opcode.rawValue { low = middle + 1 } else { high = middle }
        }
        return low < opcodes.count && opcodes[low].opcode == opcode
    }
}

extension Opcode {
    package static let hello = Opcode(rawValue: 0x0001)
}

// MARK: Codec (Protocol 6.1)

extension HelloRequest {
    package init(from reader: inout PayloadReader, common: inout CommonFields) throws(WireError) {
        software = try reader.string("software", limits: 1...64)
        receiveLimit = try reader.u32("receive_limit")
        if receiveLimit != 0 && receiveLimit < WireLimits.frameBytesBeforeOpen {
            reader.recordInvalid("receive_limit", because: "receive_limit \(receiveLimit) is below 4096")
        }
        try common.finish(&reader, ignoringUnknown: true)
    }

    package func write(to writer: inout FrameWriter, common: CommonFields) {
        writer.string(software)
        writer.u32(receiveLimit)
        writer.tags(common)
    }
}

extension HelloAnswer: PayloadAnswer {
    package init(from reader: inout PayloadReader) throws(WireError) {
        software = try reader.string("software")
        epoch = try reader.uuid("epoch")
        clock = try reader.time("clock")
        limits = AnnouncedLimits()
        limits.frameBytes = try reader.u32("frame_limit")
        limits.requestsInFlight = try reader.u32("in_flight_limit")
        limits.batchItems = try reader.u32("batch_limit")
        limits.keepaliveMilliseconds = try reader.u32("keepalive_ms")
        limits.pingIntervalMilliseconds = try reader.u32("ping_interval_ms")
        limits.idempotencyWindowSeconds = try reader.u32("idempotency_window_s")
        isAuthenticated = try reader.u8("authenticated") != 0
        var opcodes: [AnnouncedLayouts] = []
        try reader.list("opcodes", elementBytes: 2 + 1 + 1) { reader, _ throws(WireError) in
            opcodes.append(
                AnnouncedLayouts(
                    opcode: Opcode(rawValue: try reader.u16("opcode")), lowest: try reader.u8("lowest"),
                    highest: try reader.u8("highest")))
        }
        self.opcodes = opcodes
        var (name, cluster): (String?, UUIDBytes?)
        try reader.finish(ignoringUnknown: true) { reader, tag, value throws(WireError) in
            switch tag {
            case 20: name = try reader.text(value, field: "node", limits: 1...64)
            case 22: cluster = try reader.uuid(of: value, field: "cluster")
            default: return false
            }
            return true
        }
        if let name, let cluster { node = AnnouncedNode(name: name, cluster: cluster) }
    }

    package func write(to writer: inout FrameWriter) {
        writer.string(software)
        writer.uuid(epoch)
        writer.u64(clock.milliseconds)
        writer.u32(limits.frameBytes)
        writer.u32(limits.requestsInFlight)
        writer.u32(limits.batchItems)
        writer.u32(limits.keepaliveMilliseconds)
        writer.u32(limits.pingIntervalMilliseconds)
        writer.u32(limits.idempotencyWindowSeconds)
        writer.u8(isAuthenticated ? 1 : 0)
        writer.list(opcodes) { writer, row in
            writer.u16(row.opcode.rawValue)
            writer.u8(row.lowest)
            writer.u8(row.highest)
        }
        if let node {
            writer.section { writer in writer.tag(20, node.name) + writer.tag(22, node.cluster.bytes) }
        }
    }
}
