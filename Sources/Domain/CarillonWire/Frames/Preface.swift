/// The first 16 bytes of each direction (Protocol 2). Frozen.
package enum Preface {
    package static let byteCount = 16
    /// The major version of this implementation.
    package static let version: UInt8 = 1
    /// The first eight bytes. They differ from the beginning of TLS, HTTP and Kafka. A transport that clears the high
    /// bit, or that translates the end of a line or Control-Z, damages them and so is found out.
    package static let magic: [UInt8] = [0xC3, 0x43, 0x52, 0x4C, 0x4E, 0x0D, 0x0A, 0x1A]

    /// The result of reading a client's preface.
    package enum Reading: Hashable, Sendable {
        /// The beginning of a preface; more bytes are needed.
        case incomplete
        /// A byte differs from the magic: close without an answer.
        case foreign
        /// The versions or the reserved bytes are not valid.
        case malformed
        /// The two ends have no version in common.
        case unsupported
        /// The client speaks version 1.
        case accepted
    }

    /// Reads the bytes received of a client's preface.
    package static func read(_ bytes: UnsafeRawBufferPointer) -> Reading {
        let seen = min(bytes.count, magic.count)
        guard (0..<seen).allSatisfy({ bytes[$0] == magic[$0] }) else { return .foreign }
        guard bytes.count >= byteCount else { return .incomplete }
        let lowest = bytes[8]
        let highest = bytes[9]
        guard lowest >= 1, lowest <= highest, (10..<byteCount).allSatisfy({ bytes[$0] == 0 }) else { return .malformed }
        return (lowest...highest).contains(version) ? .accepted : .unsupported
    }

    /// The preface of a client that speaks version 1 and no other.
    package static let clientBytes: [UInt8] = magic + [version, version, 0, 0, 0, 0, 0, 0]

    /// Returns the preface of a server: the version chosen, or 0 for none.
    package static func serverBytes(choosing version: UInt8) -> [UInt8] {
        magic + [version, 0, 0, 0, 0, 0, 0, 0]
    }

    /// Returns the version in a server's preface (0 = none); nil if it is not the preface of a server.
    package static func chosenVersion(_ bytes: UnsafeRawBufferPointer) -> UInt8? {
        guard bytes.count >= byteCount, (0..<magic.count).allSatisfy({ bytes[$0] == magic[$0] }),
            (9..<byteCount).allSatisfy({ bytes[$0] == 0 })
        else { return nil }
        return bytes[8]
    }
}
