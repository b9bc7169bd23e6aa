import CarillonCore

/// The stored form of a device as a request has named it, a part of the stored audience.
extension DeviceReference {
    /// The number of bytes that `append` writes.
    var storedBytes: Int {
        if case .address(let address) = self { 4 + address.token.bytes.count } else { 9 }
    }

    /// Writes form `u8` 1, environment and kind, `u8` each, and the token after a `u8` length; or 2 and the id `u64`.
    func append(to writer: inout ByteWriter) {
        switch self {
        case .address(let address):
            writer.append(UInt8(1))
            writer.append(address.environment.rawValue)
            writer.append(address.kind.rawValue)
            writer.append(UInt8(address.token.bytes.count))
            writer.append(contentsOf: address.token.bytes)
        case .id(let id):
            writer.append(UInt8(2))
            writer.append(id.rawValue)
        }
    }

    /// Reads what `append` wrote.
    init(_ reader: inout ByteReader) throws {
        switch try reader.number(UInt8.self) {
        case 1:
            let environment: APNsEnvironment = try reader.value()
            let kind: TokenKind = try reader.value()
            self = .address(DeviceAddress(environment: environment, kind: kind, token: try reader.token()))
        case 2: self = .id(DeviceID(rawValue: try reader.number()))
        default: throw reader.corrupted("a device")
        }
    }
}
