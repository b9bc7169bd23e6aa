import CarillonCore

/// The form of a whole address of an app in a key: app `u32`, environment `u8`, kind `u8`, token.
enum AppAddress {
    /// The number of bytes of the longest address.
    static let maximumBytes = 6 + DeviceToken.maximumBytes

    @inline(__always)
    static func append(_ app: AppNumber, _ address: DeviceAddress, to writer: inout ByteWriter) {
        writer.append(app)
        writer.append(address.environment.rawValue)
        writer.append(address.kind.rawValue)
        writer.append(contentsOf: address.token.bytes)
    }

    /// Reads an address of an app, to the end of the key.
    static func read(_ reader: inout ByteReader) throws -> (app: AppNumber, address: DeviceAddress) {
        let app: AppNumber = try reader.number()
        let environment: APNsEnvironment = try reader.value()
        let kind: TokenKind = try reader.value()
        return (app, DeviceAddress(environment: environment, kind: kind, token: try reader.tokenToEnd()))
    }
}
