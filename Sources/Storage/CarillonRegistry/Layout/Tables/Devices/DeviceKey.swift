import CarillonCore
import CarillonLMDB

/// The key of all tables that are keyed by a device: app `u32`, device id `u64`.
enum DeviceKey {
    @inline(__always)
    static func with<R>(app: AppNumber, _ id: DeviceID, _ body: (Span<UInt8>) throws -> R) rethrows -> R {
        try ByteWriter.withBytes(
            capacity: 12,
            {
                $0.append(app)
                $0.append(id.rawValue)
            },
            body
        )
    }

    @inline(__always)
    static func read(_ key: Span<UInt8>, of table: StaticString) throws -> (app: AppNumber, id: DeviceID) {
        try ByteReader.read(key, of: table) { (try $0.number(), DeviceID(rawValue: try $0.number())) }
    }
}
