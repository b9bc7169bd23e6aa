import CarillonCore

/// A 128-bit hash: MurmurHash3 in its form for 64-bit machines.
///
/// It has two uses: the fingerprint of a message body beside its idempotency key (Protocol 10.1), and the checksum of a
/// record of the write-ahead log. It is not a cryptographic hash. A client that makes two bodies with one fingerprint
/// gets an earlier answer of its own app instead of a conflict, and nothing else.
struct MurmurHash3: Hashable {
    let high: UInt64
    let low: UInt64

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Computes the fingerprint of a message without its key; devices in the order and form of the request.
    init(of message: Message) {
        let capacity =
            MessageTable.bodyBytes(message.content) + message.audience.storedBytes + 13
            + (message.excludedDevice?.storedBytes ?? 0) + 1 + (message.label?.utf8.count ?? 0)
        let body = ByteWriter.bytes(capacity: capacity) { writer in
            MessageTable.appendBody(message.content, notAfter: message.notAfter, lane: message.lane, to: &writer)
            writer.append(message.sendAt ?? .zero)
            writer.append(message.pace ?? 0)
            message.audience.append(to: &writer)
            if let excluded = message.excludedDevice { excluded.append(to: &writer) }
            // Without a label the fingerprint is as it was before there were labels, so stored fingerprints stay valid.
            if let label = message.label { writer.append(text: label) }
        }
        self.init(hashing: body)
    }

    /// Computes the fingerprint of a RESEND. It begins with an empty app name, which no message has.
    init(ofResending message: MessageID, _ outcomes: Set<Outcome>, notAfter: Timestamp?) {
        let body = ByteWriter.bytes(capacity: 18 + outcomes.count) { writer in
            writer.append(UInt8(0))
            writer.append(message.rawValue)
            for outcome in outcomes.sorted() { writer.append(outcome.rawValue) }
            // A pending recipient is never sent to again. So its outcome, 0, can end the list.
            if let notAfter {
                writer.append(Outcome.pending.rawValue)
                writer.append(notAfter)
            }
        }
        self.init(hashing: body)
    }

    /// Computes the hash of bytes, with seed 0.
    init(hashing bytes: [UInt8]) {
        var state = Murmur3State()
        for start in stride(from: 0, to: bytes.count, by: 16) {
            let (one, other) = (Self.word(of: bytes, at: start), Self.word(of: bytes, at: start + 8))
            if bytes.count - start >= 16 { state.add(one, other) } else { state.addLast(one, other) }
        }
        let value = state.value(byteCount: UInt64(bytes.count))
        self.init(high: value.high, low: value.low)
    }

    /// Returns eight bytes as a number, the least significant first; bytes past the end are 0.
    private static func word(of bytes: [UInt8], at start: Int) -> UInt64 {
        if bytes.count - start >= 8 {
            return bytes.withUnsafeBytes {
                UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: start, as: UInt64.self))
            }
        }
        guard start < bytes.count else { return 0 }
        return bytes[start...].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
