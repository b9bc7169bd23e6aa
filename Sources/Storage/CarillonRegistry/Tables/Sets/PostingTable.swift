import CarillonCore
import CarillonLMDB

/// The number of a chunk: 4,096 consecutive device ids of an app. Postings and live pages have one row a chunk.
typealias ChunkNumber = UInt32

extension DeviceID {
    /// The chunk of the device. Ids are less than `AppTable.deviceBound`, so the number fits.
    var chunk: ChunkNumber { ChunkNumber(truncatingIfNeeded: rawValue >> 12) }

    /// The offset of the device in its chunk.
    var offset: UInt16 { UInt16(truncatingIfNeeded: rawValue & 0xFFF) }

    /// Makes the id of the device at an offset of a chunk.
    init(chunk: ChunkNumber, offset: UInt16) {
        self.init(rawValue: UInt64(chunk) << 12 | UInt64(offset))
    }
}

/// The table of the devices of sets, chunk by chunk.
///
/// `postings`: app `u32`, set `u32`, chunk `u32` → form `u8` 1 and the offsets of its devices, ascending, `u16` each;
/// or form 2 and a bitmap of 512 bytes. Never empty.
struct PostingTable {
    let database: Database

    static let keyBytes = 12
    /// The smallest number of devices that are stored as a bitmap: as offsets they would take no fewer bytes.
    private static let minimumBitmapDevices = ChunkBits.byteCount / 2

    private enum Form: UInt8 {
        case offsets = 1
        case bitmap = 2
    }

    /// The key of a row: a chunk of a set.
    struct RowKey {
        let app: AppNumber
        let set: SetNumber
        let chunk: ChunkNumber
    }

    func get(_ rowKey: RowKey, in transaction: borrowing some Transaction & ~Copyable) throws -> ChunkBits? {
        try Self.withKey(rowKey) { key in
            try transaction.get(key, in: database) { value in
                var bits = ChunkBits()
                try Self.decode(value, into: &bits)
                return bits
            }
        }
    }

    /// Stores the devices of a set in a chunk: at least one; `count` is their number.
    func put(_ bits: ChunkBits, count: Int, at rowKey: RowKey, in transaction: inout WriteTransaction) throws {
        try Self.withKey(rowKey) { key in
            try ByteWriter.withBytes(
                capacity: Self.maximumBytes,
                { Self.append(bits, count: count, to: &$0) },
                { value in try transaction.put(value, for: key, in: database) }
            )
        }
    }

    func delete(_ rowKey: RowKey, in transaction: inout WriteTransaction) throws {
        _ = try Self.withKey(rowKey) { key in try transaction.delete(key, in: database) }
    }

    /// Calls `body` with the chunks of a set from `from` on, ascending.
    func forEach(
        app: AppNumber,
        set: SetNumber,
        from: ChunkNumber = 0,
        in transaction: borrowing some Transaction & ~Copyable,
        _ body: (ChunkNumber, ChunkBits) throws -> IterationStep
    ) throws {
        try Self.withKey(RowKey(app: app, set: set, chunk: from)) { first in
            _ = try transaction.forEach(in: database, from: first) { key, value in
                let rowKey = try Self.readKey(key)
                guard rowKey.app == app, rowKey.set == set else { return .stop }
                var bits = ChunkBits()
                try Self.decode(value, into: &bits)
                return try body(rowKey.chunk, bits)
            }
        }
    }

    /// Calls `body` with every chunk of every set; with nil bits if they cannot be read.
    func forEach(
        in transaction: borrowing some Transaction & ~Copyable,
        _ body: (AppNumber, SetNumber, ChunkNumber, ChunkBits?) throws -> Void
    ) throws {
        try transaction.forEach(in: database, prefix: [UInt8]().span) { key, value in
            let rowKey = try Self.readKey(key)
            var bits = ChunkBits()
            let isSound: Bool
            do {
                try Self.decode(value, into: &bits)
                isSound = true
            } catch RegistryError.corrupted {
                isSound = false
            }
            try body(rowKey.app, rowKey.set, rowKey.chunk, isSound ? bits : nil)
            return .proceed
        }
    }

    static let maximumBytes = 1 + ChunkBits.byteCount

    /// Writes the shorter form of the devices.
    static func append(_ bits: ChunkBits, count: Int, to writer: inout ByteWriter) {
        if count < minimumBitmapDevices {
            writer.append(Form.offsets.rawValue)
            for offset in bits { writer.append(offset) }
        } else {
            writer.append(Form.bitmap.rawValue)
            writer.append(contentsOf: bits.bitmap)
        }
    }

    /// Reads a value into `bits`, which are empty before.
    @inline(__always)
    static func decode(_ value: Span<UInt8>, into bits: inout ChunkBits) throws {
        try ByteReader.read(value, of: "postings") { try read(&$0, into: &bits) }
    }

    /// Reads devices in either form, to the end.
    static func read(_ reader: inout ByteReader, into bits: inout ChunkBits) throws {
        switch try reader.value(Form.self) {
        case .offsets:
            guard reader.remaining > 0 else { throw reader.corrupted("an empty chunk") }
            var minimum: UInt16 = 0
            while reader.remaining > 0 {
                let offset: UInt16 = try reader.number()
                guard offset >= minimum, offset < ChunkBits.width else {
                    throw reader.corrupted("offsets out of order")
                }
                bits.insert(offset)
                minimum = offset + 1
            }
        case .bitmap:
            let bytes = UnsafeRawBufferPointer(try reader.take(ChunkBits.byteCount))
            guard let read = ChunkBits(bitmap: bytes), !read.isEmpty else { throw reader.corrupted("an empty chunk") }
            bits = read
        }
    }

    @inline(__always)
    static func withKey<R>(_ rowKey: RowKey, _ body: (Span<UInt8>) throws -> R) rethrows -> R {
        try ByteWriter.withBytes(
            capacity: keyBytes,
            {
                $0.append(rowKey.app)
                $0.append(rowKey.set)
                $0.append(rowKey.chunk)
            },
            body
        )
    }

    @inline(__always)
    static func readKey(_ key: Span<UInt8>) throws -> RowKey {
        try ByteReader.read(key, of: "postings") {
            RowKey(app: try $0.number(), set: try $0.number(), chunk: try $0.number())
        }
    }
}
