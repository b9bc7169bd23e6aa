package import CarillonCore

/// The request AUTH with an API key (Protocol 6.2). The key is never printed.
package struct AuthenticateRequest: SessionOperation, CustomStringConvertible {
    package typealias Answer = AuthenticateAnswer

    package static let opcode = Opcode.authenticate

    /// The key as it was issued, 1 to 256 bytes: the field `credential` of the protocol.
    package var key: [UInt8]

    package init(key: [UInt8]) {
        self.key = key
    }

    package consuming func sessionRequest() -> SessionRequest { .authenticate(self) }

    /// The number of bytes of the key, never the key.
    package var description: String { "API key of \(key.count) bytes" }
}

/// The server's answer to AUTH (Protocol 6.2).
package struct AuthenticateAnswer: Hashable, Sendable {
    /// The name of the principal.
    package var principal: String
    package var grants: [Grant]

    package init(principal: String, grants: [Grant]) {
        self.principal = principal
        self.grants = grants
    }
}

extension Opcode {
    package static let authenticate = Opcode(rawValue: 0x0002)
}

// MARK: Codec (Protocol 6.2)

extension AuthenticateRequest {
    package init(from reader: inout PayloadReader, common: inout CommonFields) throws(WireError) {
        let method = try reader.u8("method")
        if method != 1 { reader.recordInvalid("method", because: "method \(method) is not known") }
        key = Array(try reader.blob("credential"))
        if !(1...WireLimits.credentialBytes).contains(key.count) {
            reader.recordInvalid("credential", because: "credential has \(key.count) bytes, not 1 to 256")
        }
        try common.finish(&reader)
    }

    package func write(to writer: inout FrameWriter, common: CommonFields) {
        writer.u8(1)
        writer.blob(key)
        writer.tags(common)
    }
}

extension AuthenticateAnswer: PayloadAnswer {
    package init(from reader: inout PayloadReader) throws(WireError) {
        principal = try reader.string("principal")
        var grants: [Grant] = []
        try reader.list("grants", elementBytes: 2 + 1) { reader, _ throws(WireError) in
            let app = try reader.string("app")
            grants.append(Grant(app: AppID(app), roles: Roles(rawValue: try reader.u8("roles"))))
        }
        self.grants = grants
        try reader.finishAnswer()
    }

    package func write(to writer: inout FrameWriter) {
        writer.string(principal)
        writer.list(grants) { writer, grant in
            writer.string(grant.app?.name ?? "*")
            writer.u8(grant.roles.rawValue)
        }
    }
}
