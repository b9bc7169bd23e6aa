import CarillonCore

/// A whole address of an app in a key: app `u32`, environment `u8`, kind `u8`, token.
enum AppAddress {
    /// Bytes of the longest address.
    static let maximumBytes = 6 + DeviceToken.maximumBytes

    /// Writes it.
    @inline(__always)
    static func append(_ app: AppNumber, _ address: DeviceAddress, to writer: inout ByteWriter) {
        writer.append(app)
        writer.append(address.environment.rawValue)
        writer.append(address.kind.rawValue)
        writer.append(contentsOf: address.token.bytes)
    }

    /// Reads it, to the end.
    static func read(_ reader: inout ByteReader) throws -> (AppNumber, DeviceAddress) {
        let app: AppNumber = try reader.number()
        let environment: APNsEnvironment = try reader.value()
        let kind: TokenKind = try reader.value()
        return (app, DeviceAddress(environment: environment, kind: kind, token: try reader.tokenToEnd()))
    }
}
