import CCarillonOpenSSL

/// The application protocols of a context, in order of preference, in memory for OpenSSL's callback (RFC 7301).
final class ApplicationProtocols: Sendable {
    let names: [String]
    let isRequired: Bool
    /// The names, each after its length in one byte.
    let wireFormat: [UInt8]

    init(_ names: [String], isRequired: Bool) throws(TLSError) {
        guard names.allSatisfy({ (1...255).contains($0.utf8.count) }), names.count <= 64 else {
            throw .misuse("an application protocol has a name of 1 to 255 bytes")
        }
        guard !(isRequired && names.isEmpty) else { throw .misuse("no application protocol to require") }
        self.names = names
        self.isRequired = isRequired
        wireFormat = names.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
    }

    func offer(in context: OpaquePointer) -> Bool {
        // Unlike its relatives, this function returns 0 for success.
        names.isEmpty || SSL_CTX_set_alpn_protos(context, wireFormat, UInt32(wireFormat.count)) == 0
    }

    /// Installs the choice of a server, which `choose` makes. The caller keeps this object alive as long as the context
    /// and its sessions.
    func installChoice(in context: OpaquePointer) {
        guard !names.isEmpty else { return }
        let reference = Unmanaged.passUnretained(self).toOpaque()
        SSL_CTX_set_alpn_select_cb(context, Self.choose, reference)
        if isRequired { SSL_CTX_set_client_hello_cb(context, Self.refuseMissingOffer, nil) }
    }

    private static let choose:
        @convention(c) (
            OpaquePointer?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, UnsafeMutablePointer<UInt8>?,
            UnsafePointer<UInt8>?, UInt32, UnsafeMutableRawPointer?
        ) -> Int32 = { _, chosen, chosenCount, offered, offeredCount, reference in
            guard let reference, let offered else { return SSL_TLSEXT_ERR_NOACK }
            // Safety: the context that owns this object outlives every session, and callbacks run in sessions only.
            let own = Unmanaged<ApplicationProtocols>.fromOpaque(reference).takeUnretainedValue()
            let client = UnsafeBufferPointer(start: offered, count: Int(offeredCount))
            for name in own.names {
                guard let found = position(of: name, in: client) else { continue }
                chosen?.pointee = offered + found
                chosenCount?.pointee = UInt8(name.utf8.count)
                return SSL_TLSEXT_ERR_OK
            }
            // RFC 7301, section 3.2: a server that supports none of the offered protocols refuses.
            return SSL_TLSEXT_ERR_ALERT_FATAL
        }

    /// Returns the index of `name` in a list of names with their lengths; nil if the list has no such name.
    private static func position(of name: String, in list: UnsafeBufferPointer<UInt8>) -> Int? {
        var index = 0
        while index < list.count {
            let end = index + 1 + Int(list[index])
            guard end <= list.count else { return nil }
            if list[(index + 1)..<end].elementsEqual(name.utf8) { return index + 1 }
            index = end
        }
        return nil
    }

    /// The callback that refuses a client at its first message if it offers nothing: such a client never reaches
    /// `choose`.
    private static let refuseMissingOffer:
        @convention(c) (OpaquePointer?, UnsafeMutablePointer<Int32>?, UnsafeMutableRawPointer?) -> Int32 = {
            session,
            alert,
            _ in
            var bytes: UnsafePointer<UInt8>?
            var count = 0
            let kind = UInt32(TLSEXT_TYPE_application_layer_protocol_negotiation)
            if SSL_client_hello_get0_ext(session, kind, &bytes, &count) == 1 { return SSL_CLIENT_HELLO_SUCCESS }
            alert?.pointee = TLSAlert.noApplicationProtocol.rawValue
            return SSL_CLIENT_HELLO_ERROR
        }
}
